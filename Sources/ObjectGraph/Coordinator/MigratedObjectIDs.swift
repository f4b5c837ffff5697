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
        func formerHome(_ home: StoredEntity) -> StoredEntity {
            if let made = former[home.entityNumber] { return made }
            let made = StoredEntity(
                layout: home.layout, store: old, entityNumber: home.entityNumber,
                table: StoredEntity.newTable())
            former[home.entityNumber] = made
            return made
        }
        do {
            for root in new.homes where root.entity.superentity == nil {
                let keys = try new.keys(for: FetchQuery(home: root))
                ids.reserveCapacity(ids.count + 2 * keys.count)
                for (number, reference) in keys {
                    guard let home = new.home(number: number) else { continue }
                    ids.append(NSManagedObjectID(home: formerHome(home), reference: reference))
                    ids.append(NSManagedObjectID(home: home, reference: reference))
                }
            }
        } catch {
            Log.store.error("The IDs of the migrated store cannot be read: \(error.localizedDescription)")
            return []
        }
        return ids
    }
}
