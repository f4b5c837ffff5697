import CoreData

/// What is not saved yet, in numbers, and what can be undone.
struct UnsavedCounts: Sendable, Equatable {
    var new = 0
    var changed = 0
    var deleted = 0
    var canUndo = false
    var canRedo = false
    /// What would be undone and redone, in words.
    var undoName = ""
    var redoName = ""

    var total: Int { new + changed + deleted }
}

/// One unsaved object, with what differs from the store.
struct UnsavedObject: Sendable {
    struct Value: Sendable {
        var key: String
        var old: String
        var new: String
    }

    enum Kind: Sendable { case book, author }

    var kind: Kind
    /// The identity of a book that can be shown.
    var uuid: UUID?
    var name: String
    var state: ChangeState
    var values: [Value]
}

extension BooksDocument {
    func unsavedCounts() async throws -> UnsavedCounts {
        try await perform { context in
            var counts = UnsavedCounts()
            for (_, state) in Self.unsaved(context) {
                switch state {
                case .new: counts.new += 1
                case .changed: counts.changed += 1
                case .deleted: counts.deleted += 1
                case .saved: break
                }
            }
            if let undoManager = context.undoManager {
                counts.canUndo = undoManager.canUndo
                counts.canRedo = undoManager.canRedo
                counts.undoName = undoManager.undoActionName
                counts.redoName = undoManager.redoActionName
            }
            return counts
        }
    }

    /// The unsaved objects, books first, by name; no more than `limit`.
    func unsavedObjects(limit: Int, locale: Locale) async throws -> [UnsavedObject] {
        try await perform { context in
            let objects = Self.unsaved(context).map { UnsavedObject($0.0, $0.1, locale) }
            return Array(objects.sorted(by: UnsavedObject.precedes).prefix(limit))
        }
    }

    /// The objects that a save would write, without authors of whom only the list of books changed.
    private static func unsaved(_ context: NSManagedObjectContext) -> [(NSManagedObject, ChangeState)] {
        let objects = context.insertedObjects.union(context.updatedObjects).union(context.deletedObjects)
        return objects.compactMap { object in
            let state = (object as? Author).map { AuthorSnapshot($0).state } ?? ChangeState(object)
            return state == .saved ? nil : (object, state)
        }
    }

    // MARK: The whole document

    func undo() async throws {
        try await perform { context in if context.undoManager?.canUndo == true { context.undo() } }
    }

    func redo() async throws {
        try await perform { context in if context.undoManager?.canRedo == true { context.redo() } }
    }

    /// Writes all changes to the store.
    ///
    /// - Returns: sentences that say why not; empty when it is done.
    func save() async throws -> [String] {
        try await perform { context in
            do {
                try context.save()
                return []
            } catch {
                return ValidationWords.sentences(error)
            }
        }
    }

    /// Discards all unsaved changes.
    func discard() async throws {
        try await perform { $0.rollback() }
    }
}

extension UnsavedObject {
    fileprivate init(_ object: NSManagedObject, _ state: ChangeState, _ locale: Locale) {
        self.state = state
        if let book = object as? Book {
            kind = .book
            uuid = state == .deleted ? nil : book.uuid
            name = book.title ?? ""
        } else {
            kind = .author
            name = (object as? Author)?.name ?? ""
        }
        guard state == .changed else {
            values = []
            return
        }
        let changes = object.changedValues()
        let old = object.committedValues(forKeys: Array(changes.keys))
        values = changes.keys.filter { $0 != "books" && $0 != Book.Name.abstractText }.sorted().map { key in
            Value(key: key, old: Self.words(old[key], locale), new: Self.words(changes[key], locale))
        }
    }

    /// Books stand before authors, each by name.
    fileprivate static func precedes(_ one: UnsavedObject, _ other: UnsavedObject) -> Bool {
        one.kind == other.kind ? one.name < other.name : one.kind == .book
    }

    /// A value of any property as text.
    private static func words(_ value: Any?, _ locale: Locale) -> String {
        switch value {
        case let author as Author: author.name ?? ""
        case let color as TintColor: color.hex
        case let price as NSDecimalNumber: price.description(withLocale: locale)
        case let date as Date: DateText().text(date)
        case let data as Data: String(String(decoding: data, as: UTF8.self).prefix(120))
        case let url as URL: url.absoluteString
        case let text as String: text
        default: "none"
        }
    }
}
