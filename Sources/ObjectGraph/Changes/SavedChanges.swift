import Foundation

/// The changes of a save, as IDs, for other contexts. The sets are made when they are read.
struct SavedChanges: Sendable {
    private let insertedIDs: SavedIDs
    private let updatedIDs: SavedIDs
    private let deletedIDs: SavedIDs
    private let refreshedIDs: SavedIDs

    var inserted: Set<NSManagedObjectID> { insertedIDs.set }
    var updated: Set<NSManagedObjectID> { updatedIDs.set }
    var deleted: Set<NSManagedObjectID> { deletedIDs.set }
    var refreshed: Set<NSManagedObjectID> { refreshedIDs.set }

    init(inserted: SavedIDs, updated: SavedIDs, deleted: SavedIDs, refreshed: SavedIDs) {
        insertedIDs = inserted
        updatedIDs = updated
        deletedIDs = deleted
        refreshedIDs = refreshed
    }

    init(
        inserted: Set<NSManagedObjectID>, updated: Set<NSManagedObjectID>, deleted: Set<NSManagedObjectID>,
        refreshed: Set<NSManagedObjectID>
    ) {
        self.init(
            inserted: SavedIDs(inserted), updated: SavedIDs(updated), deleted: SavedIDs(deleted),
            refreshed: SavedIDs(refreshed))
    }

    /// The changes with more deletions.
    func deleting(_ ids: [NSManagedObjectID]) -> SavedChanges {
        guard !ids.isEmpty else { return self }
        return SavedChanges(
            inserted: insertedIDs, updated: updatedIDs, deleted: SavedIDs(deleted.union(ids)),
            refreshed: refreshedIDs)
    }

    /// The `userInfo` of a notification that a context saved.
    var userInfo: [AnyHashable: Any] { userInfo(refreshed: refreshedIDs) }

    /// The `userInfo` of a notification that a context merged the changes, which refreshes what was updated: such IDs are under
    /// both keys.
    var mergedUserInfo: [AnyHashable: Any] { userInfo(refreshed: SavedIDs(refreshedByMerge)) }

    /// What a context that merges the changes refreshes.
    var refreshedByMerge: Set<NSManagedObjectID> {
        updatedIDs.isEmpty ? refreshed : refreshed.union(updated)
    }

    private func userInfo(refreshed: SavedIDs) -> [AnyHashable: Any] {
        let lists = [
            (NSInsertedObjectIDsKey, insertedIDs), (NSUpdatedObjectIDsKey, updatedIDs),
            (NSDeletedObjectIDsKey, deletedIDs), (NSRefreshedObjectIDsKey, refreshed),
        ]
        return Dictionary(
            uniqueKeysWithValues: lists.filter { !$0.1.isEmpty }.map { (AnyHashable($0.0), $0.1.set as Any) })
    }
}
