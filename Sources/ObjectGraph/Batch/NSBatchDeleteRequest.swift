import CocoaFoundation
import Foundation
import ManagedObjectModel

/// What an `NSBatchDeleteRequest` returns. Ask for IDs only if you merge them into contexts: they take memory for each deleted row. The
/// raw values are Apple's.
public enum NSBatchDeleteRequestResultType: UInt, Sendable {
    /// `true`.
    case resultTypeStatusOnly = 0
    /// The IDs of the deleted rows, `[NSManagedObjectID]`, those that went with others included.
    case resultTypeObjectIDs = 1
    /// The number of deleted rows, an `Int`, those that went with others included.
    case resultTypeCount = 2
}

/// What an `NSBatchDeleteRequest` deleted: `true`, an array of object IDs, or a number, as the request's `resultType` says.
///
/// ```swift
/// request.resultType = .resultTypeObjectIDs
/// let result = try context.execute(request) as? NSBatchDeleteResult
/// let ids = result?.result as? [NSManagedObjectID] ?? []
/// NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSDeletedObjectIDsKey: ids], into: [viewContext])
/// ```
///
/// A count and IDs include the rows that the delete rule Cascade has deleted.
public class NSBatchDeleteResult: NSPersistentStoreResult {
    /// The result, of the type `resultType`.
    public let result: Any?
    /// What kind of result it is.
    public let resultType: NSBatchDeleteRequestResultType

    init(_ batch: BatchOutcome, _ type: NSBatchDeleteRequestResultType) {
        resultType = type
        result =
            switch type {
            case .resultTypeStatusOnly: true
            case .resultTypeObjectIDs: batch.objectIDs
            case .resultTypeCount: batch.count
            }
    }
}

/// Deletes the rows of a SQLite store that a fetch request finds, without making objects of them.
///
/// ```swift
/// let old: NSFetchRequest<any NSFetchRequestResult> = Event.fetchRequest()
/// old.predicate = NSPredicate(format: "date < %@", lastYear as NSDate)
/// try context.execute(NSBatchDeleteRequest(fetchRequest: old))
/// ```
///
/// All goes in one transaction. The delete rules hold: Cascade deletes the destinations too, Nullify ends their links,
/// Deny fails the request (1600), No Action leaves them. Objects' hooks and other validation do not run, such as that
/// of the least number of destinations. Files of external data go with their rows.
///
/// Contexts learn nothing of it: hand the IDs to `NSManagedObjectContext.mergeChanges(fromRemoteContextSave:into:)`.
open class NSBatchDeleteRequest: NSPersistentStoreRequest {
    private var fetch: NSFetchRequest<any NSFetchRequestResult>
    /// Whether the request was made for no objects at all.
    private(set) var isEmptyObjectList = false

    /// A copy of what finds the rows: its entity, predicate, order, limit and offset count.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult> { Self.copy(of: fetch) }

    /// What the request returns; the status alone by default.
    open var resultType = NSBatchDeleteRequestResultType.resultTypeStatusOnly

    /// Creates a request without an entity, which cannot be executed.
    public required init() { fetch = NSFetchRequest() }

    /// A request for what another request finds.
    public init(fetchRequest fetch: NSFetchRequest<any NSFetchRequestResult>) {
        self.fetch = Self.copy(of: fetch)
    }

    /// A request for what another request finds, whatever the type of its results.
    ///
    /// Apple's framework has this through a cast, `request as! NSFetchRequest<any NSFetchRequestResult>`, which fails here.
    public convenience init<ResultType: NSFetchRequestResult>(fetchRequest fetch: NSFetchRequest<ResultType>)
    {
        self.init(fetchRequest: NSFetchRequest<any NSFetchRequestResult>.sharing(fetch))
    }

    /// A request for certain rows. They are of one entity, or have a superentity in common.
    public convenience init(objectIDs objects: [NSManagedObjectID]) {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        // Without one in common, the request has no entity, and cannot be executed.
        request.entity = objects.first.flatMap { first in
            sequence(first: first.entity, next: \.superentity).first { ancestor in
                objects.allSatisfy { $0.entity.isKindOf(entity: ancestor) }
            }
        }
        request.predicate = NSPredicate(format: "SELF IN %@", objects)
        self.init(fetchRequest: request)
        isEmptyObjectList = objects.isEmpty
    }

    public override var requestType: NSPersistentStoreRequestType { .batchDeleteRequestType }

    public override func copy(with zone: NSZone? = nil) -> Any {
        let copy = Self()
        copy.affectedStoreObjects = affectedStoreObjects
        copy.fetch = Self.copy(of: fetch)
        copy.isEmptyObjectList = isEmptyObjectList
        copy.resultType = resultType
        return copy
    }

    private static func copy(
        of request: NSFetchRequest<any NSFetchRequestResult>
    ) -> NSFetchRequest<any NSFetchRequestResult> {
        request.copy() as? NSFetchRequest<any NSFetchRequestResult> ?? request
    }
}
