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

    /// Gives the new store the history of the old one, and one more transaction, without changes; of a store that is migrated in
    /// its place the tables of no model too. To be called after the objects were saved, which changes name.
    ///
    /// - Throws: an error of the database; 134020 for values of deleted objects that cannot be kept.
    func keepHistory(of source: any ObjectStore, in destination: any ObjectStore) throws {
        // Only a history asks for them.
        var known: [ObjectKey: ObjectKey]?
        let mappings = (mappingModel.entityMappings ?? []).filter { $0.destinationEntityName != nil }
        try destination.takeHistory(
            of: source,
            HistoryKeeping(
                author: Self.author, keepsOtherTables: copiedSource != nil,
                way: { home in
                    mappings.first { $0.sourceEntityName == home.entity.name }
                        .flatMap { self.way($0, home, destination) }
                },
                counterpart: { key in
                    let all = known ?? self.counterparts()
                    known = all
                    return all[key]
                }))
    }

    private func way(
        _ mapping: NSEntityMapping, _ home: StoredEntity, _ destination: any ObjectStore
    ) -> HistoryKeeping.Way? {
        guard let entity = destinationEntity(for: mapping), let made = destination.home(of: entity) else {
            return nil
        }
        let properties = (mapping.attributeMappings ?? []) + (mapping.relationshipMappings ?? [])
        var names: [String: String] = [:]
        for property in properties { names[property.name ?? ""] = property.inferredSourceName }
        return HistoryKeeping.Way(
            destination: made,
            origins: made.layout.slots.map { slot in
                let index =
                    names[slot.name].flatMap { home.layout.index(of: $0) } ?? home.layout.index(of: slot.name)
                return index.map { home.layout.slots[$0] }
            })
    }
}
