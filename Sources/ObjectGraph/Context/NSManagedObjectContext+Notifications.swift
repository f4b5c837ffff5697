import Foundation

extension NSNotification.Name {
    /// Posted by a context before it saves; no `userInfo`.
    public static let NSManagedObjectContextWillSave = NSNotification.Name(
        "NSManagedObjectContextWillSaveNotification")

    /// Posted by a context after it saved, also without changes; sets of objects under `NSInsertedObjectsKey` and its like, and,
    /// for stores with persistent history, the history token of what was written under "newChangeToken".
    public static let NSManagedObjectContextDidSave = NSNotification.Name(
        "NSManagedObjectContextDidSaveNotification")

    /// Posted by a context when an event's changes were processed; sets of objects under `NSInsertedObjectsKey`
    /// and its like.
    public static let NSManagedObjectContextObjectsDidChange = NSNotification.Name(
        "NSManagedObjectContextObjectsDidChangeNotification")

    /// Posted by a context after it saved; sets of object IDs under `NSInsertedObjectIDsKey` and its like.
    public static let NSManagedObjectContextDidSaveObjectIDs = NSNotification.Name(
        "NSManagedObjectContextDidSaveObjectIDsNotification")

    /// Posted by a context after it merged changes of others; sets of object IDs.
    public static let NSManagedObjectContextDidMergeChangesObjectIDs = NSNotification.Name(
        "NSManagedObjectContextDidMergeChangesObjectIDsNotification")
}

/// `userInfo` key: the inserted objects (`Set<NSManagedObject>`).
public let NSInsertedObjectsKey = "inserted"
/// `userInfo` key: the changed objects (`Set<NSManagedObject>`).
public let NSUpdatedObjectsKey = "updated"
/// `userInfo` key: the deleted objects (`Set<NSManagedObject>`).
public let NSDeletedObjectsKey = "deleted"
/// `userInfo` key: the objects that took new values without being changed (`Set<NSManagedObject>`).
public let NSRefreshedObjectsKey = "refreshed"
/// `userInfo` key: objects that are no longer valid (`Set<NSManagedObject>`).
public let NSInvalidatedObjectsKey = "invalidated"
/// `userInfo` key: that all objects are no longer valid (`[NSManagedObjectID]`).
public let NSInvalidatedAllObjectsKey = "invalidatedAll"
/// `userInfo` key: the IDs of inserted objects (`Set<NSManagedObjectID>`).
public let NSInsertedObjectIDsKey = "inserted_objectIDs"
/// `userInfo` key: the IDs of changed objects (`Set<NSManagedObjectID>`).
public let NSUpdatedObjectIDsKey = "updated_objectIDs"
/// `userInfo` key: the IDs of deleted objects (`Set<NSManagedObjectID>`).
public let NSDeletedObjectIDsKey = "deleted_objectIDs"
/// `userInfo` key: the IDs of refreshed objects (`Set<NSManagedObjectID>`).
public let NSRefreshedObjectIDsKey = "refreshed_objectIDs"
/// `userInfo` key: the IDs of invalidated objects (`Set<NSManagedObjectID>`).
public let NSInvalidatedObjectIDsKey = "invalidated_objectIDs"

extension NSManagedObjectContext {
    /// `NSManagedObjectContextWillSave`.
    public static let willSaveObjectsNotification = Notification.Name.NSManagedObjectContextWillSave
    /// `NSManagedObjectContextDidSave`.
    public static let didSaveObjectsNotification = Notification.Name.NSManagedObjectContextDidSave
    /// `NSManagedObjectContextObjectsDidChange`.
    public static let didChangeObjectsNotification = Notification.Name.NSManagedObjectContextObjectsDidChange
    /// `NSManagedObjectContextDidSaveObjectIDs`.
    public static let didSaveObjectIDsNotification = Notification.Name.NSManagedObjectContextDidSaveObjectIDs
    /// `NSManagedObjectContextDidMergeChangesObjectIDs`.
    public static let didMergeChangesObjectIDsNotification = Notification.Name
        .NSManagedObjectContextDidMergeChangesObjectIDs

    /// The keys of the notifications' `userInfo`, under the short names of Swift.
    ///
    /// ```swift
    /// let updated = notification.userInfo?[NSManagedObjectContext.NotificationKey.updatedObjects.rawValue]
    /// ```
    ///
    /// The raw value of each case is the constant that its comment names.
    public enum NotificationKey: String, Sendable {
        /// The key itself.
        public typealias RawValue = String

        /// `NSInsertedObjectsKey`.
        case insertedObjects = "inserted"
        /// `NSUpdatedObjectsKey`.
        case updatedObjects = "updated"
        /// `NSDeletedObjectsKey`.
        case deletedObjects = "deleted"
        /// `NSRefreshedObjectsKey`.
        case refreshedObjects = "refreshed"
        /// `NSInvalidatedObjectsKey`.
        case invalidatedObjects = "invalidated"
        /// `NSInvalidatedAllObjectsKey`.
        case invalidatedAllObjects = "invalidatedAll"
        /// `NSInsertedObjectIDsKey`.
        case insertedObjectIDs = "inserted_objectIDs"
        /// `NSUpdatedObjectIDsKey`.
        case updatedObjectIDs = "updated_objectIDs"
        /// `NSDeletedObjectIDsKey`.
        case deletedObjectIDs = "deleted_objectIDs"
        /// `NSRefreshedObjectIDsKey`.
        case refreshedObjectIDs = "refreshed_objectIDs"
        /// `NSInvalidatedObjectIDsKey`.
        case invalidatedObjectIDs = "invalidated_objectIDs"
        /// `NSManagedObjectContextQueryGenerationKey`.
        case queryGeneration = "NSManagedObjectContextQueryGenerationKey"
    }

    /// Notifies the listeners and posts `NSManagedObjectContextObjectsDidChange`.
    func post(_ changes: ContextChanges) {
        guard !changes.isEmpty else { return }
        listeners.notify(changes)
        LazyNotification.post(.NSManagedObjectContextObjectsDidChange, self) { [self] in
            var userInfo = userInfo(changes)
            userInfo[NSInvalidatedAllObjectsKey] = changes.invalidatedIDs
            return userInfo
        }
        post(ObjectsDidChangeMessage(self, changes))
    }

    /// The generation of a pinned context, for the notifications.
    var generationInfo: [AnyHashable: Any] {
        queryGenerationToken.map { [NSManagedObjectContextQueryGenerationKey: $0] } ?? [:]
    }

    func userInfo(_ changes: ContextChanges) -> [AnyHashable: Any] {
        var userInfo = generationInfo
        for (key, objects) in changes.byKey where !objects.isEmpty {
            userInfo[key] = session.sharedSets?.set(of: objects) ?? Set(objects)
        }
        return userInfo
    }
}

extension ContextChanges {
    /// The lists under the keys of the notifications.
    var byKey: [(key: String, objects: [NSManagedObject])] {
        [
            (NSInsertedObjectsKey, inserted), (NSUpdatedObjectsKey, updated),
            (NSDeletedObjectsKey, deleted), (NSRefreshedObjectsKey, refreshed),
        ]
    }
}
