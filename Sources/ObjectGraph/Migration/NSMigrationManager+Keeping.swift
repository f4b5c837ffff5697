import CocoaFoundation
import Foundation
import ManagedObjectModel

// The parts of its source that a migrated store keeps, besides the objects.

extension NSMigrationManager {
    /// The prefix of the author of the transaction that ends the history of a migrated store, as with Apple's framework.
    private static let author = "com.apple.coredata.schemamigrator"

    /// Copies the identifier and the application's metadata of the old store to the new one. The save writes them.
    func keepMetadata(of source: NSPersistentStore, in destination: NSPersistentStore) {
        var kept: [String: Any] = source.metadata ?? [:]
        for key in StoreMetadata.formatKeys + [NSStoreTypeKey] { kept[key] = nil }
        kept[NSStoreUUIDKey] = source.identifier
        destination.metadata = (destination.metadata ?? [:]).merging(kept) { $1 }
    }

    /// Copies the history of the old store to the new one, with one more transaction, without changes; for a store that is
    /// migrated in place, also tables outside of the model. Call it after saving the objects, which the changes name.
    ///
    /// - Throws: an error of the database; 134020 for values of deleted objects that cannot be kept.
    func keepHistory(of source: any ObjectStore, in destination: any ObjectStore) throws {
        // Only a history needs them.
        var known: [ObjectKey: ObjectKey]?
        let mappings = (mappingModel.entityMappings ?? []).filter { $0.destinationEntityName != nil }
        try destination.adoptHistory(
            of: source,
            HistoryKeeping(
                author: Self.author, keepsOtherTables: copiedSource != nil,
                way: { storedEntity in
                    mappings.first { $0.sourceEntityName == storedEntity.entity.name }
                        .flatMap { self.way($0, storedEntity, destination) }
                },
                counterpart: { key in
                    let all = known ?? self.counterparts()
                    known = all
                    return all[key]
                }))
    }

    private func way(
        _ mapping: NSEntityMapping, _ storedEntity: StoredEntity, _ destination: any ObjectStore
    ) -> HistoryKeeping.ObjectMapping? {
        guard let entity = destinationEntity(for: mapping), let made = destination.storedEntity(of: entity)
        else {
            return nil
        }
        let properties = (mapping.attributeMappings ?? []) + (mapping.relationshipMappings ?? [])
        var names: [String: String] = [:]
        for property in properties { names[property.name ?? ""] = property.inferredSourceName }
        return HistoryKeeping.ObjectMapping(
            destination: made,
            origins: made.layout.slots.map { slot in
                let index =
                    names[slot.name].flatMap { storedEntity.layout.index(of: $0) }
                    ?? storedEntity.layout.index(of: slot.name)
                return index.map { storedEntity.layout.slots[$0] }
            })
    }
}
