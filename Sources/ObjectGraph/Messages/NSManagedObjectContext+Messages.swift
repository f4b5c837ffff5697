import Foundation

// What contexts report as typed messages. One that has objects carries the changes, and makes a set of them when it is read.

extension NSManagedObjectContext {
    /// A context of the main queue is about to save.
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

    /// A context of the main queue has saved.
    public struct DidSaveMessage: NotificationCenter.MainActorMessage {
        /// Whose message it is.
        public typealias Subject = NSManagedObjectContext

        /// The name of the notification that reports the same.
        public static var name: Notification.Name { .NSManagedObjectContextDidSave }

        /// The context.
        public let context: NSManagedObjectContext
        /// The place of the save in the histories of the stores; nil where none has one.
        public let historyToken: NSPersistentHistoryToken?
        /// What the context reads, if it is pinned.
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

    /// Objects of a context of the main queue have changed.
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
