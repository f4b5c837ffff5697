import CoreData
import StoreTools

/// Changes of objects, which stay in memory until they are saved.
struct StoreEditing: Sendable {
    /// What a page shows of the changes.
    struct State: Encodable, Sendable {
        let canWrite: Bool
        let isEdited: Bool
        /// How many objects are new, changed or deleted.
        var count = 0
        let canUndo: Bool
        let canRedo: Bool
        /// The object that was added.
        var added: String?
        /// What objects that were new are called since they were saved, by what they were called before.
        var renamed: [String: String] = [:]

        static let readOnly = State(canWrite: false, isEdited: false, canUndo: false, canRedo: false)
    }

    /// What is wrong with an object that is to be saved.
    struct Problem: Encodable, Sendable {
        let object: String?
        let field: String?
        let message: String
    }

    /// Objects that cannot be saved as they are.
    struct Invalid: Error {
        let problems: [Problem]
    }

    let store: BrowsedStore

    /// - Throws: `BrowsingError` for a store that can only be read.
    private func writable() throws -> NSManagedObjectContext {
        guard let context = store.editing else {
            throw BrowsingError(
                "The store is open for reading only. Start the command with --write to change it.",
                code: "readonly")
        }
        return context
    }

    /// - Throws: `BrowsingError` for a store that can only be read.
    func checkWritable() throws { _ = try writable() }

    func state() async -> State {
        guard let context = store.editing else { return .readOnly }
        return await context.perform { Self.state(context) }
    }

    private static func state(_ context: NSManagedObjectContext, added: ObjectReference? = nil) -> State {
        context.processPendingChanges()
        let count =
            context.insertedObjects.count + context.deletedObjects.count
            + context.updatedObjects.filter(\.hasPersistentChangedValues).count
        return State(
            canWrite: true, isEdited: count > 0, count: count,
            canUndo: context.undoManager?.canUndo ?? false, canRedo: context.undoManager?.canRedo ?? false,
            added: added?.description)
    }

    private func change(
        _ body: @escaping (NSManagedObjectContext) throws -> ObjectReference?
    ) async throws -> State {
        let context = try writable()
        let transfer = UncheckedBlock(body)
        let added = try await context.perform { try transfer.body(context) }
        return await context.perform { Self.state(context, added: added) }
    }

    /// Sets an attribute, or an element of a composite one, to what a string stands for; nil for no value.
    func set(_ key: String, to text: String?, of reference: ObjectReference) async throws -> State {
        try await change { context in
            let object = try store.object(reference, in: context)
            let path = try CompositePath(key, of: object)
            let value = try text.map { try AttributeText.value($0, of: path.element) }
            try Self.set(path, to: value, of: object)
            return nil
        }
    }

    /// Sets a binary attribute to the bytes of a file.
    func set(_ key: String, to data: Data, of reference: ObjectReference) async throws -> State {
        try await change { context in
            let object = try store.object(reference, in: context)
            let path = try CompositePath(key, of: object)
            guard path.element.attributeType == .binaryDataAttributeType else {
                throw BrowsingError("'\(key)' cannot be set from a file.", code: "value", field: key)
            }
            try Self.set(path, to: data, of: object)
            return nil
        }
    }

    private static func set(_ path: CompositePath, to value: Any?, of object: NSManagedObject) throws {
        let name = path.attribute.name
        guard !(path.attribute is NSDerivedAttributeDescription) else {
            throw BrowsingError("'\(name)' is derived.", code: "value", field: name)
        }
        do {
            try object.setValue(checking: path.value(of: object, replacing: value), forKey: name)
        } catch let error as NSError {
            throw BrowsingError(error.localizedDescription, code: "value", field: name)
        }
    }

    /// Sets a to-one relationship; adds to or removes from a to-many one.
    func link(
        _ key: String, of reference: ObjectReference, to other: ObjectReference?, removing: Bool
    ) async throws -> State {
        try await change { context in
            let object = try store.object(reference, in: context)
            guard let relationship = object.entity.relationshipsByName[key] else {
                throw BrowsingError("\(reference) has no relationship '\(key)'.")
            }
            let destination = try other.map { try store.object($0, in: context) }
            if let destination, let wanted = relationship.destinationEntity,
                !destination.entity.isKindOf(entity: wanted)
            {
                throw BrowsingError(
                    "'\(key)' leads to objects of \(wanted.name ?? ""), and \(destination.reference) is not one.",
                    field: key)
            }
            guard relationship.isToMany else {
                try object.setValue(checking: removing ? nil : destination, forKey: key)
                return nil
            }
            guard let destination else { throw BrowsingError("Which object?", field: key) }
            if relationship.isOrdered {
                let members = object.mutableOrderedSetValue(forKey: key)
                if removing { members.remove(destination) } else { members.add(destination) }
            } else {
                let members = object.mutableSetValue(forKey: key)
                if removing { members.remove(destination) } else { members.add(destination) }
            }
            return nil
        }
    }

    /// Moves a member of an ordered relationship to another position; one beyond the others is the last.
    func move(
        _ key: String, of reference: ObjectReference, _ other: ObjectReference, to position: Int
    ) async throws -> State {
        try await change { context in
            let object = try store.object(reference, in: context)
            guard let relationship = object.entity.relationshipsByName[key], relationship.isToMany,
                relationship.isOrdered
            else { throw BrowsingError("\(reference) has no ordered relationship '\(key)'.") }
            let members = object.mutableOrderedSetValue(forKey: key)
            let old = members.index(of: try store.object(other, in: context))
            guard old != NSNotFound else {
                throw BrowsingError("\(other) is not in '\(key)' of \(reference).", field: key)
            }
            let new = min(max(position, 0), members.count - 1)
            if new != old { members.moveObjects(at: IndexSet(integer: old), to: new) }
            return nil
        }
    }

    /// Makes a new object.
    func add(_ entity: String) async throws -> State {
        try await change { context in
            let description = try store.entity(named: entity)
            guard !description.isAbstract else {
                throw BrowsingError("'\(entity)' is abstract: no objects of it can be made.")
            }
            return NSManagedObject(entity: description, insertInto: context).reference
        }
    }

    func delete(_ references: [ObjectReference]) async throws -> State {
        try await change { context in
            for object in try references.map({ try store.object($0, in: context) }) { context.delete(object) }
            return nil
        }
    }

    func undo() async throws -> State {
        try await change { context in
            context.undo()
            return nil
        }
    }

    func redo() async throws -> State {
        try await change { context in
            context.redo()
            return nil
        }
    }

    /// Saves all changes.
    ///
    /// - Throws: `Invalid` when objects do not meet the model's rules; 133020 when others have changed them in the store
    ///   since they were read, which stays so until `discard()`; `BrowsingError` when others have written to the file of an
    ///   XML or binary store, which stays so too; an error of the store.
    func save() async throws -> State {
        let context = try writable()
        let renamed = try await context.perform {
            let new = context.insertedObjects.map { ($0, "\($0.reference)") }
            do {
                try store.source.save(context)
            } catch let error as NSError where error.isValidation {
                throw Invalid(problems: Self.problems(error))
            } catch let error as NSError where error.isMergeConflict && store.source.type != .sqlite {
                throw BrowsingError(
                    "Not saved: another program has changed the file since it was read.", code: "conflict")
            }
            return new.reduce(into: [:]) { $0[$1.1] = "\($1.0.reference)" }
        }
        var state = await state()
        state.renamed = renamed
        return state
    }

    /// Gives all changes up, and has everything read anew when it is shown next.
    ///
    /// - Throws: `BrowsingError` for a store that can only be read; an error of a file that cannot be read anew, and nothing
    ///   is discarded then.
    func discard() async throws -> State {
        try await change { context in
            try store.source.discard(context)
            return nil
        }
    }

    private static func problems(_ error: NSError) -> [Problem] {
        let details = error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? [error]
        return details.map { detail in
            Problem(
                object: (detail.userInfo[NSValidationObjectErrorKey] as? NSManagedObject)?.reference
                    .description,
                field: detail.userInfo[NSValidationKeyErrorKey] as? String,
                message: detail.localizedDescription)
        }
    }
}

/// A block that goes to the queue of a context and is used nowhere else.
private struct UncheckedBlock: @unchecked Sendable {
    let body: (NSManagedObjectContext) throws -> ObjectReference?

    init(_ body: @escaping (NSManagedObjectContext) throws -> ObjectReference?) { self.body = body }
}

extension NSError {
    /// Whether it says that objects do not meet the model's rules.
    fileprivate var isValidation: Bool {
        domain == NSCocoaErrorDomain && (1550...1699).contains(code)
    }
}

extension BrowsedStore {
    /// Whether there is something that was not saved.
    package var isEdited: Bool { get async { await StoreEditing(store: self).state().isEdited } }
}
