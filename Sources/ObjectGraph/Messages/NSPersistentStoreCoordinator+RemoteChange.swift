import Foundation

extension NSPersistentStoreCoordinator {
    package func postRemoteChange(_ store: NSPersistentStore, historyNumber: Int64?) {
        guard store.postsRemoteChanges else { return }
        var userInfo: [AnyHashable: Any] = [:]
        userInfo[NSPersistentStoreURLKey] = store.url
        userInfo[NSStoreUUIDKey] = store.identifier
        if let historyNumber, let identifier = store.identifier {
            userInfo[NSPersistentHistoryTokenKey] = NSPersistentHistoryToken([identifier: historyNumber])
        }
        let notification = Notification(
            name: .NSPersistentStoreRemoteChange, object: self, userInfo: userInfo)
        NotificationCenter.default.post(notification)
        if let message = RemoteChangeMessage.makeMessage(notification) {
            NotificationCenter.default.post(message, subject: self)
        }
    }
}
