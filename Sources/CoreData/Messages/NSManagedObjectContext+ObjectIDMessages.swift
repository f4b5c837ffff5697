import Foundation

// What contexts tell with the IDs of objects.

extension NSManagedObjectContext {
    /// A context of the main queue has saved; told with the IDs of objects.
    public struct DidSaveObjectIDsMessage: NotificationCenter.MainActorMessage {
        /// Whose message it is.
        public typealias Subject = NSManagedObjectContext

        /// The name of the notification that tells the same.
        public static var name: Notification.Name { .NSManagedObjectContextDidSaveObjectIDs }

        /// The context.
        public let context: NSManagedObjectContext
        /// The IDs of objects that were inserted.
        public let insertedIDs: Set<NSManagedObjectID>
        /// The IDs of objects that were changed.
        public let updatedIDs: Set<NSManagedObjectID>
        /// The IDs of objects that were deleted.
        public let deletedIDs: Set<NSManagedObjectID>
        /// The IDs of objects whose derived attributes the save has changed.
        public let refreshedIDs: Set<NSManagedObjectID>
        /// The IDs of objects that are no longer valid: none.
        public let invalidatedIDs: Set<NSManagedObjectID>
        /// The place of the save in the histories of the stores; nil where none has one.
        public let historyToken: NSPersistentHistoryToken?
        /// What the context reads, if it is pinned.
        public let queryGeneration: NSQueryGenerationToken?

        init(_ event: IDEvent) {
            (context, historyToken, queryGeneration) = (
                event.context, event.historyToken, event.queryGeneration
            )
            (insertedIDs, updatedIDs, deletedIDs) = (event.inserted, event.updated, event.deleted)
            (refreshedIDs, invalidatedIDs) = (event.refreshed, event.invalidated)
        }

        /// Makes a message of a notification; nil of one of another name or without a context.
        @MainActor public static func makeMessage(_ notification: Notification) -> DidSaveObjectIDsMessage? {
            IDEvent(notification, name).map(DidSaveObjectIDsMessage.init)
        }

        /// Makes the notification that tells the same.
        @MainActor public static func makeNotification(_ message: DidSaveObjectIDsMessage) -> Notification {
            Notification(
                name: name, object: message.context,
                userInfo: IDEvent.userInfo(
                    message.insertedIDs, message.updatedIDs, message.deletedIDs, message.refreshedIDs,
                    message.invalidatedIDs, message.historyToken, message.queryGeneration))
        }
    }

    /// A context of a private queue has saved; told with the IDs of objects.
    public struct DidSaveObjectIDsAsyncMessage: NotificationCenter.AsyncMessage {
        /// Whose message it is.
        public typealias Subject = NSManagedObjectContext

        /// The name of the notification that tells the same.
        public static var name: Notification.Name { .NSManagedObjectContextDidSaveObjectIDs }

        /// The context.
        public let context: NSManagedObjectContext
        /// The IDs of objects that were inserted.
        public let insertedIDs: Set<NSManagedObjectID>
        /// The IDs of objects that were changed.
        public let updatedIDs: Set<NSManagedObjectID>
        /// The IDs of objects that were deleted.
        public let deletedIDs: Set<NSManagedObjectID>
        /// The IDs of objects whose derived attributes the save has changed.
        public let refreshedIDs: Set<NSManagedObjectID>
        /// The IDs of objects that are no longer valid: none.
        public let invalidatedIDs: Set<NSManagedObjectID>
        /// The place of the save in the histories of the stores; nil where none has one.
        public let historyToken: NSPersistentHistoryToken?
        /// What the context reads, if it is pinned.
        public let queryGeneration: NSQueryGenerationToken?

        init(_ event: IDEvent) {
            (context, historyToken, queryGeneration) = (
                event.context, event.historyToken, event.queryGeneration
            )
            (insertedIDs, updatedIDs, deletedIDs) = (event.inserted, event.updated, event.deleted)
            (refreshedIDs, invalidatedIDs) = (event.refreshed, event.invalidated)
        }

        /// Makes a message of a notification; nil of one of another name or without a context.
        public static func makeMessage(_ notification: Notification) -> DidSaveObjectIDsAsyncMessage? {
            IDEvent(notification, name).map(DidSaveObjectIDsAsyncMessage.init)
        }

        /// Makes the notification that tells the same.
        public static func makeNotification(_ message: DidSaveObjectIDsAsyncMessage) -> Notification {
            Notification(
                name: name, object: message.context,
                userInfo: IDEvent.userInfo(
                    message.insertedIDs, message.updatedIDs, message.deletedIDs, message.refreshedIDs,
                    message.invalidatedIDs, message.historyToken, message.queryGeneration))
        }
    }

    /// A context of the main queue has merged what others saved.
    public struct DidMergeChangesMessage: NotificationCenter.MainActorMessage {
        /// Whose message it is.
        public typealias Subject = NSManagedObjectContext

        /// The name of the notification that tells the same.
        public static var name: Notification.Name { .NSManagedObjectContextDidMergeChangesObjectIDs }

        /// The context.
        public let context: NSManagedObjectContext
        /// The IDs of objects that were inserted.
        public let insertedIDs: Set<NSManagedObjectID>
        /// The IDs of objects that were changed.
        public let updatedIDs: Set<NSManagedObjectID>
        /// The IDs of objects that were deleted.
        public let deletedIDs: Set<NSManagedObjectID>
        /// The IDs of objects that took new values, changed ones among them.
        public let refreshedIDs: Set<NSManagedObjectID>
        /// The IDs of objects that are no longer valid: none.
        public let invalidatedIDs: Set<NSManagedObjectID>
        /// The place in the histories of the stores; nil where the notification has none.
        public let historyToken: NSPersistentHistoryToken?
        /// What the context reads, if it is pinned.
        public let queryGeneration: NSQueryGenerationToken?

        init(_ event: IDEvent) {
            (context, historyToken, queryGeneration) = (
                event.context, event.historyToken, event.queryGeneration
            )
            (insertedIDs, updatedIDs, deletedIDs) = (event.inserted, event.updated, event.deleted)
            (refreshedIDs, invalidatedIDs) = (event.refreshed, event.invalidated)
        }

        /// Makes a message of a notification; nil of one of another name or without a context.
        @MainActor public static func makeMessage(_ notification: Notification) -> DidMergeChangesMessage? {
            IDEvent(notification, name).map(DidMergeChangesMessage.init)
        }

        /// Makes the notification that tells the same.
        @MainActor public static func makeNotification(_ message: DidMergeChangesMessage) -> Notification {
            Notification(
                name: name, object: message.context,
                userInfo: IDEvent.userInfo(
                    message.insertedIDs, message.updatedIDs, message.deletedIDs, message.refreshedIDs,
                    message.invalidatedIDs, message.historyToken, message.queryGeneration))
        }
    }

    /// A context of a private queue has merged what others saved.
    public struct DidMergeChangesAsyncMessage: NotificationCenter.AsyncMessage {
        /// Whose message it is.
        public typealias Subject = NSManagedObjectContext

        /// The name of the notification that tells the same.
        public static var name: Notification.Name { .NSManagedObjectContextDidMergeChangesObjectIDs }

        /// The context.
        public let context: NSManagedObjectContext
        /// The IDs of objects that were inserted.
        public let insertedIDs: Set<NSManagedObjectID>
        /// The IDs of objects that were changed.
        public let updatedIDs: Set<NSManagedObjectID>
        /// The IDs of objects that were deleted.
        public let deletedIDs: Set<NSManagedObjectID>
        /// The IDs of objects that took new values, changed ones among them.
        public let refreshedIDs: Set<NSManagedObjectID>
        /// The IDs of objects that are no longer valid: none.
        public let invalidatedIDs: Set<NSManagedObjectID>
        /// The place in the histories of the stores; nil where the notification has none.
        public let historyToken: NSPersistentHistoryToken?
        /// What the context reads, if it is pinned.
        public let queryGeneration: NSQueryGenerationToken?

        init(_ event: IDEvent) {
            (context, historyToken, queryGeneration) = (
                event.context, event.historyToken, event.queryGeneration
            )
            (insertedIDs, updatedIDs, deletedIDs) = (event.inserted, event.updated, event.deleted)
            (refreshedIDs, invalidatedIDs) = (event.refreshed, event.invalidated)
        }

        /// Makes a message of a notification; nil of one of another name or without a context.
        public static func makeMessage(_ notification: Notification) -> DidMergeChangesAsyncMessage? {
            IDEvent(notification, name).map(DidMergeChangesAsyncMessage.init)
        }

        /// Makes the notification that tells the same.
        public static func makeNotification(_ message: DidMergeChangesAsyncMessage) -> Notification {
            Notification(
                name: name, object: message.context,
                userInfo: IDEvent.userInfo(
                    message.insertedIDs, message.updatedIDs, message.deletedIDs, message.refreshedIDs,
                    message.invalidatedIDs, message.historyToken, message.queryGeneration))
        }
    }
}
