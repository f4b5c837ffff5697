import ManagedObjectModel

// Apple declares `affectedStores` for the request of any kind and for the fetch request anew. A class cannot override what
// an extension gives its superclass; it can have a property of the same name as one of a protocol's extension.

/// A request that some of a coordinator's stores may be asked alone.
public protocol _StoreSelectingRequest: AnyObject {}

extension NSPersistentStoreRequest: _StoreSelectingRequest {}

extension _StoreSelectingRequest where Self: NSPersistentStoreRequest {
    /// The stores to ask; nil, the default, for all that hold the entity.
    public var affectedStores: [NSPersistentStore]? {
        get { affectedStoreObjects as? [NSPersistentStore] }
        set { affectedStoreObjects = newValue }
    }
}

extension NSFetchRequest {
    /// The stores to ask; nil, the default, for all that hold the entity.
    public var affectedStores: [NSPersistentStore]? {
        get { affectedStoreObjects as? [NSPersistentStore] }
        set { affectedStoreObjects = newValue }
    }
}
