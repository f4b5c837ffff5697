import Foundation
import ManagedObjectModel

/// A save's change of one object, in the persistent history of a store.
///
/// ```swift
/// for change in transaction.changes ?? [] where change.changeType == .update {
///     print(change.changedObjectID, change.updatedProperties?.map(\.name) ?? [])
/// }
/// ```
///
/// `updatedProperties` are those that an update changed. For a deletion, `tombstone` has the values of the attributes that the model
/// preserves (`NSAttributeDescription.preservesValueInHistoryOnDeletion`); other values of a deleted object are not in the history.
public final class NSPersistentHistoryChange: NSObject, NSCopying, @unchecked Sendable {
    /// The number of the change in its store; later ones are higher.
    public let changeID: Int64
    /// The object, which may have been deleted since.
    public let changedObjectID: NSManagedObjectID
    /// The kind of change.
    public let changeType: NSPersistentHistoryChangeType
    /// For a deletion, the values, by name, of the attributes that the model preserves, if they had one.
    public var tombstone: [AnyHashable: Any]? { kept?.values }
    private let kept: Tombstone?
    private let bitmap: [UInt8]
    private let columns: (any ChangedProperties)?
    /// Set once, by the transaction that the change is made for.
    weak var owner: NSPersistentHistoryTransaction?

    package init(
        changeID: Int64, changedObjectID: NSManagedObjectID, changeType: NSPersistentHistoryChangeType,
        bitmap: [UInt8], columns: (any ChangedProperties)?, tombstone: Tombstone?
    ) {
        self.changeID = changeID
        self.changedObjectID = changedObjectID
        self.changeType = changeType
        self.bitmap = bitmap
        self.columns = columns
        kept = tombstone
    }

    /// The transaction, as long as the program holds it; nil when the request asked for changes only.
    public var transaction: NSPersistentHistoryTransaction? { owner }

    /// For an update, the properties that were changed.
    public var updatedProperties: Set<NSPropertyDescription>? { columns?.properties(in: bitmap) }

    /// The change itself: it never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The entity for a request to `NSPersistentHistoryChangeRequest.fetchHistory(withFetch:)`; nil until a
    /// coordinator of this process has had a store, as with Apple's.
    ///
    /// Conditions and orders may use `changeID`, `changeType`, `changedObjectID`, `changedEntity` and
    /// `transactionNumber`.
    public class var entityDescription: NSEntityDescription? { HistoryEntities.withoutContext(\.change) }

    /// A request for changes, for conditions and `fetchHistory(withFetch:)`; nil whenever `entityDescription` is nil.
    public class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        HistoryEntities.request(entityDescription)
    }

    /// The entity for a request; nil for a context without stores that keep history.
    public class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? {
        HistoryEntities.hasHistory(context) ? entityDescription : nil
    }

    public override var description: String {
        "<NSPersistentHistoryChange \(changeID): \(changeType) of \(changedObjectID)>"
    }
}
