import Foundation
import ManagedObjectModel

/// One save in the persistent history of a store: when it was, who saved, and what it changed.
///
/// ```swift
/// for transaction in transactions where transaction.author != "import" {
///     context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
/// }
/// ```
///
/// `author` and `contextName` are those that the saving context had, so that a program can skip its own saves. Keep the `token` of the
/// last transaction that was handled: the next request fetches what came after it. A transaction is a value that does not change, and can
/// be used on any thread.
public final class NSPersistentHistoryTransaction: NSObject, NSCopying, @unchecked Sendable {
    /// When the save was made.
    public let timestamp: Date
    /// The changes of the save; nil when the request asked for transactions only.
    public let changes: [NSPersistentHistoryChange]?
    /// The number of the transaction in its store; later ones are higher.
    public let transactionNumber: Int64
    /// The identifier of the store.
    public let storeID: String
    /// The bundle identifier of the program that saved; where there is none, as on Linux, its name.
    public let bundleID: String
    /// The name of the process that saved.
    public let processID: String
    /// The name of the context that saved.
    public let contextName: String?
    /// The context's `transactionAuthor`.
    public let author: String?

    package init(_ record: HistoryRecord, storeID: String, changes: [NSPersistentHistoryChange]?) {
        timestamp = Date(timeIntervalSinceReferenceDate: record.time)
        transactionNumber = record.number
        self.storeID = storeID
        bundleID = record.bundleID ?? ""
        processID = record.processID ?? ""
        contextName = record.contextName
        author = record.author
        self.changes = changes
        super.init()
        for change in changes ?? [] { change.owner = self }
    }

    /// The position of the transaction in the history of its store.
    public var token: NSPersistentHistoryToken { NSPersistentHistoryToken([storeID: transactionNumber]) }

    /// A notification for `NSManagedObjectContext.mergeChanges(fromContextDidSave:)`. Empty without changes.
    public func objectIDNotification() -> Notification {
        var ids: [NSPersistentHistoryChangeType: Set<NSManagedObjectID>] = [:]
        for change in changes ?? [] { ids[change.changeType, default: []].insert(change.changedObjectID) }
        var userInfo: [AnyHashable: Any] = [:]
        for (type, key) in [
            (NSPersistentHistoryChangeType.insert, NSInsertedObjectIDsKey), (.update, NSUpdatedObjectIDsKey),
            (.delete, NSDeletedObjectIDsKey),
        ] {
            userInfo[key] = ids[type]
        }
        return Notification(name: .NSManagedObjectContextDidSaveObjectIDs, object: nil, userInfo: userInfo)
    }

    /// The transaction itself: it never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The entity for a request to `NSPersistentHistoryChangeRequest.fetchHistory(withFetch:)`; nil until a
    /// coordinator of this process has had a store, as with Apple's.
    ///
    /// Conditions and orders may use `timestamp`, `transactionNumber`, `storeID`, `bundleID`, `processID`,
    /// `contextName` and `author`.
    public class var entityDescription: NSEntityDescription? { HistoryEntities.withoutContext(\.transaction) }

    /// A request for transactions, for conditions and `fetchHistory(withFetch:)`; nil whenever `entityDescription` is nil.
    public class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        HistoryEntities.request(entityDescription)
    }

    /// The entity for a request; nil for a context without stores that keep history.
    public class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? {
        HistoryEntities.hasHistory(context) ? entityDescription : nil
    }

    public override var description: String {
        """
        <NSPersistentHistoryTransaction \(transactionNumber) of \(storeID), \(timestamp), author \(author ?? "none"), \
        context \(contextName ?? "none"), \(changes.map { "\($0.count) changes" } ?? "changes not fetched")>
        """
    }
}
