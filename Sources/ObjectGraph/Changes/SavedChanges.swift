import Foundation

/// The changes of a save, as IDs, for other contexts.
struct SavedChanges: Sendable {
    private(set) var inserted: Set<NSManagedObjectID> = []
    private(set) var updated: Set<NSManagedObjectID> = []
    private(set) var deleted: Set<NSManagedObjectID> = []
    private(set) var refreshed: Set<NSManagedObjectID> = []

    init(
        inserted: Set<NSManagedObjectID>, updated: Set<NSManagedObjectID>, deleted: Set<NSManagedObjectID>,
        refreshed: Set<NSManagedObjectID>
    ) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
        self.refreshed = refreshed
    }

    /// The changes with more deletions.
    func deleting(_ ids: [NSManagedObjectID]) -> SavedChanges {
        var changes = self
        changes.deleted.formUnion(ids)
        return changes
    }

    /// The `userInfo` of a notification that a context saved.
    var userInfo: [AnyHashable: Any] { userInfo(refreshed: refreshed) }

    /// The `userInfo` of a notification that a context merged the changes, which refreshes what was updated: such IDs are under
    /// both keys.
    var mergedUserInfo: [AnyHashable: Any] { userInfo(refreshed: refreshed.union(updated)) }

    private func userInfo(refreshed: Set<NSManagedObjectID>) -> [AnyHashable: Any] {
        let lists = [
            (NSInsertedObjectIDsKey, inserted), (NSUpdatedObjectIDsKey, updated),
            (NSDeletedObjectIDsKey, deleted), (NSRefreshedObjectIDsKey, refreshed),
        ]
        return Dictionary(
            uniqueKeysWithValues: lists.filter { !$0.1.isEmpty }.map { (AnyHashable($0.0), $0.1 as Any) })
    }
}
