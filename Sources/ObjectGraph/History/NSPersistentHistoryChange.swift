import Foundation
import ManagedObjectModel

/// What a save did to one object, as the persistent history of a store has it.
public final class NSPersistentHistoryChange: NSObject, NSCopying, @unchecked Sendable {
    /// The number of the change in its store; later ones are higher.
    public let changeID: Int64
    /// The object, which may be deleted since.
    public let changedObjectID: NSManagedObjectID
    /// What was done to the object.
    public let changeType: NSPersistentHistoryChangeType
    /// For a deletion, the values, by name, of the attributes that the model wants to be kept; those that had one.
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

    /// The entity to ask for in a request that `NSPersistentHistoryChangeRequest.fetchHistory(withFetch:)` takes; nil until a
    /// coordinator of this process has had a store, as with Apple's.
    ///
    /// Conditions and orders may use `changeID`, `changeType`, `changedObjectID`, `changedEntity` and
    /// `transactionNumber`.
    public class var entityDescription: NSEntityDescription? { HistoryEntities.withoutContext(\.change) }

    /// A request for changes, to be given conditions and passed to `fetchHistory(withFetch:)`; nil as `entityDescription` is.
    public class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        HistoryEntities.request(entityDescription)
    }

    /// The entity to ask for; nil for a context without stores that keep history.
    public class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? {
        HistoryEntities.hasHistory(context) ? entityDescription : nil
    }

    public override var description: String {
        "<NSPersistentHistoryChange \(changeID): \(changeType) of \(changedObjectID)>"
    }
}
