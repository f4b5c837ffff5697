import Foundation

/// What a context reports with IDs.
public struct _ObjectIDEvent: Sendable {
    let context: NSManagedObjectContext
    private let changes: SavedChanges
    /// Whether a context has merged the changes: what was updated is refreshed too.
    private let isMerge: Bool
    let invalidated: Set<NSManagedObjectID>
    let historyToken: NSPersistentHistoryToken?
    let queryGeneration: NSQueryGenerationToken?

    var inserted: Set<NSManagedObjectID> { changes.inserted }
    var updated: Set<NSManagedObjectID> { changes.updated }
    var deleted: Set<NSManagedObjectID> { changes.deleted }
    var refreshed: Set<NSManagedObjectID> { isMerge ? changes.refreshedByMerge : changes.refreshed }

    /// - Parameter isMerge: whether the context has merged the changes.
    init(
        _ context: NSManagedObjectContext, _ changes: SavedChanges, isMerge: Bool = false,
        _ token: NSPersistentHistoryToken? = nil
    ) {
        self.context = context
        self.changes = changes
        self.isMerge = isMerge
        invalidated = []
        historyToken = token
        queryGeneration = context.queryGenerationToken
    }

    init?(_ notification: Notification, _ name: Notification.Name) {
        guard let context = NSManagedObjectContext.contextOf(notification, name) else { return nil }
        let userInfo = notification.userInfo ?? [:]
        func ids(_ key: String) -> Set<NSManagedObjectID> { userInfo[key] as? Set<NSManagedObjectID> ?? [] }
        self.context = context
        changes = SavedChanges(
            inserted: ids(NSInsertedObjectIDsKey), updated: ids(NSUpdatedObjectIDsKey),
            deleted: ids(NSDeletedObjectIDsKey), refreshed: ids(NSRefreshedObjectIDsKey))
        isMerge = false
        invalidated = ids(NSInvalidatedObjectIDsKey)
        historyToken = userInfo[NSManagedObjectContext.historyTokenKey] as? NSPersistentHistoryToken
        queryGeneration = userInfo[NSManagedObjectContextQueryGenerationKey] as? NSQueryGenerationToken
    }

    /// What notifications have.
    var userInfo: [AnyHashable: Any] {
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

/// What the messages of contexts have in common that name objects by their IDs.
public protocol _ObjectIDMessage {
    /// The name of the notification that reports the same.
    static var name: Notification.Name { get }
    /// What is reported.
    var _event: _ObjectIDEvent { get }
    /// Makes a message of what is reported.
    init(_event: _ObjectIDEvent)
}

extension _ObjectIDMessage {
    /// The context.
    public var context: NSManagedObjectContext { _event.context }
    /// The IDs of objects that were inserted.
    public var insertedIDs: Set<NSManagedObjectID> { _event.inserted }
    /// The IDs of objects that were changed.
    public var updatedIDs: Set<NSManagedObjectID> { _event.updated }
    /// The IDs of objects that were deleted.
    public var deletedIDs: Set<NSManagedObjectID> { _event.deleted }
    /// The IDs of objects that took new values: of a save those whose derived attributes it has changed, of a merge the changed
    /// objects among them.
    public var refreshedIDs: Set<NSManagedObjectID> { _event.refreshed }
    /// The IDs of objects that are no longer valid: none.
    public var invalidatedIDs: Set<NSManagedObjectID> { _event.invalidated }
    /// The position of the save in the histories of the stores; nil where none has one, and of a merge.
    public var historyToken: NSPersistentHistoryToken? { _event.historyToken }
    /// The query generation of a pinned context; nil of another.
    public var queryGeneration: NSQueryGenerationToken? { _event.queryGeneration }

    fileprivate init?(_ notification: Notification) {
        guard let event = _ObjectIDEvent(notification, Self.name) else { return nil }
        self.init(_event: event)
    }

    fileprivate var notification: Notification {
        Notification(name: Self.name, object: context, userInfo: _event.userInfo)
    }
}

extension _ObjectIDMessage where Self: NotificationCenter.MainActorMessage {
    /// Makes a message of a notification; nil of one of another name or without a context.
    @MainActor public static func makeMessage(_ notification: Notification) -> Self? { .init(notification) }

    /// Makes the notification that reports the same.
    @MainActor public static func makeNotification(_ message: Self) -> Notification { message.notification }
}

extension _ObjectIDMessage where Self: NotificationCenter.AsyncMessage {
    /// Makes a message of a notification; nil of one of another name or without a context.
    public static func makeMessage(_ notification: Notification) -> Self? { .init(notification) }

    /// Makes the notification that reports the same.
    public static func makeNotification(_ message: Self) -> Notification { message.notification }
}
