import CoreData
import Foundation
import OpenCombine

/// The IDs of the objects that one save of a context inserted, changed and deleted.
///
/// `NSManagedObjectContext.saves` publishes one for each save:
///
/// ```swift
/// let saves = context.saves.sink { print($0.inserted.count, "new objects") }
/// ```
///
/// It has IDs instead of objects, so it can be passed to any thread.
public struct SavedObjectIDs: Sendable, Equatable {
    /// The inserted objects.
    public let inserted: Set<NSManagedObjectID>
    /// The changed objects.
    public let updated: Set<NSManagedObjectID>
    /// The deleted objects.
    public let deleted: Set<NSManagedObjectID>

    /// Reads a `NSManagedObjectContextDidSaveObjectIDs` notification.
    public init(_ notification: Notification) {
        func ids(_ key: String) -> Set<NSManagedObjectID> {
            notification.userInfo?[key] as? Set<NSManagedObjectID> ?? []
        }
        inserted = ids(NSInsertedObjectIDsKey)
        updated = ids(NSUpdatedObjectIDsKey)
        deleted = ids(NSDeletedObjectIDsKey)
    }
}

extension NSManagedObjectContext {
    /// The notifications of a name that this context posts: `didSaveObjectsNotification` and its like.
    ///
    /// They come on the context's queue, while they are posted; those that the subscriber did not ask for are dropped.
    public func publisher(for name: Notification.Name) -> ContextNotificationPublisher {
        ContextNotificationPublisher(context: self, name: name)
    }

    /// What this context saves, save by save.
    public var saves: Publishers.Map<ContextNotificationPublisher, SavedObjectIDs> {
        publisher(for: .NSManagedObjectContextDidSaveObjectIDs).map(SavedObjectIDs.init)
    }
}

/// Publishes the notifications of one name that a context posts, such as `didSaveObjectsNotification`.
///
/// `NSManagedObjectContext.publisher(for:)` makes it. Values come on the context's queue, while the notification is posted; a notification
/// that the subscriber has not asked for is dropped. A subscription does not retain the context, and never completes.
public struct ContextNotificationPublisher: Publisher {
    /// What is published.
    public typealias Output = Notification
    /// It does not fail.
    public typealias Failure = Never

    /// The context.
    public let context: NSManagedObjectContext
    /// The name of the notifications.
    public let name: Notification.Name

    /// Begins to listen.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Notification, Downstream.Failure == Never {
        let subscription = DemandedSubscription(subscriber, keepsLatest: false)
        subscriber.receive(subscription: subscription)
        let offer = { [weak subscription] (notification: Notification) -> Void in
            subscription?.offer(notification)
        }
        let token = NotificationCenter.default.addObserver(
            forName: name, object: context, queue: nil, using: Listener(receive: offer).receiveNotification)
        subscription.onEnd { NotificationCenter.default.removeObserver(token) }
    }
}

/// Called by the notification center on the queue of the context, which posts.
private struct Listener: @unchecked Sendable {
    let receive: (Notification) -> Void

    @Sendable func receiveNotification(_ notification: Notification) { receive(notification) }
}
