import CoreData
import GRDB

/// A SQLite store that a tool has open, with its model.
package final class OpenStore {
    package let url: URL
    package let model: NSManagedObjectModel
    package let coordinator: NSPersistentStoreCoordinator
    package let store: SQLiteStore
    /// Whether the model is the copy that the store holds.
    private let hasOwnModel: Bool

    /// Opens a store.
    ///
    /// - Parameters:
    ///   - url: the file.
    ///   - model: the model; nil for the copy that the store holds.
    ///   - isReadOnly: whether nothing of the store, and of the files beside it, may change.
    ///   - makesFile: whether a store that is not there is made.
    /// - Throws: as `NSPersistentStoreCoordinator.addPersistentStore(ofType:configurationName:at:options:)`; without a
    ///   model, an error that asks for one when the store holds none.
    package init(
        _ url: URL, model: NSManagedObjectModel?, isReadOnly: Bool = true, makesFile: Bool = false
    ) throws {
        self.url = url
        let exists = FileManager.default.fileExists(atPath: url.path)
        guard exists || makesFile else { throw StoreToolError("There is no store at \(url.path).") }
        var configuration: String?
        var options: [AnyHashable: Any] = [NSReadOnlyPersistentStoreOption: isReadOnly]
        hasOwnModel = model == nil
        if exists {
            let metadata = try SQLiteStoreTables(url).metadata()
            self.model = try model ?? Self.cachedModel(url)
            // Who does not keep the history of a store that has one may only read.
            if !isReadOnly, try SQLiteStoreTables(url).read({ try $0.tableExists("ATRANSACTION") }) {
                options[NSPersistentHistoryTrackingKey] = true
            }
            configuration = ModelCache.configuration(of: self.model, for: metadata)
        } else {
            guard let model else { throw StoreToolError("A new store needs a model: give one with --model.") }
            self.model = model
        }
        if isReadOnly { Self.removeUnknownIndexes(self.model) }
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: self.model)
        let added = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: configuration, at: url, options: options)
        guard let store = added as? SQLiteStore else {
            throw StoreToolError("The store at \(url.path) is no SQLite store.")
        }
        self.store = store
    }

    /// The copy of its model that a store holds.
    private static func cachedModel(_ url: URL) throws -> NSManagedObjectModel {
        do {
            return try NSPersistentStoreCoordinator.cachedModelForPersistentStore(
                ofType: NSSQLiteStoreType, at: url, options: [NSReadOnlyPersistentStoreOption: true])
        } catch let error as NSError {
            throw StoreToolError("\(error.localizedDescription) Give the model with --model.")
        }
    }

    /// Takes away indexes over expressions of which the model, as those of Apple's Photos, has the name only. Who does
    /// not write to a store needs none.
    private static func removeUnknownIndexes(_ model: NSManagedObjectModel) {
        guard !model.isImmutable else { return }
        for entity in model.entities {
            let known = entity.indexes.filter { index in
                index.elements.allSatisfy { element in
                    element.property != nil || element.isOverExpression
                        || ["self", "entity", "objectID"].contains(element.propertyName ?? "")
                }
            }
            if known.count < entity.indexes.count { entity.indexes = known }
        }
    }

    /// The archive of the model, in raw deflate, as stores hold it.
    ///
    /// - Throws: an error of the store, or of a model that cannot be archived.
    package func modelArchive() throws -> Data {
        // As it was written: parts of it may not be known here.
        let copy = try store.withSnapshot { snapshot in
            hasOwnModel
                ? try Data.fetchOne(
                    snapshot.database, sql: "SELECT Z_CONTENT FROM \(ModelCache.table) LIMIT 1")
                : nil
        }
        return try copy ?? RawDeflate.compress(try model.modelCacheArchive())
    }

    /// Closes the store; what is in its log goes into the file if the store was open for writing.
    package func close() throws { try coordinator.remove(store) }

    /// The entities that the store has rows of, by name. Abstract ones have none.
    package var entities: [SQLEntity] {
        store.schema.entities.filter { !$0.home.entity.isAbstract }
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
        try store.withSnapshot { snapshot in
            try entities.reduce(0) { sum, entity in
                let table = snapshot.schema.quoted(entity.table)
                return try sum
                    + (Int.fetchOne(
                        snapshot.database,
                        sql: "SELECT count(*) FROM \(table) WHERE Z_ENT = \(entity.number)") ?? 0)
            }
        }
    }
}

extension SQLEntity {
    package var name: String { home.entity.name ?? "" }
}
