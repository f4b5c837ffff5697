import Foundation

// What coordinators report as typed messages.

extension NSPersistentStoreCoordinator {
    /// The typed message of a coordinator to or from which stores were added, removed or migrated, when that was done on the main queue
    /// (identifier `.storesDidChange`).
    ///
    /// It is delivered on the main actor. What was done on another thread is reported by `StoresDidChangeAsyncMessage`: observe both.
    public struct StoresDidChangeMessage: NotificationCenter.MainActorMessage, _StoreChangeMessage {
        /// Whose message it is.
        public typealias Subject = NSPersistentStoreCoordinator

        /// The name of the notification that reports the same.
        public static var name: Notification.Name { .NSPersistentStoreCoordinatorStoresDidChange }

        /// What changed.
        public let _change: _StoreChange

        /// Makes a message of what changed.
        public init(_change: _StoreChange) { self._change = _change }
    }

    /// The typed message of a coordinator to or from which stores were added, removed or migrated, when that was done elsewhere than on
    /// the main queue (identifier `.storesDidChangeAsync`).
    ///
    /// Observers are called asynchronously, on any thread. What was done on the main queue is reported by `StoresDidChangeMessage`.
    public struct StoresDidChangeAsyncMessage: NotificationCenter.AsyncMessage, _StoreChangeMessage {
        /// Whose message it is.
        public typealias Subject = NSPersistentStoreCoordinator

        /// The name of the notification that reports the same.
        public static var name: Notification.Name { .NSPersistentStoreCoordinatorStoresDidChange }

        /// What changed.
        public let _change: _StoreChange

        /// Makes a message of what changed.
        public init(_change: _StoreChange) { self._change = _change }
    }

    /// The typed message of a coordinator one of whose stores was changed: by a save of its own contexts, or by another coordinator or
    /// process.
    ///
    /// ```swift
    /// let token = NotificationCenter.default.addObserver(of: coordinator, for: .remoteChange) { message in
    ///     print(message.storeURL.lastPathComponent, "has changed")
    /// }
    /// ```
    ///
    /// The store must have been added with `NSPersistentStoreRemoteChangeNotificationPostOptionKey`. Read the persistent history after the
    /// last token that you have handled to see what changed: what is committed in close succession is reported once. Observers are called
    /// asynchronously, on any thread.
    public struct RemoteChangeMessage: NotificationCenter.AsyncMessage {
        /// Whose message it is.
        public typealias Subject = NSPersistentStoreCoordinator

        /// The name of the notification that reports the same.
        public static var name: Notification.Name { .NSPersistentStoreRemoteChange }

        /// The coordinator.
        public let persistentStoreCoordinator: NSPersistentStoreCoordinator
        /// The identifier of the store.
        public let storeUUID: String
        /// Where the store is.
        public let storeURL: URL
        /// The position of the change in the history of the store; nil where it has none.
        public let historyToken: NSPersistentHistoryToken?

        /// Makes a message of a notification; nil of one of another name, or that names no coordinator or store.
        public static func makeMessage(_ notification: Notification) -> RemoteChangeMessage? {
            guard notification.name == name,
                let coordinator = notification.object as? NSPersistentStoreCoordinator,
                let identifier = notification.userInfo?[NSStoreUUIDKey] as? String,
                let url = notification.userInfo?[NSPersistentStoreURLKey] as? URL
            else { return nil }
            return RemoteChangeMessage(
                persistentStoreCoordinator: coordinator, storeUUID: identifier, storeURL: url,
                historyToken: notification.userInfo?[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken
            )
        }

        /// Makes the notification that reports the same.
        public static func makeNotification(_ message: RemoteChangeMessage) -> Notification {
            var userInfo: [AnyHashable: Any] = [
                NSStoreUUIDKey: message.storeUUID, NSPersistentStoreURLKey: message.storeURL,
            ]
            userInfo[NSPersistentHistoryTokenKey] = message.historyToken
            return Notification(name: name, object: message.persistentStoreCoordinator, userInfo: userInfo)
        }
    }

    /// Posts what changed among the stores, by name and as a message.
    func postStoresDidChange(_ userInfo: [AnyHashable: Any]) {
        NotificationCenter.default.post(
            name: .NSPersistentStoreCoordinatorStoresDidChange, object: self, userInfo: userInfo)
        let change = _StoreChange(self, userInfo)
        if MainQueue.isCurrent {
            MessagePosting.post(StoresDidChangeMessage(_change: change), of: self)
        } else {
            NotificationCenter.default.post(StoresDidChangeAsyncMessage(_change: change), subject: self)
        }
    }
}

/// What changed among the stores of a coordinator.
public struct _StoreChange: Sendable {
    fileprivate let coordinator: NSPersistentStoreCoordinator
    fileprivate let added: [NSPersistentStore]
    fileprivate let removed: [NSPersistentStore]
    fileprivate let replaced: (oldValue: NSPersistentStore, newValue: NSPersistentStore)?

    fileprivate init(_ coordinator: NSPersistentStoreCoordinator, _ userInfo: [AnyHashable: Any]) {
        self.coordinator = coordinator
        added = userInfo[NSAddedPersistentStoresKey] as? [NSPersistentStore] ?? []
        removed = userInfo[NSRemovedPersistentStoresKey] as? [NSPersistentStore] ?? []
        let list = userInfo[NSUUIDChangedPersistentStoresKey] as? [Any] ?? []
        let stores = list.prefix(2).compactMap { $0 as? NSPersistentStore }
        replaced = stores.count == 2 ? (stores[0], stores[1]) : nil
    }

    /// What notifications have; without the IDs of a migrated store's objects.
    fileprivate var userInfo: [AnyHashable: Any] {
        var userInfo: [AnyHashable: Any] = [:]
        if !added.isEmpty { userInfo[NSAddedPersistentStoresKey] = added }
        if !removed.isEmpty { userInfo[NSRemovedPersistentStoresKey] = removed }
        if let replaced {
            userInfo[NSUUIDChangedPersistentStoresKey] = [replaced.oldValue, replaced.newValue] as [Any]
        }
        return userInfo
    }
}

/// What the two messages have in common.
public protocol _StoreChangeMessage {
    /// What changed.
    var _change: _StoreChange { get }
    /// Makes a message of what changed.
    init(_change: _StoreChange)
}

extension _StoreChangeMessage {
    /// The coordinator.
    public var persistentStoreCoordinator: NSPersistentStoreCoordinator { _change.coordinator }
    /// The stores that were added.
    public var addedStores: [NSPersistentStore] { _change.added }
    /// The stores that were removed.
    public var removedStores: [NSPersistentStore] { _change.removed }
    /// The store that was migrated, and the one that has taken its place.
    public var uuidChangedStores: (oldValue: NSPersistentStore, newValue: NSPersistentStore)? {
        _change.replaced
    }

    fileprivate init?(_ notification: Notification) {
        guard notification.name == .NSPersistentStoreCoordinatorStoresDidChange,
            let coordinator = notification.object as? NSPersistentStoreCoordinator
        else { return nil }
        self.init(_change: _StoreChange(coordinator, notification.userInfo ?? [:]))
    }

    fileprivate var notification: Notification {
        Notification(
            name: .NSPersistentStoreCoordinatorStoresDidChange, object: _change.coordinator,
            userInfo: _change.userInfo)
    }
}

extension _StoreChangeMessage where Self: NotificationCenter.MainActorMessage {
    /// Makes a message of a notification; nil of one of another name or without a coordinator.
    @MainActor public static func makeMessage(_ notification: Notification) -> Self? { .init(notification) }

    /// Makes the notification that reports the same.
    @MainActor public static func makeNotification(_ message: Self) -> Notification { message.notification }
}

extension _StoreChangeMessage where Self: NotificationCenter.AsyncMessage {
    /// Makes a message of a notification; nil of one of another name or without a coordinator.
    public static func makeMessage(_ notification: Notification) -> Self? { .init(notification) }

    /// Makes the notification that reports the same.
    public static func makeNotification(_ message: Self) -> Notification { message.notification }
}
