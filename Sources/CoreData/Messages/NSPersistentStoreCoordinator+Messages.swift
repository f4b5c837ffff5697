import Foundation

// What coordinators tell as typed messages.

extension NSPersistentStoreCoordinator {
    /// Stores of a coordinator were added or removed, or another one has taken a store's place, on the main queue.
    public struct StoresDidChangeMessage: NotificationCenter.MainActorMessage {
        /// Whose message it is.
        public typealias Subject = NSPersistentStoreCoordinator

        /// The name of the notification that tells the same.
        public static var name: Notification.Name { .NSPersistentStoreCoordinatorStoresDidChange }

        /// The coordinator.
        public let persistentStoreCoordinator: NSPersistentStoreCoordinator
        private let change: StoreChange

        /// The stores that were added.
        public var addedStores: [NSPersistentStore] { change.added }
        /// The stores that were removed.
        public var removedStores: [NSPersistentStore] { change.removed }
        /// The store that was migrated, and the one that has taken its place.
        public var uuidChangedStores: (oldValue: NSPersistentStore, newValue: NSPersistentStore)? {
            change.replaced
        }

        init(_ coordinator: NSPersistentStoreCoordinator, _ change: StoreChange) {
            persistentStoreCoordinator = coordinator
            self.change = change
        }

        /// Makes a message of a notification; nil of one of another name or without a coordinator.
        @MainActor public static func makeMessage(_ notification: Notification) -> StoresDidChangeMessage? {
            StoreChange.coordinator(notification).map { .init($0, StoreChange(notification.userInfo ?? [:])) }
        }

        /// Makes the notification that tells the same.
        @MainActor public static func makeNotification(_ message: StoresDidChangeMessage) -> Notification {
            Notification(
                name: name, object: message.persistentStoreCoordinator, userInfo: message.change.userInfo)
        }
    }

    /// Stores of a coordinator were added or removed, or another one has taken a store's place, elsewhere than on the main queue.
    public struct StoresDidChangeAsyncMessage: NotificationCenter.AsyncMessage {
        /// Whose message it is.
        public typealias Subject = NSPersistentStoreCoordinator

        /// The name of the notification that tells the same.
        public static var name: Notification.Name { .NSPersistentStoreCoordinatorStoresDidChange }

        /// The coordinator.
        public let persistentStoreCoordinator: NSPersistentStoreCoordinator
        private let change: StoreChange

        /// The stores that were added.
        public var addedStores: [NSPersistentStore] { change.added }
        /// The stores that were removed.
        public var removedStores: [NSPersistentStore] { change.removed }
        /// The store that was migrated, and the one that has taken its place.
        public var uuidChangedStores: (oldValue: NSPersistentStore, newValue: NSPersistentStore)? {
            change.replaced
        }

        init(_ coordinator: NSPersistentStoreCoordinator, _ change: StoreChange) {
            persistentStoreCoordinator = coordinator
            self.change = change
        }

        /// Makes a message of a notification; nil of one of another name or without a coordinator.
        public static func makeMessage(_ notification: Notification) -> StoresDidChangeAsyncMessage? {
            StoreChange.coordinator(notification).map { .init($0, StoreChange(notification.userInfo ?? [:])) }
        }

        /// Makes the notification that tells the same.
        public static func makeNotification(_ message: StoresDidChangeAsyncMessage) -> Notification {
            Notification(
                name: name, object: message.persistentStoreCoordinator, userInfo: message.change.userInfo)
        }
    }

    /// A store was changed; posted where `NSPersistentStoreRemoteChange` is.
    public struct RemoteChangeMessage: NotificationCenter.AsyncMessage {
        /// Whose message it is.
        public typealias Subject = NSPersistentStoreCoordinator

        /// The name of the notification that tells the same.
        public static var name: Notification.Name { .NSPersistentStoreRemoteChange }

        /// The coordinator.
        public let persistentStoreCoordinator: NSPersistentStoreCoordinator
        /// The identifier of the store.
        public let storeUUID: String
        /// Where the store is.
        public let storeURL: URL
        /// The place of the change in the history of the store; nil where it has none.
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

        /// Makes the notification that tells the same.
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
        let change = StoreChange(userInfo)
        if MainQueue.isCurrent {
            MessagePosting.post(StoresDidChangeMessage(self, change), of: self)
        } else {
            NotificationCenter.default.post(StoresDidChangeAsyncMessage(self, change), subject: self)
        }
    }
}

/// What changed among the stores of a coordinator.
struct StoreChange: Sendable {
    let added: [NSPersistentStore]
    let removed: [NSPersistentStore]
    let replaced: (oldValue: NSPersistentStore, newValue: NSPersistentStore)?

    init(_ userInfo: [AnyHashable: Any]) {
        added = userInfo[NSAddedPersistentStoresKey] as? [NSPersistentStore] ?? []
        removed = userInfo[NSRemovedPersistentStoresKey] as? [NSPersistentStore] ?? []
        let list = userInfo[NSUUIDChangedPersistentStoresKey] as? [Any] ?? []
        let stores = list.prefix(2).compactMap { $0 as? NSPersistentStore }
        replaced = stores.count == 2 ? (stores[0], stores[1]) : nil
    }

    static func coordinator(_ notification: Notification) -> NSPersistentStoreCoordinator? {
        notification.name == .NSPersistentStoreCoordinatorStoresDidChange
            ? notification.object as? NSPersistentStoreCoordinator : nil
    }

    /// What notifications have; without the IDs of a migrated store's objects.
    var userInfo: [AnyHashable: Any] {
        var userInfo: [AnyHashable: Any] = [:]
        if !added.isEmpty { userInfo[NSAddedPersistentStoresKey] = added }
        if !removed.isEmpty { userInfo[NSRemovedPersistentStoresKey] = removed }
        if let replaced {
            userInfo[NSUUIDChangedPersistentStoresKey] = [replaced.oldValue, replaced.newValue] as [Any]
        }
        return userInfo
    }
}
