import Foundation
import ManagedObjectModel

/// What an `NSBatchInsertRequest` returns. Ask for IDs only if you merge them into contexts: they take memory for each inserted row. The
/// raw values are Apple's.
public enum NSBatchInsertRequestResultType: UInt, Sendable {
    /// `true`.
    case statusOnly = 0
    /// The IDs of the rows, `[NSManagedObjectID]`, in the order in which they were given.
    case objectIDs = 1
    /// The number of rows, an `Int`.
    case count = 2
}

/// What an `NSBatchInsertRequest` inserted: `true`, an array of object IDs, or a number, as the request's `resultType` says.
///
/// ```swift
/// request.resultType = .objectIDs
/// let result = try context.execute(request) as? NSBatchInsertResult
/// let ids = result?.result as? [NSManagedObjectID] ?? []
/// NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSInsertedObjectIDsKey: ids], into: [viewContext])
/// ```
///
/// IDs are in the order in which the rows were given.
public class NSBatchInsertResult: NSPersistentStoreResult {
    /// The result, of the type `resultType`.
    public let result: Any?
    /// What kind of result it is.
    public let resultType: NSBatchInsertRequestResultType

    init(_ batch: BatchOutcome, _ type: NSBatchInsertRequestResultType) {
        resultType = type
        result =
            switch type {
            case .statusOnly: true
            case .objectIDs: batch.objectIDs
            case .count: batch.count
            }
    }
}

/// Writes new rows to a SQLite store without making objects of them in a context.
///
/// ```swift
/// let request = NSBatchInsertRequest(entityName: "Book", objects: [["title": "Emma"], ["title": "Ulysses"]])
/// request.resultType = .count
/// let result = try context.execute(request) as? NSBatchInsertResult
/// ```
///
/// All rows are written in one transaction, which is one in the persistent history too. Attributes that are not given
/// have their default values; those that are derived are computed by the store. A row without a value for an
/// attribute that must have one fails the request (1570); other validation does not run, as objects' hooks do not.
/// In dictionaries, to-one relationships take an object of the same store or its `NSManagedObjectID`; to-many ones are
/// refused, as are those whose inverse is to-one or ordered, which other rows keep.
///
/// Where a row has the values of another one that a uniqueness constraint allows only once, the context's merge policy
/// decides: the request fails with 133021 (`error`), the row takes the values that were given
/// (`mergeByPropertyObjectTrump`), all values (`overwrite`), or stays as it is (`mergeByPropertyStoreTrump`, `rollback`).
///
/// Contexts learn nothing of it: hand the IDs to `NSManagedObjectContext.mergeChanges(fromRemoteContextSave:into:)`.
open class NSBatchInsertRequest: NSPersistentStoreRequest {
    /// Where the values of the rows come from.
    package enum Source {
        case dictionaries([[String: Any]])
        case dictionaryHandler((NSMutableDictionary) -> Bool)
        case objectHandler((NSManagedObject) -> Bool)
    }

    var source = Source.dictionaries([])
    private(set) var givenEntity: NSEntityDescription?
    private var name: String?

    /// The name of the entity of the rows.
    open var entityName: String { givenEntity?.name ?? name ?? "" }
    /// The entity of the rows; nil for a request made with a name.
    open var entity: NSEntityDescription? { givenEntity }
    /// What the request returns; the status alone by default.
    open var resultType = NSBatchInsertRequestResultType.statusOnly

    /// The values of the rows by the names of their properties; nil for a request with a handler.
    open var objectsToInsert: [[String: Any]]? {
        get {
            guard case .dictionaries(let dictionaries) = source else { return nil }
            return dictionaries
        }
        set { source = .dictionaries(newValue ?? []) }
    }

    /// Is called with an empty dictionary for each row, to fill it in; returns true, without a row, after the last row.
    open var dictionaryHandler: ((NSMutableDictionary) -> Bool)? {
        get {
            guard case .dictionaryHandler(let handler) = source else { return nil }
            return handler
        }
        set { source = newValue.map(Source.dictionaryHandler) ?? .dictionaries([]) }
    }

    /// Is called with a new object of no context for each row, to set its properties; returns true, without a row, after the
    /// last row.
    open var managedObjectHandler: ((NSManagedObject) -> Bool)? {
        get {
            guard case .objectHandler(let handler) = source else { return nil }
            return handler
        }
        set { source = newValue.map(Source.objectHandler) ?? .dictionaries([]) }
    }

    /// Creates a request without an entity, which cannot be executed.
    public required init() {}

    /// A request that inserts one row for each dictionary.
    public init(entityName: String, objects dictionaries: [[String: Any]]) {
        name = entityName
        source = .dictionaries(dictionaries)
    }

    /// A request that inserts one row for each dictionary.
    public init(entity: NSEntityDescription, objects dictionaries: [[String: Any]]) {
        givenEntity = entity
        source = .dictionaries(dictionaries)
    }

    /// A request whose rows a closure fills in; see `dictionaryHandler`.
    public convenience init(
        entityName: String, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool
    ) {
        self.init(entityName: entityName, objects: [])
        source = .dictionaryHandler(handler)
    }

    /// A request whose rows a closure fills in; see `dictionaryHandler`.
    public convenience init(
        entity: NSEntityDescription, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool
    ) {
        self.init(entity: entity, objects: [])
        source = .dictionaryHandler(handler)
    }

    /// A request whose rows a closure fills in; see `managedObjectHandler`.
    public convenience init(
        entityName: String, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool
    ) {
        self.init(entityName: entityName, objects: [])
        source = .objectHandler(handler)
    }

    /// A request whose rows a closure fills in; see `managedObjectHandler`.
    public convenience init(
        entity: NSEntityDescription, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool
    ) {
        self.init(entity: entity, objects: [])
        source = .objectHandler(handler)
    }

    public override var requestType: NSPersistentStoreRequestType { .batchInsertRequestType }

    public override func copy(with zone: NSZone? = nil) -> Any {
        let copy = Self()
        copy.affectedStoreObjects = affectedStoreObjects
        copy.givenEntity = givenEntity
        copy.name = name
        copy.source = source
        copy.resultType = resultType
        return copy
    }
}
