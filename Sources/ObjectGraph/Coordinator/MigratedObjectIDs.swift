import Foundation
import ManagedObjectModel

extension NSPersistentStoreCoordinator {
    /// The IDs of all objects of a store that was migrated: for each object the old one and the new one.
    ///
    /// An error of the new store is logged; the list is empty then.
    static func migratedIDs(from old: any ObjectStore, to new: any ObjectStore) -> [NSManagedObjectID] {
        var ids: [NSManagedObjectID] = []
        // The present entities have moved to the new store with all objects and IDs.
        var former: [Int32: StoredEntity] = [:]
        func formerStoredEntity(_ storedEntity: StoredEntity) -> StoredEntity {
            if let made = former[storedEntity.entityNumber] { return made }
            let made = StoredEntity(
                layout: storedEntity.layout, store: old, entityNumber: storedEntity.entityNumber,
                table: StoredEntity.newTable())
            former[storedEntity.entityNumber] = made
            return made
        }
        do {
            for root in new.storedEntities where root.entity.superentity == nil {
                let keys = try new.keys(for: FetchQuery(storedEntity: root))
                ids.reserveCapacity(ids.count + 2 * keys.count)
                for (number, reference) in keys {
                    guard let storedEntity = new.storedEntity(number: number) else { continue }
                    ids.append(
                        NSManagedObjectID(
                            storedEntity: formerStoredEntity(storedEntity), reference: reference))
                    ids.append(NSManagedObjectID(storedEntity: storedEntity, reference: reference))
                }
            }
        } catch {
            Log.store.error("The IDs of the migrated store cannot be read: \(error.localizedDescription)")
            return []
        }
        return ids
    }
}
