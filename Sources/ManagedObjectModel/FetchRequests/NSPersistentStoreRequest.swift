import CocoaFoundation

/// What a request does on a persistent store.
///
/// An incremental store of your own switches over it in `execute(_:with:)` and casts the request to the class named here. The raw values
/// are Apple's.
public enum NSPersistentStoreRequestType: UInt, Sendable {
    /// Objects, identifiers, dictionaries or a count (`NSFetchRequest`).
    case fetchRequestType = 1
    /// The changes of a context (`NSSaveChangesRequest`).
    case saveRequestType = 2
    /// Rows inserted without objects (`NSBatchInsertRequest`).
    case batchInsertRequestType = 5
    /// Rows changed without objects (`NSBatchUpdateRequest`).
    case batchUpdateRequestType = 6
    /// Rows deleted without objects (`NSBatchDeleteRequest`).
    case batchDeleteRequestType = 7
}

/// The abstract superclass of all requests to persistent stores.
///
/// Make one of its subclasses, and execute it with `NSManagedObjectContext.execute(_:)`, or `fetch(_:)` for a fetch request.
/// `affectedStores` limits it to some of the coordinator's stores. A subclass says what it is in `requestType`; an incremental store of
/// your own switches over that value. A subclass that does not override `requestType` stops the program when it is executed.
open class NSPersistentStoreRequest: NSObject, NSCopying {
    /// The stores to ask, of the type that the module of the stores declares; `nil` means all of them.
    ///
    /// `affectedStores` is a typed view of it, declared beside `NSPersistentStore`.
    package var affectedStoreObjects: [AnyObject]?

    /// Creates a request to all stores.
    public required override init() {}

    /// The kind of request. Every subclass overrides it.
    open var requestType: NSPersistentStoreRequestType {
        fatalError(
            "NSPersistentStoreRequest is abstract: \(type(of: self)) must override requestType")
    }

    /// A copy that can be changed without an effect on the receiver.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = Self()
        copy.affectedStoreObjects = affectedStoreObjects
        return copy
    }

    /// The fetch that the request describes, whatever its result type; `nil` if it is not a fetch request.
    ///
    /// `NSFetchRequest` is generic and a generic class has no common type to cast to. The runtime works on
    /// this value instead.
    package var fetchSpecification: FetchSpecification? { nil }

    /// What a fetch request is set to, shared by all that were made of it by a cast; `nil` if it is not a fetch request.
    package var fetchSettings: FetchSettings? { nil }

    /// Puts the entity that the request's entity name stands for in place. Only fetch requests have one.
    package func resolveEntity(_ entity: NSEntityDescription) {}
}
