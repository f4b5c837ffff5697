import Foundation

/// Option key: keep persistent history (`Bool`): each save records its changes and their author.
///
/// A store that has history and is added without the option is opened for reading only, as Apple's framework does:
/// a save without history would leave a gap that its readers could not see.
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"

/// Option key: post `NSPersistentStoreRemoteChange` when the store was changed (`Bool`): by a save or a batch request of this
/// coordinator, or, in a SQLite file, by others: other coordinators of the program, and other programs, whatever they did.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey =
    "NSPersistentStoreRemoteChangeNotificationOptionKey"

/// Notification `userInfo` key: the history token (`NSPersistentHistoryToken`) after a save.
public let NSPersistentHistoryTokenKey = "historyToken"

/// Notification `userInfo` key: the location of the store (`URL`).
public let NSPersistentStoreURLKey = "storeURL"

extension NSNotification.Name {
    /// Posted by a coordinator when a store was changed that was added with
    /// `NSPersistentStoreRemoteChangeNotificationPostOptionKey`: on the queue of the context that has saved, or, for changes of
    /// others, on a queue of the framework's. What others commit in close succession is reported once. The kernel watches the
    /// file; it is not polled while nothing is written to it. Where it cannot be watched it is polled once a second.
    ///
    /// The `userInfo` has `NSPersistentStoreURLKey`, `NSStoreUUIDKey` and, with history,
    /// `NSPersistentHistoryTokenKey`.
    public static let NSPersistentStoreRemoteChange = NSNotification.Name(
        "NSPersistentStoreRemoteChangeNotification")
}

/// What an `NSPersistentHistoryChangeRequest` returns, and with it the type of `NSPersistentHistoryResult.result`. The default depends on
/// the request. The raw values are Apple's.
public enum NSPersistentHistoryResultType: Int, Sendable {
    /// Whether it succeeded (`Bool`).
    case statusOnly = 0
    /// The IDs (`[NSManagedObjectID]`) of the changed objects, each once.
    case objectIDs = 1
    /// The number (`Int`) of transactions; of a request for changes, that of changes.
    case count = 2
    /// The transactions (`[NSPersistentHistoryTransaction]`) without their changes.
    case transactionsOnly = 3
    /// The changes (`[NSPersistentHistoryChange]`) without their transactions.
    case changesOnly = 4
    /// The transactions (`[NSPersistentHistoryTransaction]`) with their changes.
    case transactionsAndChanges = 5
}
