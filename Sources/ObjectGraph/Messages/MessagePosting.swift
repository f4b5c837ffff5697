import Foundation

// Typed notifications go beside those with names: on Linux Foundation keeps the two apart, so each event is posted in both forms,
// and no observer gets it twice.

enum MessagePosting {
    /// Posts a message for the main actor. What runs on behalf of the main queue on another thread, while that queue waits, has it
    /// posted when the queue comes round.
    static func post<Message: NotificationCenter.MainActorMessage>(
        _ message: Message, of subject: Message.Subject
    )
    where Message.Subject: AnyObject & Sendable {
        let message = Transfer(message)
        if MainQueue.isCurrent {
            MainActor.assumeIsolated { NotificationCenter.default.post(message.value, subject: subject) }
        } else {
            DispatchQueue.main.async { NotificationCenter.default.post(message.value, subject: subject) }
        }
    }
}

extension NSManagedObjectContext {
    /// Posts a message of a context of the main queue; other contexts have none of this form.
    func post<Message: NotificationCenter.MainActorMessage>(_ message: @autoclosure () -> Message)
    where Message.Subject == NSManagedObjectContext {
        guard concurrencyType == .mainQueueConcurrencyType else { return }
        MessagePosting.post(message(), of: self)
    }

    /// Posts a message of a context of a private queue.
    func post<Message: NotificationCenter.AsyncMessage>(_ message: @autoclosure () -> Message)
    where Message.Subject == NSManagedObjectContext {
        guard concurrencyType != .mainQueueConcurrencyType else { return }
        NotificationCenter.default.post(message(), subject: self)
    }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<NSManagedObjectContext.WillSaveMessage> {
    /// A context of the main queue is about to save.
    public static var willSave: Self { .init() }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<NSManagedObjectContext.DidSaveMessage> {
    /// A context of the main queue has saved.
    public static var didSave: Self { .init() }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<NSManagedObjectContext.ObjectsDidChangeMessage> {
    /// Objects of a context of the main queue have changed.
    public static var objectsDidChange: Self { .init() }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<NSManagedObjectContext.DidSaveObjectIDsMessage> {
    /// A context of the main queue has saved; the objects are named by their IDs.
    public static var didSaveObjectIDs: Self { .init() }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<NSManagedObjectContext.DidSaveObjectIDsAsyncMessage> {
    /// A context of a private queue has saved; the objects are named by their IDs.
    public static var didSaveObjectIDsAsync: Self { .init() }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<NSManagedObjectContext.DidMergeChangesMessage> {
    /// A context of the main queue has merged what others saved.
    public static var didMergeChanges: Self { .init() }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<NSManagedObjectContext.DidMergeChangesAsyncMessage> {
    /// A context of a private queue has merged what others saved.
    public static var didMergeChangesAsync: Self { .init() }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<NSPersistentStoreCoordinator.StoresDidChangeMessage> {
    /// Stores were added or removed, or another one has taken a store's place, on the main queue.
    public static var storesDidChange: Self { .init() }
}

extension NotificationCenter.MessageIdentifier
where
    Self == NotificationCenter.BaseMessageIdentifier<NSPersistentStoreCoordinator.StoresDidChangeAsyncMessage>
{
    /// Stores were added or removed, or another one has taken a store's place, elsewhere than on the main queue.
    public static var storesDidChangeAsync: Self { .init() }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<NSPersistentStoreCoordinator.RemoteChangeMessage> {
    /// A store was changed; see `NSPersistentStoreRemoteChangeNotificationPostOptionKey`.
    public static var remoteChange: Self { .init() }
}
