import Foundation

// What contexts report as typed messages. One that has objects carries the changes, and makes a set of them when it is read.

extension NSManagedObjectContext {
    /// The typed message before a save of a context of the main queue.
    ///
    /// ```swift
    /// let token = NotificationCenter.default.addObserver(of: context, for: .willSave) { message in
    ///     print(message.context.insertedObjects.count)
    /// }
    /// ```
    ///
    /// Keep the token for `removeObserver(_:)`. Messages are delivered on the main actor. `NSManagedObjectContextWillSave` is posted too;
    /// an observer of one form does not receive the other. Contexts of private queues post that alone.
    public struct WillSaveMessage: NotificationCenter.MainActorMessage {
        /// Whose message it is.
        public typealias Subject = NSManagedObjectContext

        /// The name of the notification that reports the same.
        public static var name: Notification.Name { .NSManagedObjectContextWillSave }

        /// The context.
        public let context: NSManagedObjectContext

        /// Makes a message of a notification; nil of one of another name or without a context.
        @MainActor public static func makeMessage(_ notification: Notification) -> WillSaveMessage? {
            contextOf(notification, name).map(WillSaveMessage.init)
        }

        /// Makes the notification that reports the same.
        @MainActor public static func makeNotification(_ message: WillSaveMessage) -> Notification {
            Notification(name: name, object: message.context)
        }
    }

    /// The typed message after a save of a context of the main queue, with the objects that were saved.
    ///
    /// ```swift
    /// let token = NotificationCenter.default.addObserver(of: context, for: .didSave) { message in
    ///     print(message.inserted.count, message.updated.count, message.deleted.count)
    /// }
    /// ```
    ///
    /// It is delivered on the main actor, where its objects may be used. The sets are made when they are read.
    /// `NSManagedObjectContextDidSave` is posted too; an observer of one form does not receive the other. For contexts of private queues
    /// see `DidSaveObjectIDsAsyncMessage`.
    public struct DidSaveMessage: NotificationCenter.MainActorMessage {
        /// Whose message it is.
        public typealias Subject = NSManagedObjectContext

        /// The name of the notification that reports the same.
        public static var name: Notification.Name { .NSManagedObjectContextDidSave }

        /// The context.
        public let context: NSManagedObjectContext
        /// The position of the save in the histories of the stores; nil where none has one.
        public let historyToken: NSPersistentHistoryToken?
        /// The query generation of a pinned context; nil of another.
        public let queryGeneration: NSQueryGenerationToken?
        private let changes: ContextChanges

        /// The objects that were inserted.
        public var inserted: Set<NSManagedObject> { Set(changes.inserted) }
        /// The objects that were changed.
        public var updated: Set<NSManagedObject> { Set(changes.updated) }
        /// The objects that were deleted.
        public var deleted: Set<NSManagedObject> { Set(changes.deleted) }

        init(_ context: NSManagedObjectContext, _ changes: ContextChanges, _ token: NSPersistentHistoryToken?)
        {
            self.context = context
            self.changes = changes
            historyToken = token
            queryGeneration = context.queryGenerationToken
        }

        /// Makes a message of a notification; nil of one of another name or without a context.
        @MainActor public static func makeMessage(_ notification: Notification) -> DidSaveMessage? {
            contextOf(notification, name).map { context in
                DidSaveMessage(
                    context, ContextChanges(userInfo: notification.userInfo ?? [:]),
                    notification.userInfo?[historyTokenKey] as? NSPersistentHistoryToken)
            }
        }

        /// Makes the notification that reports the same.
        @MainActor public static func makeNotification(_ message: DidSaveMessage) -> Notification {
            var userInfo = message.context.userInfo(message.changes)
            userInfo[historyTokenKey] = message.historyToken
            userInfo[NSManagedObjectContextQueryGenerationKey] = message.queryGeneration
            return Notification(name: name, object: message.context, userInfo: userInfo)
        }
    }

    /// The typed message of a context of the main queue whose objects were inserted, changed, deleted or refreshed.
    ///
    /// ```swift
    /// let token = NotificationCenter.default.addObserver(of: context, for: .objectsDidChange) { message in
    ///     if message.invalidatedAll == true { print("reset") } else { print(message.updated.count) }
    /// }
    /// ```
    ///
    /// It is posted when pending changes are processed: at the end of an event of the queue, before a save, and by
    /// `processPendingChanges()`. It is delivered on the main actor. `NSManagedObjectContextObjectsDidChange` is posted too; an observer
    /// of one form does not receive the other.
    public struct ObjectsDidChangeMessage: NotificationCenter.MainActorMessage {
        /// Whose message it is.
        public typealias Subject = NSManagedObjectContext

        /// The name of the notification that reports the same.
        public static var name: Notification.Name { .NSManagedObjectContextObjectsDidChange }

        /// The context.
        public let context: NSManagedObjectContext
        /// Whether the context has forgotten all its objects; nil if it has not.
        public let invalidatedAll: Bool?
        private let changes: ContextChanges

        /// The objects that were inserted.
        public var inserted: Set<NSManagedObject> { Set(changes.inserted) }
        /// The objects that were changed.
        public var updated: Set<NSManagedObject> { Set(changes.updated) }
        /// The objects that were deleted.
        public var deleted: Set<NSManagedObject> { Set(changes.deleted) }
        /// The objects that took new values without being changed.
        public var refreshed: Set<NSManagedObject> { Set(changes.refreshed) }
        /// Objects that are no longer valid: none, as under `NSInvalidatedObjectsKey`.
        public var invalidated: Set<NSManagedObject> { [] }

        init(_ context: NSManagedObjectContext, _ changes: ContextChanges) {
            self.context = context
            self.changes = changes
            invalidatedAll = changes.invalidatedAll ? true : nil
        }

        /// Makes a message of a notification; nil of one of another name or without a context.
        @MainActor public static func makeMessage(_ notification: Notification) -> ObjectsDidChangeMessage? {
            contextOf(notification, name).map { context in
                var changes = ContextChanges(userInfo: notification.userInfo ?? [:])
                changes.invalidatedIDs =
                    notification.userInfo?[NSInvalidatedAllObjectsKey] as? [NSManagedObjectID]
                return ObjectsDidChangeMessage(context, changes)
            }
        }

        /// Makes the notification that reports the same.
        @MainActor public static func makeNotification(_ message: ObjectsDidChangeMessage) -> Notification {
            var userInfo = message.context.userInfo(message.changes)
            userInfo[NSInvalidatedAllObjectsKey] = message.changes.invalidatedIDs
            return Notification(name: name, object: message.context, userInfo: userInfo)
        }
    }

    /// The `userInfo` key of the history token of a save.
    static let historyTokenKey = "newChangeToken"

    /// The context of a notification of a name.
    static func contextOf(_ notification: Notification, _ name: Notification.Name)
        -> NSManagedObjectContext?
    {
        notification.name == name ? notification.object as? NSManagedObjectContext : nil
    }
}
