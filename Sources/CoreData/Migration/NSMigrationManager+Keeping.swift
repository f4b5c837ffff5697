import CocoaFoundation
import Foundation
import ManagedObjectModel

// What a migrated store keeps of the one that it was made of, beside the objects.

extension NSMigrationManager {
    /// How the author of the transaction begins that ends the history of a migrated store, as with Apple's framework.
    private static let author = "com.apple.coredata.schemamigrator"

    /// Gives the new store the identifier of the old one and what the application put into its metadata. The save writes
    /// it.
    func keepMetadata(of source: NSPersistentStore, in destination: NSPersistentStore) {
        var kept: [String: Any] = source.metadata ?? [:]
        for key in StoreMetadata.formatKeys + [NSStoreTypeKey] { kept[key] = nil }
        kept[NSStoreUUIDKey] = source.identifier
        destination.metadata = (destination.metadata ?? [:]).merging(kept) { $1 }
    }

    /// Whether a store has persistent history that its successor takes over.
    static func hasHistory(_ store: NSPersistentStore) -> Bool { (store as? SQLiteStore)?.history != nil }

    /// Gives the new store the history of the old one, and of a store that is migrated in its place the tables of no model, after the objects were saved: what their changes name, and one more
    /// transaction, without changes.
    ///
    /// - Throws: an error of SQLite; 134020 for values of deleted objects that cannot be kept.
    func keepHistory(of source: NSPersistentStore, in destination: NSPersistentStore) throws {
        guard let source = source as? SQLiteStore, let destination = destination as? SQLiteStore else {
            return
        }
        if copiedSource != nil {
            try source.withSnapshot { snapshot in
                try destination.write("migrate the store") { database in
                    try UnmodelledTables(snapshot, destination.schema).copy(to: database)
                }
            }
        }
        guard source.history != nil else { return }
        let counterparts = counterparts()
        let mappings = (mappingModel.entityMappings ?? []).filter { $0.destinationEntityName != nil }
        try source.withSnapshot { snapshot in
            try destination.write("migrate the history") { database in
                guard let transfer = HistoryTransfer(snapshot, to: destination, database) else { return }
                let save = SQLiteSave(destination, database)
                // The keys of objects that are gone stay different from each other and from all others.
                var gone: [ObjectKey: Int64] = [:]
                let history = try transfer.run { home in
                    mappings.first { $0.sourceEntityName == home.entity.name }
                        .flatMap { self.way($0, home, destination) }
                } reference: { home, reference, way in
                    let key = ObjectKey(table: home.table, reference: reference)
                    if let made = counterparts[key], made.table == way.destination.table {
                        return made.reference
                    }
                    if let known = gone[key] { return known }
                    let new = try save.reserve(way.destination, count: 1)
                    gone[key] = new
                    return new
                }
                var unit = UnitOfWork()
                unit.author = Self.author
                _ = try HistoryWriter(store: destination, history: history, database: database)
                    .write([], PropertySet(), unit)
            }
        }
    }

    private func way(
        _ mapping: NSEntityMapping, _ home: StoredEntity, _ destination: SQLiteStore
    ) -> HistoryTransfer.Way? {
        guard let entity = destinationEntity(for: mapping), let made = destination.home(of: entity) else {
            return nil
        }
        let properties = (mapping.attributeMappings ?? []) + (mapping.relationshipMappings ?? [])
        var names: [String: String] = [:]
        for property in properties { names[property.name ?? ""] = property.inferredSourceName }
        return HistoryTransfer.Way(
            destination: made,
            origins: made.layout.slots.map { slot in
                let index =
                    names[slot.name].flatMap { home.layout.index(of: $0) } ?? home.layout.index(of: slot.name)
                return index.map { home.layout.slots[$0] }
            })
    }
}
