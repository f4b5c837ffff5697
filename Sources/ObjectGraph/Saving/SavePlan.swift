import Foundation
import ManagedObjectModel

/// The writes of a save, store by store, made from a context's changes without modifying them.
struct SavePlan {
    private(set) var stores: [StorePlan] = []
    /// Deleted objects that no store has: they leave the context.
    private(set) var gone: [NSManagedObject] = []

    /// - Throws: 134060 for a value that cannot be stored, 1550 for values that are too large, 134030 when no store accepts an
    ///   object, 133010 for a relationship between stores, 1550 for one to an object that was deleted.
    init(_ context: NSManagedObjectContext) throws {
        var plans: [ObjectIdentifier: StorePlan] = [:]
        var order: [ObjectIdentifier] = []
        func plan(_ store: any ObjectStore) -> StorePlan {
            if let made = plans[ObjectIdentifier(store)] { return made }
            let made = StorePlan(
                store, author: context.transactionAuthor, contextName: context.name,
                byteLimit: context.rowByteLimit)
            plans[ObjectIdentifier(store)] = made
            order.append(ObjectIdentifier(store))
            return made
        }

        // Objects with derived sums go first, so that each of the others adds its part when it is written.
        var inserted = context.tracker.inserted.all
        if inserted.contains(where: \.layout.sumsUpDestinations) {
            inserted =
                inserted.filter(\.layout.sumsUpDestinations)
                + inserted.filter { !$0.layout.sumsUpDestinations }
        }
        var homes = NewHomes(context)
        var last: (home: StoredEntity, plan: StorePlan)?
        for object in inserted {
            let home = try homes.home(of: object)
            if last?.home !== home {
                guard let store = home.store as? any ObjectStore else { continue }
                last = (home, plan(store))
            }
            last?.plan.assign(object, to: home)
        }
        // Links lead to objects that come later, so all are bound to a store before the first is packed.
        for store in order { try plans[store]?.insertAssigned() }
        for object in context.tracker.updated.all where !object.isDeleted {
            guard let store = object.home.store as? any ObjectStore else { throw SavePlan.lost(object) }
            try plan(store).update(object)
        }
        for object in context.tracker.deleted.all {
            guard let store = object.home.store as? any ObjectStore else {
                guard object.state.contains(.inaccessible) else { throw SavePlan.lost(object) }
                gone.append(object)
                continue
            }
            plan(store).delete(object)
        }
        for object in context.onlyWatched {
            guard let store = object.home.store as? any ObjectStore else { throw SavePlan.lost(object) }
            plan(store).lock(object)
        }
        stores = order.compactMap { plans[$0] }
        for plan in stores { plan.complete(context) }
        for plan in stores where plan.store.isReadOnly && !plan.unit.isEmpty {
            throw plan.store.readOnlyError
        }
    }

    private static func lost(_ object: NSManagedObject) -> NSError {
        .coreData(
            .managedObjectExternalRelationship,
            "The store of object \(object.objectID) was removed.", [NSAffectedObjectsErrorKey: [object]])
    }
}

extension NSManagedObjectContext {
    /// The entity bindings of new objects: in the first writable store that holds their entity. In the order of `objects`.
    func permanentHomes(of objects: [NSManagedObject]) throws -> [(StoredEntity, [NSManagedObject])] {
        var groups: [ObjectIdentifier: (StoredEntity, [NSManagedObject])] = [:]
        var order: [ObjectIdentifier] = []
        var homes = NewHomes(self)
        for object in objects {
            let home = try homes.home(of: object)
            let id = ObjectIdentifier(home)
            if groups[id] == nil {
                groups[id] = (home, [])
                order.append(id)
            }
            groups[id]?.1.append(object)
        }
        return order.compactMap { groups[$0] }
    }
}

/// Finds the entity bindings of new objects. If one store holds an entity, its objects share the lookup.
private struct NewHomes {
    private let context: NSManagedObjectContext
    private var last: (layout: EntityLayout, home: StoredEntity)?

    init(_ context: NSManagedObjectContext) { self.context = context }

    mutating func home(of object: NSManagedObject) throws -> StoredEntity {
        guard object.home.isTemporary else { return object.home }
        let isAssigned = object.extras?.assignedStore != nil
        if let last, !isAssigned, last.layout === object.layout { return last.home }
        let home = try context.newHome(of: object)
        if !isAssigned, context.persistentStoreCoordinator?.stores(for: object.entity).count == 1 {
            last = (object.layout, home)
        }
        return home
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
        if stores.count > 1, !object.isUnknownBelow, parentContext != nil, object.home.isTemporary {
            let place = ObjectPlace(object)
            return readParent { parent in parent.assignedStore(at: place) } ?? stores.first
        }
        return stores.first
    }

    /// The store that a new object was assigned to in this context or, if this one does not have it, above; nil when
    /// it was assigned to none.
    private func assignedStore(at place: ObjectPlace) -> (any ObjectStore)? {
        let object = identityMap.object(self.place(place).key)
        if let assigned = object?.extras?.assignedStore {
            return persistentStoreCoordinator?.objectStores.first { $0 === assigned }
        }
        guard parentContext != nil, !(object?.isUnknownBelow ?? false) else { return nil }
        return readParent { parent in parent.assignedStore(at: place) }
    }

    /// - Throws: 134030 when no store accepts the object.
    fileprivate func newHome(of object: NSManagedObject) throws -> StoredEntity {
        if let store = destinedStore(of: object), let home = store.home(of: object.entity) {
            guard !store.isReadOnly else { throw store.readOnlyError }
            return home
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
        guard object.home.isTemporary else {
            require(
                object.home.store === store,
                "Can't reassign an object to a different store once it has been saved.")
            return
        }
        require(
            store.persistentStoreCoordinator === persistentStoreCoordinator
                && store.home(of: object.entity) != nil,
            "Can't assign an object to a store that does not contain the object's entity.")
        object.madeExtras.assignedStore = store
    }
}

/// The writes of a save to one store.
final class StorePlan: LinkDestinations {
    let store: any ObjectStore
    @exclusivity(unchecked) private(set) var unit = UnitOfWork()
    @exclusivity(unchecked) private(set) var inserted: [NSManagedObject] = []
    @exclusivity(unchecked) private(set) var updated: [NSManagedObject] = []
    /// Changed objects with nothing to write.
    private(set) var transientlyUpdated: [NSManagedObject] = []
    private(set) var deleted: [NSManagedObject] = []
    /// The entity bindings of new objects, by their temporary references.
    private let homes = ReferenceMap<StoredEntity>()
    @exclusivity(unchecked) private var assigned: [(object: NSManagedObject, home: StoredEntity)] = []
    @exclusivity(unchecked) private var encoder: RowEncoder
    private let now = Date.timeIntervalSinceReferenceDate

    init(
        _ store: any ObjectStore, author: String?, contextName: String?,
        byteLimit: Int = RowBuilder.mostBytes
    ) {
        self.store = store
        encoder = RowEncoder(byteLimit: byteLimit)
        unit.author = author
        unit.contextName = contextName
    }

    /// Adds a new object to this store.
    func assign(_ object: NSManagedObject, to home: StoredEntity) {
        if object.home.isTemporary { homes.set(home, for: object.reference) }
        assigned.append((object, home))
    }

    /// Inserts the new objects, in their order.
    func insertAssigned() throws {
        unit.inserts.reserveCapacity(assigned.count)
        inserted.reserveCapacity(assigned.count)
        for (object, home) in assigned {
            let row = try encoder.row(object, home, self, timestamp: now, version: 1)
            unit.inserts.append(.init(home: home, row: row))
            inserted.append(object)
            try addLinks(object)
        }
        assigned = []
    }

    func update(_ object: NSManagedObject) throws {
        var changed = PropertySet()
        var changedLinks = PropertySet()
        for slot in object.persistentChanges() {
            if object.layout.slots[slot].kind == .toMany {
                changedLinks.insert(slot)
            } else {
                changed.insert(slot)
            }
        }
        guard !(changed.isEmpty && changedLinks.isEmpty), let old = object.row else {
            transientlyUpdated.append(object)
            return
        }
        let row = try encoder.row(object, object.home, self, timestamp: now, version: old.version &+ 1)
        unit.updates.append(
            .init(home: object.home, old: old, row: row, changed: changed, changedLinks: changedLinks))
        updated.append(object)
        try addLinks(object)
    }

    func delete(_ object: NSManagedObject) {
        deleted.append(object)
        guard let row = object.row, !object.state.contains(.inaccessible) else { return }
        unit.deletions.append(.init(home: object.home, old: row))
    }

    /// Adds an object to compare without writing it.
    func lock(_ object: NSManagedObject) {
        guard let row = object.row, !object.state.contains(.inaccessible) else { return }
        unit.locks.append(.init(home: object.home, old: row))
        unit.objects.locked.append(object)
    }

    /// Adds the objects themselves.
    fileprivate func complete(_ context: NSManagedObjectContext) {
        unit.objects.inserted = inserted
        unit.objects.updated = updated
        unit.objects.deleted = deleted
        unit.objects.client = context
    }

    /// The links that are not columns of this object's row.
    private func addLinks(_ object: NSManagedObject) throws {
        for slot in object.layout.toManyIndexes where slot < object.values.count {
            guard case .toMany(let contents) = object.values[slot], contents.hasChanges,
                let relationship = object.layout.slots[slot].relationship, object.layout.slots[slot].isStored
            else { continue }
            let owner = key(of: object)
            if relationship.keepsOwnLinks {
                unit.addedLinks += try contents.added.filter { !$0.isDeleted }.map {
                    .init(
                        relationship: relationship, owner: owner,
                        destination: try checkedKey(of: $0, relationship))
                }
                unit.removedLinks += contents.removed.filter { !$0.isDeleted && !$0.home.isTemporary }.map {
                    .init(relationship: relationship, owner: owner, destination: key(of: $0))
                }
            }
            if contents.isOrdered {
                unit.orders.append(
                    .init(
                        relationship: relationship, owner: owner,
                        destinations: try contents.order.map { try checkedKey(of: $0, relationship) }))
            }
        }
    }

    private func key(of object: NSManagedObject) -> ObjectKey {
        let home = object.home.isTemporary ? homes.value(object.reference) : nil
        return ObjectKey(table: (home ?? object.home).table, reference: object.reference)
    }

    private func checkedKey(
        of object: NSManagedObject, _ relationship: NSRelationshipDescription
    ) throws -> ObjectKey {
        _ = try destinationHome(of: object, relationship)
        return key(of: object)
    }

    /// The entity binding of a destination.
    ///
    /// - Throws: 133010 when that is another store; 1550 when the deletion of the destination was saved.
    func destinationHome(
        of object: NSManagedObject, _ relationship: NSRelationshipDescription
    ) throws -> StoredEntity {
        guard object.context != nil else {
            throw NSError.coreData(
                .managedObjectValidation,
                """
                Dangling reference to an invalid object: relationship '\(relationship.name)' of entity \
                '\(relationship.entity.name ?? "")' leads to \(object.objectID), which was deleted.
                """,
                [NSValidationKeyErrorKey: relationship.name, NSAffectedObjectsErrorKey: [object]])
        }
        if object.home.isTemporary {
            if let home = homes.value(object.reference) { return home }
        } else if object.home.store === store {
            return object.home
        }
        throw NSError.coreData(
            .managedObjectExternalRelationship,
            """
            Relationship '\(relationship.name)' of entity '\(relationship.entity.name ?? "")' leads to \
            \(object.objectID), which is in another store, or will not be saved.
            """, [NSAffectedObjectsErrorKey: [object]])
    }
}

extension NSRelationshipDescription {
    /// Whether the links are kept by this relationship itself and not by its to-one inverse: many-to-many, from one
    /// of its ends, and to-many without inverse.
    package var keepsOwnLinks: Bool {
        guard isToMany else { return false }
        guard let inverse = inverseRelationship else { return true }
        return inverse.isToMany && (inverse === self || isFirstOfPair(inverse))
    }

    /// Of the two ends of a many-to-many relationship, the one that the join table is named after.
    private func isFirstOfPair(_ inverse: NSRelationshipDescription) -> Bool {
        let mine = (entity.name ?? "", name)
        let other = (inverse.entity.name ?? "", inverse.name)
        return mine.0 == other.0 ? mine.1 <= other.1 : mine.0 < other.0
    }
}
