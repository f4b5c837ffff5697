import CoreData
import Foundation

extension NSCoreDataCoreSpotlightDelegate {
    /// The typed message that a delegate posts when its index contains further changes of the store.
    ///
    /// ```swift
    /// let token = NotificationCenter.default.addObserver(of: delegate, for: .indexDidUpdate) { message in
    ///     print("indexed", message.storeUUID)
    /// }
    /// ```
    ///
    /// The notification `indexDidUpdateNotification` reports the same; an observer of one form does not receive the other. Observers are
    /// called asynchronously, on any thread.
    public struct IndexDidUpdateMessage: NotificationCenter.AsyncMessage {
        /// Whose message it is.
        public typealias Subject = NSCoreDataCoreSpotlightDelegate

        /// The name of the notification that reports the same.
        public static var name: Notification.Name { indexDidUpdateNotification }

        /// The identifier of the store.
        public let storeUUID: String
        /// How far the index has come in the history of the store; nil for a store without history.
        public let historyToken: NSPersistentHistoryToken?

        init(storeUUID: String, historyToken: NSPersistentHistoryToken?) {
            self.storeUUID = storeUUID
            self.historyToken = historyToken
        }

        /// Makes a message of a notification; nil of one of another name, or that names no store.
        public static func makeMessage(_ notification: Notification) -> IndexDidUpdateMessage? {
            guard notification.name == name,
                let identifier = notification.userInfo?[NSStoreUUIDKey] as? String
            else { return nil }
            return IndexDidUpdateMessage(
                storeUUID: identifier,
                historyToken: notification.userInfo?[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken
            )
        }

        /// Makes the notification that reports the same.
        public static func makeNotification(_ message: IndexDidUpdateMessage) -> Notification {
            var userInfo: [AnyHashable: Any] = [NSStoreUUIDKey: message.storeUUID]
            userInfo[NSPersistentHistoryTokenKey] = message.historyToken
            return Notification(name: name, object: nil, userInfo: userInfo)
        }
    }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<NSCoreDataCoreSpotlightDelegate.IndexDidUpdateMessage>
{
    /// An index has taken changes of its store.
    public static var indexDidUpdate:
        NotificationCenter.BaseMessageIdentifier<NSCoreDataCoreSpotlightDelegate.IndexDidUpdateMessage>
    { .init() }
}
