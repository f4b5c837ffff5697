import CocoaFoundation
import Foundation
import ManagedObjectModel

/// What an `NSBatchUpdateRequest` returns. Ask for IDs only if you merge them into contexts: they take memory for each changed row. The
/// raw values are Apple's.
public enum NSBatchUpdateRequestResultType: UInt, Sendable {
    /// `true`.
    case statusOnlyResultType = 0
    /// The IDs of the changed rows, `[NSManagedObjectID]`, in no order.
    case updatedObjectIDsResultType = 1
    /// The number of changed rows, an `Int`.
    case updatedObjectsCountResultType = 2
}

/// What an `NSBatchUpdateRequest` changed: `true`, an array of object IDs, or a number, as the request's `resultType` says.
///
/// ```swift
/// request.resultType = .updatedObjectIDsResultType
/// let result = try context.execute(request) as? NSBatchUpdateResult
/// let ids = result?.result as? [NSManagedObjectID] ?? []
/// NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSUpdatedObjectIDsKey: ids], into: [viewContext])
/// ```
///
/// IDs are in no particular order.
public class NSBatchUpdateResult: NSPersistentStoreResult {
    /// The result, of the type `resultType`.
    public let result: Any?
    /// What kind of result it is.
    public let resultType: NSBatchUpdateRequestResultType

    init(_ batch: BatchOutcome, _ type: NSBatchUpdateRequestResultType) {
        resultType = type
        result =
            switch type {
            case .statusOnlyResultType: true
            case .updatedObjectIDsResultType: batch.objectIDs
            case .updatedObjectsCountResultType: batch.count
            }
    }
}

/// Changes the rows of a SQLite store that meet a condition, without making objects of them.
///
/// ```swift
/// let request = NSBatchUpdateRequest(entityName: "Book")
/// request.predicate = NSPredicate(format: "price > 100")
/// request.propertiesToUpdate = ["price": NSExpression(format: "price * 0.9"), "isOnSale": true]
/// try context.execute(request)
/// ```
///
/// One statement changes all rows; every expression reads the values from before it. Validation does not run, nor do
/// objects' hooks. A value of another type than its attribute's is refused (134060), as is an expression that the store
/// cannot compute. Derived attributes follow; versions count up, so that a context that has older values meets a
/// conflict when it saves.
///
/// Contexts learn nothing of it: hand the IDs to `NSManagedObjectContext.mergeChanges(fromRemoteContextSave:into:)`.
open class NSBatchUpdateRequest: NSPersistentStoreRequest {
    private(set) var givenEntity: NSEntityDescription?
    private var name: String?

    /// The name of the entity of the rows.
    open var entityName: String { givenEntity?.name ?? name ?? "" }

    /// The entity of the rows. Stops with a message for a request made with a name: the model says which entity that is,
    /// when the request is executed.
    open var entity: NSEntityDescription {
        guard let givenEntity else {
            fatalError(
                "This NSBatchUpdateRequest for '\(entityName)' was made with an entity name: its entity is found when it is executed."
            )
        }
        return givenEntity
    }

    /// The condition; nil changes all rows of the entity.
    open var predicate: NSPredicate?
    /// Whether rows of subentities are changed too; true by default.
    open var includesSubentities = true
    /// What the request returns; the status alone by default.
    open var resultType = NSBatchUpdateRequestResultType.statusOnlyResultType

    /// The new values: a name or an `NSPropertyDescription` of an attribute or a to-one relationship, and a value or an
    /// `NSExpression` of the row's values. `NSNull` takes a value away; a to-one relationship takes an object or its ID.
    open var propertiesToUpdate: [AnyHashable: Any]?

    /// Creates a request without an entity, which cannot be executed.
    public required init() {}

    /// A request for an entity of the model that the context has.
    public init(entityName: String) { name = entityName }

    /// A request for an entity.
    public init(entity: NSEntityDescription) { givenEntity = entity }

    public override var requestType: NSPersistentStoreRequestType { .batchUpdateRequestType }

    public override func copy(with zone: NSZone? = nil) -> Any {
        let copy = Self()
        copy.affectedStoreObjects = affectedStoreObjects
        copy.givenEntity = givenEntity
        copy.name = name
        copy.predicate = predicate
        copy.includesSubentities = includesSubentities
        copy.resultType = resultType
        copy.propertiesToUpdate = propertiesToUpdate
        return copy
    }
}
