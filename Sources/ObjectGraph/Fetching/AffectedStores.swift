import ManagedObjectModel

// Apple declares `affectedStores` for any request and again for the fetch request. A class cannot override a member of an
// extension of its superclass; it can have a property of the same name as one of a protocol's extension.

/// A request that can be limited to some of a coordinator's stores.
public protocol _StoreSelectingRequest: AnyObject {}

extension NSPersistentStoreRequest: _StoreSelectingRequest {}

extension _StoreSelectingRequest where Self: NSPersistentStoreRequest {
    /// The stores to query; nil, the default, for all that hold the entity.
    public var affectedStores: [NSPersistentStore]? {
        get { affectedStoreObjects as? [NSPersistentStore] }
        set { affectedStoreObjects = newValue }
    }
}

extension NSFetchRequest {
    /// The stores to query; nil, the default, for all that hold the entity.
    public var affectedStores: [NSPersistentStore]? {
        get { affectedStoreObjects as? [NSPersistentStore] }
        set { affectedStoreObjects = newValue }
    }
}
