import Foundation

/// What a context tells with IDs.
struct IDEvent {
    let context: NSManagedObjectContext
    let inserted: Set<NSManagedObjectID>
    let updated: Set<NSManagedObjectID>
    let deleted: Set<NSManagedObjectID>
    let refreshed: Set<NSManagedObjectID>
    let invalidated: Set<NSManagedObjectID>
    let historyToken: NSPersistentHistoryToken?
    let queryGeneration: NSQueryGenerationToken?

    /// - Parameter refreshed: the IDs under the key of refreshed ones.
    init(
        _ context: NSManagedObjectContext, _ changes: SavedChanges, refreshed: Set<NSManagedObjectID>,
        _ token: NSPersistentHistoryToken? = nil
    ) {
        self.context = context
        (inserted, updated, deleted) = (changes.inserted, changes.updated, changes.deleted)
        self.refreshed = refreshed
        invalidated = []
        historyToken = token
        queryGeneration = context.queryGenerationToken
    }

    init?(_ notification: Notification, _ name: Notification.Name) {
        guard let context = NSManagedObjectContext.contextOf(notification, name) else { return nil }
        let userInfo = notification.userInfo ?? [:]
        func ids(_ key: String) -> Set<NSManagedObjectID> { userInfo[key] as? Set<NSManagedObjectID> ?? [] }
        self.context = context
        (inserted, updated, deleted) = (
            ids(NSInsertedObjectIDsKey), ids(NSUpdatedObjectIDsKey), ids(NSDeletedObjectIDsKey)
        )
        (refreshed, invalidated) = (ids(NSRefreshedObjectIDsKey), ids(NSInvalidatedObjectIDsKey))
        historyToken = userInfo[NSManagedObjectContext.historyTokenKey] as? NSPersistentHistoryToken
        queryGeneration = userInfo[NSManagedObjectContextQueryGenerationKey] as? NSQueryGenerationToken
    }

    static func userInfo(
        _ inserted: Set<NSManagedObjectID>, _ updated: Set<NSManagedObjectID>,
        _ deleted: Set<NSManagedObjectID>,
        _ refreshed: Set<NSManagedObjectID>, _ invalidated: Set<NSManagedObjectID>,
        _ historyToken: NSPersistentHistoryToken?, _ queryGeneration: NSQueryGenerationToken?
    ) -> [AnyHashable: Any] {
        var userInfo: [AnyHashable: Any] = [:]
        for (key, ids) in [
            (NSInsertedObjectIDsKey, inserted), (NSUpdatedObjectIDsKey, updated),
            (NSDeletedObjectIDsKey, deleted), (NSRefreshedObjectIDsKey, refreshed),
            (NSInvalidatedObjectIDsKey, invalidated),
        ] where !ids.isEmpty { userInfo[key] = ids }
        userInfo[NSManagedObjectContext.historyTokenKey] = historyToken
        userInfo[NSManagedObjectContextQueryGenerationKey] = queryGeneration
        return userInfo
    }
}
