import CoreDataSQL
import CoreData
import CoreDataSQLite

/// A store that a tool has open, with its model.
package final class OpenStore {
    package let url: URL
    package let type: StoreFileType
    package let model: NSManagedObjectModel
    /// Another one after an XML or binary store was read anew.
    package var coordinator: NSPersistentStoreCoordinator { opened.coordinator }
    /// The store; the objects of one that is not in SQLite are copied into one that is, and into another one when they are
    /// read anew.
    package var store: any InspectedStore { opened.store }

    private enum Origin {
        case file(NSPersistentStoreCoordinator, any InspectedStore)
        /// Where the objects of a store are that is not in SQLite.
        case copy(DocumentCopy)
    }

    private let origin: Origin
    /// Whether the model is the copy that the store holds.
    private let hasCopy: Bool
    /// Why the model is not the copy that the store holds, as a sentence.
    private var missingCopyNotice = "The store holds no copy of its model."

    private var copy: DocumentCopy? {
        if case .copy(let copy) = origin { copy } else { nil }
    }

    private var opened: (coordinator: NSPersistentStoreCoordinator, store: any InspectedStore) {
        switch origin {
        case .file(let coordinator, let store): (coordinator, store)
        case .copy(let copy): copy.opened
        }
    }

    /// Opens a store.
    ///
    /// - Parameters:
    ///   - url: the file.
    ///   - model: the model; nil for the copy that the store holds, or else one made from its tables or objects, with
    ///     which a store can only be read.
    ///   - isReadOnly: whether nothing of the store, and of the files beside it, may change. What a context changes of an
    ///     XML or binary store is in the file after `save(_:)`.
    ///   - makesFile: whether a store that is not there is made.
    ///   - adapt: makes the model that the store is opened with, which must have the same version hashes.
    /// - Throws: as `NSPersistentStoreCoordinator.addPersistentStore(ofType:configurationName:at:options:)`; an error
    ///   that requests a model when a new store is to be made without one.
    package init(
        _ url: URL, model: NSManagedObjectModel?, isReadOnly: Bool = true, makesFile: Bool = false,
        adapting adapt: (NSManagedObjectModel) throws -> NSManagedObjectModel = { $0 }
    ) throws {
        self.url = url
        let exists = FileManager.default.fileExists(atPath: url.path)
        guard exists || makesFile else { throw StoreToolError("There is no store at \(url.path).") }
        type = exists ? StoreFileType(url) : .sqlite
        guard type == .sqlite else {
            guard isReadOnly || model != nil else {
                throw StoreToolError(
                    """
                    \(url.path) is \(type.description), which holds no copy of its model; with one that is made from its \
                    objects it can only be read. Give the model with --model.
                    """)
            }
            let model = try adapt(model ?? Self.objectModel(url, type))
            self.model = model
            hasCopy = false
            origin = .copy(try DocumentCopy(url, type, model, isReadOnly: isReadOnly))
            return
        }
        var configuration: String?
        var options: [AnyHashable: Any] = [NSReadOnlyPersistentStoreOption: isReadOnly]
        if exists {
            if !isReadOnly { try SQLiteStoreTables(url).recover() }
            let metadata = try SQLiteStoreTables(url).metadata()
            self.model = try adapt(model ?? Self.ownModel(url, &missingCopyNotice))
            hasCopy = model == nil && !self.model.isReconstructed
            // Who does not keep the history of a store that has one may only read.
            if !isReadOnly, try Self.hasHistory(url) {
                options[NSPersistentHistoryTrackingKey] = true
            }
            configuration = self.model.configuration(ofStoreWith: metadata)
        } else {
            guard let model else { throw StoreToolError("A new store needs a model: give one with --model.") }
            self.model = try adapt(model)
            hasCopy = false
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: self.model)
        let added = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: configuration, at: url, options: options)
        guard let store = added as? any InspectedStore else {
            throw StoreToolError("The store at \(url.path) is not a SQLite store.")
        }
        origin = .file(coordinator, store)
    }

    /// The copy of its model that a store holds. Stores of before 2012 hold none, and those of damaged ones may be unreadable: then
    /// a model made from their tables.
    private static func ownModel(_ url: URL, _ missingModelNotice: inout String) throws
        -> NSManagedObjectModel
    {
        let options = [NSReadOnlyPersistentStoreOption: true]
        do {
            return try NSPersistentStoreCoordinator.cachedModelForPersistentStore(
                ofType: NSSQLiteStoreType, at: url, options: options)
        } catch let error as NSError where error.code == CocoaError.Code.coreData.rawValue {
            return try NSPersistentStoreCoordinator.reconstructedModelForPersistentStore(
                ofType: NSSQLiteStoreType, at: url, options: options)
        } catch let error as NSError {
            guard error.code == CocoaError.Code.persistentStoreOpen.rawValue,
                let model = try? NSPersistentStoreCoordinator.reconstructedModelForPersistentStore(
                    ofType: NSSQLiteStoreType, at: url, options: options)
            else { throw StoreToolError("\(error.localizedDescription) Give the model with --model.") }
            missingModelNotice = error.localizedDescription
            return model
        }
    }

    /// A model of what the objects of an XML or binary store have.
    private static func objectModel(_ url: URL, _ type: StoreFileType) throws -> NSManagedObjectModel {
        do {
            return try NSPersistentStoreCoordinator.reconstructedModelForPersistentStore(
                ofType: type.storeType, at: url)
        } catch let error as NSError where error.code == CocoaError.Code.persistentStoreOpen.rawValue {
            throw StoreToolError("\(error.localizedDescription) Give the model with --model.")
        }
    }

    /// The archive of the model, in raw deflate, as stores hold it.
    ///
    /// - Throws: an error of the store, or of a model that cannot be archived.
    package func modelArchive() throws -> Data {
        // As it was written: parts of it may not be known here.
        let copy = hasCopy ? try store.withContents { try $0.modelArchive() } : nil
        return try copy ?? RawDeflate.compress(try model.modelCacheArchive())
    }

    /// What is to be said of everything that is read of the store, each as a sentence: nothing when its model is known.
    package var notices: [String] {
        guard model.isReconstructed else { return copy?.notices ?? [] }
        let (origin, limits) =
            switch type {
            case .sqlite: ("tables", "without their real names")
            case .xml:
                (
                    "objects",
                    "with property names in lower case; it lacks attributes without values, inverses, the order of relationships, and superentities except those that relationships lead to"
                )
            case .binary:
                (
                    "objects",
                    "without the names of attributes; it lacks inverses, the order of relationships, and superentities except those that relationships lead to"
                )
            }
        return [
            "\(missingCopyNotice) A model was made from its \(origin), \(limits). Give the model with --model."
        ]
    }

    /// Saves a context of the store, to be called on its queue. The file of an XML or binary store is written as a whole.
    ///
    /// - Throws: as `NSManagedObjectContext.save()`; 133020 also when another process has written to the file of an XML or
    ///   binary store since it was read.
    package func save(_ context: NSManagedObjectContext) throws {
        guard let copy else { return try context.save() }
        try copy.save(context)
    }

    /// Discards the changes of a context, on whose queue this is called; an XML or binary store is read anew, with what
    /// others wrote to it. Other contexts of the store have what was read before.
    ///
    /// - Throws: as `init(_:model:isReadOnly:makesFile:)`; everything is as it was then.
    package func discard(_ context: NSManagedObjectContext) throws {
        if let copy { return try copy.reread(for: context) }
        context.rollback()
        context.reset()
    }

    /// Closes the store; what is in its log goes into the file if the store was open for writing.
    package func close() throws {
        if let copy { copy.close() } else { try coordinator.remove(store) }
    }

    /// The entities that the store has rows of, by name. Abstract ones have none.
    package var entities: [SQLEntity] {
        store.schema.entities.filter { !$0.storedEntity.entity.isAbstract }
            .sorted { $0.name.utf8Precedes($1.name) }
    }

    /// The entity with a name.
    ///
    /// - Throws: an error with the names that there are.
    package func entity(named name: String) throws -> SQLEntity {
        if let entity = store.schema.entities.first(where: { $0.name == name }) { return entity }
        let names = store.schema.entities.map(\.name).sorted { $0.utf8Precedes($1) }
        throw StoreToolError(
            "The store has no entity named '\(name)'; it has: \(names.joined(separator: ", ")).")
    }
}

extension OpenStore {
    /// How many objects some entities have, their subentities not counted in.
    func count(_ entities: [SQLEntity]) throws -> Int {
        try store.withContents { contents in
            try entities.reduce(0) { try $0 + Int(contents.connection.integer(RowLookup.count(of: $1))) }
        }
    }
}
