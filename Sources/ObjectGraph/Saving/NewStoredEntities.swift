import Foundation
import ManagedObjectModel

extension NSManagedObjectContext {
    /// The entity bindings of new objects: in the first writable store that holds their entity. In the order of `objects`.
    func permanentStoredEntities(of objects: [NSManagedObject]) throws -> [(StoredEntity, [NSManagedObject])]
    {
        var groups: [ObjectIdentifier: (StoredEntity, [NSManagedObject])] = [:]
        var order: [ObjectIdentifier] = []
        var storedEntities = NewStoredEntities(self)
        for object in objects {
            let storedEntity = try storedEntities.storedEntity(of: object)
            let id = ObjectIdentifier(storedEntity)
            if groups[id] == nil {
                groups[id] = (storedEntity, [])
                order.append(id)
            }
            groups[id]?.1.append(object)
        }
        return order.compactMap { groups[$0] }
    }
}

/// Finds the entity bindings of new objects. If one store holds an entity, its objects share the lookup.
struct NewStoredEntities {
    private let context: NSManagedObjectContext
    private var last: (layout: EntityLayout, storedEntity: StoredEntity)?

    /// The present binding of the object of `last`.
    private var lastUnstored: UnsafeMutableRawPointer?

    init(_ context: NSManagedObjectContext) { self.context = context }

    /// Whether a new object gets the binding that was returned last, because its entity is in one store.
    @inline(__always)
    func isLastOne(of object: NSManagedObject) -> Bool {
        object.unretainedStoredEntity.toOpaque() == lastUnstored && object.extras == nil
    }

    mutating func storedEntity(of object: NSManagedObject) throws -> StoredEntity {
        lastUnstored = nil
        guard object.storedEntity.isTemporary else { return object.storedEntity }
        let isAssigned = object.extras?.assignedStore != nil
        if let last, !isAssigned, last.layout === object.layout {
            lastUnstored = object.unretainedStoredEntity.toOpaque()
            return last.storedEntity
        }
        let storedEntity = try context.newStoredEntity(of: object)
        if !isAssigned, context.persistentStoreCoordinator?.stores(for: object.entity).count == 1 {
            last = (object.layout, storedEntity)
            lastUnstored = object.unretainedStoredEntity.toOpaque()
        }
        return storedEntity
    }
}

extension NSManagedObjectContext {
    /// The store that a new object was assigned to, or the first writable one that holds its entity.
    func destinedStore(of object: NSManagedObject) -> (any ObjectStore)? {
        if let assigned = object.extras?.assignedStore,
            let store = persistentStoreCoordinator?.objectStores.first(where: { $0 === assigned })
        {
            return store
        }
        let stores = persistentStoreCoordinator?.stores(for: object.entity, writable: true) ?? []
        // The context that inserted the object, or got it from there, knows the assigned store.
        if stores.count > 1, !object.isUnknownBelow, parentContext != nil, object.storedEntity.isTemporary {
            let identity = ObjectIdentity(object)
            return readParent { parent in parent.assignedStore(at: identity) } ?? stores.first
        }
        return stores.first
    }

    /// The store that a new object was assigned to in this context or, if this one does not have it, above; nil when
    /// it was assigned to none.
    private func assignedStore(at identity: ObjectIdentity) -> (any ObjectStore)? {
        let object = identityMap.object(self.identity(identity).key)
        if let assigned = object?.extras?.assignedStore {
            return persistentStoreCoordinator?.objectStores.first { $0 === assigned }
        }
        guard parentContext != nil, !(object?.isUnknownBelow ?? false) else { return nil }
        return readParent { parent in parent.assignedStore(at: identity) }
    }

    /// - Throws: 134030 when no store accepts the object.
    fileprivate func newStoredEntity(of object: NSManagedObject) throws -> StoredEntity {
        if let store = destinedStore(of: object), let storedEntity = store.storedEntity(of: object.entity) {
            guard !store.isReadOnly else { throw store.readOnlyError }
            return storedEntity
        }
        let name = object.entity.name ?? ""
        let stores = persistentStoreCoordinator?.stores(for: object.entity) ?? []
        if stores.count == 1 { throw stores[0].readOnlyError }
        throw NSError.coreData(
            .persistentStoreSave,
            stores.isEmpty
                ? "No store of the coordinator holds entity '\(name)'."
                : """
                Every store that holds entity '\(name)' is read-only: \
                \(stores.map(\.readOnlyError.localizedDescription).joined(separator: " "))
                """,
            [NSAffectedObjectsErrorKey: [object]])
    }

    /// Assigns a new object to a store. This is needed when several stores hold the object's entity, and the first of them is
    /// not meant.
    ///
    /// Stops with a message when the object was saved already to another store, is of another context, or when the
    /// store does not hold its entity.
    ///
    /// - Parameters:
    ///   - object: an `NSManagedObject` of this context.
    ///   - store: a store of the context's coordinator.
    public func assign(_ object: Any, to store: NSPersistentStore) {
        assertOnQueue()
        guard let object = object as? NSManagedObject, object.context === self else {
            fatalError("assign(_:to:) takes a managed object of this context, not \(object).")
        }
        guard object.storedEntity.isTemporary else {
            require(
                object.storedEntity.store === store,
                "Can't reassign an object to a different store once it has been saved.")
            return
        }
        require(
            store.persistentStoreCoordinator === persistentStoreCoordinator
                && store.storedEntity(of: object.entity) != nil,
            "Can't assign an object to a store that does not contain the object's entity.")
        object.madeExtras.assignedStore = store
    }
}
