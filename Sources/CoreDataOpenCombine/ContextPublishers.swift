import CoreData
import Foundation
import OpenCombine

/// The IDs of what a context saved.
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

/// Publishes notifications of a context. A subscription does not keep the context.
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
