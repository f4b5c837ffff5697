import Foundation
import ManagedObjectModel
import Synchronization

/// The IDs of all objects of a store that was migrated: of each the one that it had and the one that it has.
///
/// The store is asked when the first of them is read.
final class MigratedObjectIDs: NSArray {
    private let old: any ObjectStore
    private let new: any ObjectStore
    private let found = Mutex<[NSManagedObjectID]?>(nil)

    init(from old: any ObjectStore, to new: any ObjectStore) {
        self.old = old
        self.new = new
        super.init(objects: [], count: 0)
    }

    required init(objects: UnsafePointer<AnyObject>?, count: Int) {
        fatalError("The IDs of migrated objects are made of their stores.")
    }

    required convenience init?(coder: NSCoder) { nil }

    required convenience init(arrayLiteral elements: Any...) {
        fatalError("The IDs of migrated objects are made of their stores.")
    }

    private var ids: [NSManagedObjectID] {
        found.withLock { found in
            if let found { return found }
            let ids = read()
            found = ids
            return ids
        }
    }

    private func read() -> [NSManagedObjectID] {
        var ids: [NSManagedObjectID] = []
        do {
            for root in new.homes where root.entity.superentity == nil {
                for (number, reference) in try new.keys(for: FetchQuery(home: root)) {
                    guard let home = new.home(number: number) else { continue }
                    ids.append(NSManagedObjectID(home: formerHome(home), reference: reference))
                    ids.append(NSManagedObjectID(home: home, reference: reference))
                }
            }
        } catch {
            Log.store.error("The IDs of the migrated store cannot be read: \(error.localizedDescription)")
        }
        return ids
    }

    private var formerHomes: [Int32: StoredEntity] = [:]

    /// The entity as it was at home in the former store: the present ones have moved to the new one.
    private func formerHome(_ home: StoredEntity) -> StoredEntity {
        if let made = formerHomes[home.entityNumber] { return made }
        let made = StoredEntity(
            layout: home.layout, store: old, entityNumber: home.entityNumber, table: StoredEntity.newTable())
        formerHomes[home.entityNumber] = made
        return made
    }

    override var count: Int { ids.count }

    override func object(at index: Int) -> Any { ids[index] }
}
