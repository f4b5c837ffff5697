import Foundation

// What contexts report with the IDs of objects.

extension NSManagedObjectContext {
    /// A context of the main queue has saved; the objects are named by their IDs.
    public struct DidSaveObjectIDsMessage: NotificationCenter.MainActorMessage, _ObjectIDMessage {
        /// Whose message it is.
        public typealias Subject = NSManagedObjectContext

        /// The name of the notification that reports the same.
        public static var name: Notification.Name { .NSManagedObjectContextDidSaveObjectIDs }

        /// What is reported.
        public let _event: _ObjectIDEvent

        /// Makes a message of what is reported.
        public init(_event: _ObjectIDEvent) { self._event = _event }
    }

    /// A context of a private queue has saved; the objects are named by their IDs.
    public struct DidSaveObjectIDsAsyncMessage: NotificationCenter.AsyncMessage, _ObjectIDMessage {
        /// Whose message it is.
        public typealias Subject = NSManagedObjectContext

        /// The name of the notification that reports the same.
        public static var name: Notification.Name { .NSManagedObjectContextDidSaveObjectIDs }

        /// What is reported.
        public let _event: _ObjectIDEvent

        /// Makes a message of what is reported.
        public init(_event: _ObjectIDEvent) { self._event = _event }
    }

    /// A context of the main queue has merged what others saved.
    public struct DidMergeChangesMessage: NotificationCenter.MainActorMessage, _ObjectIDMessage {
        /// Whose message it is.
        public typealias Subject = NSManagedObjectContext

        /// The name of the notification that reports the same.
        public static var name: Notification.Name { .NSManagedObjectContextDidMergeChangesObjectIDs }

        /// What is reported.
        public let _event: _ObjectIDEvent

        /// Makes a message of what is reported.
        public init(_event: _ObjectIDEvent) { self._event = _event }
    }

    /// A context of a private queue has merged what others saved.
    public struct DidMergeChangesAsyncMessage: NotificationCenter.AsyncMessage, _ObjectIDMessage {
        /// Whose message it is.
        public typealias Subject = NSManagedObjectContext

        /// The name of the notification that reports the same.
        public static var name: Notification.Name { .NSManagedObjectContextDidMergeChangesObjectIDs }

        /// What is reported.
        public let _event: _ObjectIDEvent

        /// Makes a message of what is reported.
        public init(_event: _ObjectIDEvent) { self._event = _event }
    }
}
