import Foundation

// What contexts report with the IDs of objects.

extension NSManagedObjectContext {
    /// The typed message after a save of a context of the main queue, with the IDs of the saved objects (identifier `.didSaveObjectIDs`).
    ///
    /// Choose it over `DidSaveMessage` to pass the IDs to another context or task. It is delivered on the main actor.
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

    /// The typed message after a save of a context of a private queue, with the IDs of the saved objects.
    ///
    /// ```swift
    /// for try await message in NotificationCenter.default.messages(
    ///     of: background, for: NSManagedObjectContext.DidSaveObjectIDsAsyncMessage.self)
    /// {
    ///     print(message.insertedIDs)
    /// }
    /// ```
    ///
    /// Observers, with the identifier `.didSaveObjectIDsAsync`, are called asynchronously, on any thread. Contexts of the main queue post
    /// `DidSaveObjectIDsMessage` instead.
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

    /// The typed message of a context of the main queue that has merged what another context, or another process, saved (identifier
    /// `.didMergeChanges`).
    ///
    /// It has the IDs of the objects that are affected, and is delivered on the main actor.
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

    /// The typed message of a context of a private queue that has merged what another context, or another process, saved (identifier
    /// `.didMergeChangesAsync`).
    ///
    /// It has the IDs of the objects that are affected. Observers are called asynchronously, on any thread.
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
