import Foundation

extension SavedChanges {
    /// - Parameter affected: objects whose derived attributes changed, whether the context has them or not.
    init(_ changes: ContextChanges, affected: [NSManagedObjectID]) {
        let inserted = SavedIDs.of(changes.inserted)
        let updated = SavedIDs.of(changes.updated)
        let deleted = SavedIDs.of(changes.deleted)
        let refreshed =
            affected.isEmpty
            ? SavedIDs.none
            : SavedIDs(
                Set(affected).subtracting(inserted.set).subtracting(updated.set).subtracting(deleted.set))
        self.init(inserted: inserted, updated: updated, deleted: deleted, refreshed: refreshed)
    }

    /// Reads the changes in a notification or a message, for a context of a coordinator.
    ///
    /// - Parameters:
    ///   - userInfo: arrays or sets of objects, of their IDs or of the URLs of these, under `NSInsertedObjectsKey` or
    ///     `NSInsertedObjectIDsKey` and their like. Stops with a message for a value of another type.
    ///   - coordinator: the coordinator whose IDs are used. Objects of stores that it does not have are left out.
    init(_ userInfo: [AnyHashable: Any], for coordinator: NSPersistentStoreCoordinator?) {
        var translation = coordinator.map(IdentityTranslation.init)
        func ids(_ keys: String...) -> Set<NSManagedObjectID> {
            var found: Set<NSManagedObjectID> = []
            for key in keys {
                for id in Self.ids(userInfo[key], key: key, coordinator) {
                    let own = translation == nil ? id : translation?.id(id)
                    if let own { found.insert(own) }
                }
            }
            return found
        }
        self.init(
            inserted: ids(NSInsertedObjectsKey, NSInsertedObjectIDsKey),
            updated: ids(NSUpdatedObjectsKey, NSUpdatedObjectIDsKey),
            deleted: ids(NSDeletedObjectsKey, NSDeletedObjectIDsKey),
            refreshed: ids(NSRefreshedObjectsKey, NSRefreshedObjectIDsKey))
    }

    private static func ids(
        _ value: Any?, key: String, _ coordinator: NSPersistentStoreCoordinator?
    ) -> [NSManagedObjectID] {
        switch value {
        case nil: []
        case let objects as Set<NSManagedObject>: objects.map(\.objectID)
        case let ids as Set<NSManagedObjectID>: Array(ids)
        case let array as [Any]: array.compactMap { id($0, coordinator) }
        case let set as Set<AnyHashable>: set.compactMap { id($0.base, coordinator) }
        case let array as NSArray: array.compactMap { id($0, coordinator) }
        case let set as NSSet: set.compactMap { id($0, coordinator) }
        case let other?:
            fatalError(
                """
                The value of '\(key)' must be an array or a set of objects, of NSManagedObjectIDs or of their URLs, not \
                a \(type(of: other)).
                """)
        }
    }

    private static func id(_ value: Any, _ coordinator: NSPersistentStoreCoordinator?) -> NSManagedObjectID? {
        switch value {
        case let object as NSManagedObject: return object.objectID
        case let id as NSManagedObjectID: return id
        case let url as URL: return coordinator?.managedObjectID(forURIRepresentation: url)
        case let url as NSURL: return coordinator?.managedObjectID(forURIRepresentation: url as URL)
        default:
            fatalError(
                "Changes are given as objects, NSManagedObjectIDs or their URLs, not as a \(type(of: value))."
            )
        }
    }
}
