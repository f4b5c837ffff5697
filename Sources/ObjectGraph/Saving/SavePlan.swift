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
        do {
            try fill(&plans, context)
        } catch {
            for plan in plans.values { plan.restoreValues() }
            throw error
        }
    }

    private mutating func fill(
        _ plans: inout [ObjectIdentifier: StorePlan], _ context: NSManagedObjectContext
    ) throws {
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
        try assign(inserted, context, plan)
        // Links lead to objects that come later, so all are bound to a store before the first is packed.
        // The save of another store can run code of a program, and so can adopting what one of several has written.
        let isPlain =
            context.tracker.updated.isEmpty && context.persistentStoreCoordinator?.objectStores.count == 1
            && plans.values.allSatisfy(\.packsPlainValues)
        for store in order { try plans[store]?.insertAssigned(packsPlainValues: isPlain) }
        // Objects of one entity mostly come one after the other.
        var last: (storedEntity: Unmanaged<StoredEntity>, plan: StorePlan)?
        func plan(of object: NSManagedObject) -> StorePlan? {
            let storedEntity = object.unretainedStoredEntity
            if let last, last.storedEntity.toOpaque() == storedEntity.toOpaque() { return last.plan }
            guard let store = object.storedEntity.store as? any ObjectStore else { return nil }
            last = (storedEntity, plan(store))
            return last?.plan
        }
        for object in context.tracker.updated.all where !object.isDeleted {
            guard let plan = plan(of: object) else { throw SavePlan.lost(object) }
            try plan.update(object)
        }
        for object in context.tracker.deleted.all {
            guard let plan = plan(of: object) else {
                guard object.state.contains(.inaccessible) else { throw SavePlan.lost(object) }
                gone.append(object)
                continue
            }
            plan.delete(object)
        }
        for object in context.onlyWatched {
            guard let plan = plan(of: object) else { throw SavePlan.lost(object) }
            plan.lock(object)
        }
        stores = order.compactMap { plans[$0] }
        for plan in stores { plan.complete(context) }
        for plan in stores where plan.store.isReadOnly && !plan.unit.isEmpty {
            throw plan.store.readOnlyError
        }
    }

    /// Binds new objects to the stores that get them.
    private func assign(
        _ inserted: [NSManagedObject], _ context: NSManagedObjectContext,
        _ plan: (any ObjectStore) -> StorePlan
    ) throws {
        var storedEntities = NewStoredEntities(context)
        var runs: [AssignedObjects.Run] = []
        for index in inserted.indices {
            if storedEntities.isLastOne(of: inserted[index]) {
                runs[runs.count - 1].end += 1
                continue
            }
            let storedEntity = try storedEntities.storedEntity(of: inserted[index])
            if runs.last?.storedEntity !== storedEntity {
                runs.append(AssignedObjects.Run(storedEntity: storedEntity, end: index))
            }
            runs[runs.count - 1].end += 1
        }
        let stores = runs.map { $0.storedEntity.store as? any ObjectStore }
        if let store = stores.first ?? nil, stores.allSatisfy({ $0 === store }) {
            plan(store).assign(AssignedObjects(objects: inserted, runs: runs))
            return
        }
        var start = 0
        for (run, store) in zip(runs, stores) {
            if let store { plan(store).assign(inserted[start..<run.end], to: run.storedEntity) }
            start = run.end
        }
    }

    /// Gives the objects of a save that has failed back the values that they lost to their rows.
    func restoreValues() { for plan in stores { plan.restoreValues() } }

    private static func lost(_ object: NSManagedObject) -> NSError {
        .coreData(
            .managedObjectExternalRelationship,
            "The store of object \(object.objectID) was removed.", [NSAffectedObjectsErrorKey: [object]])
    }
}

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
private struct NewStoredEntities {
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

/// New objects with their entity bindings: one for each run of objects that share it.
struct AssignedObjects {
    struct Run {
        let storedEntity: StoredEntity
        /// The index after the last object.
        var end: Int
    }

    private(set) var objects: [NSManagedObject] = []
    private(set) var runs: [Run] = []

    init() {}

    /// - Parameter runs: cover the objects without a gap.
    init(objects: [NSManagedObject], runs: [Run]) {
        assert(runs.last?.end ?? 0 == objects.count, "Each object has an entity binding.")
        self.objects = objects
        self.runs = runs
    }

    mutating func append(_ more: some Collection<NSManagedObject>, _ storedEntity: StoredEntity) {
        objects.append(contentsOf: more)
        if let last = runs.last, last.storedEntity === storedEntity {
            runs[runs.count - 1].end = objects.count
        } else {
            runs.append(Run(storedEntity: storedEntity, end: objects.count))
        }
    }

    /// The entity binding of the object with an index. O(log n) of the runs.
    func storedEntity(at index: Int) -> StoredEntity {
        var (low, high) = (0, runs.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].end > index { high = middle } else { low = middle + 1 }
        }
        return runs[low].storedEntity
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
    /// The new objects with their entity bindings.
    @exclusivity(unchecked) private var assigned = AssignedObjects()
    /// The indexes in `assigned`, once all objects are there.
    @exclusivity(unchecked) private var assignedIndexes: TemporaryReferences?
    @exclusivity(unchecked) private var encoder: RowEncoder
    /// Whether new objects have lost their values to their rows.
    @exclusivity(unchecked) private var hasDroppedValues = false
    private let now = Date.timeIntervalSinceReferenceDate

    init(
        _ store: any ObjectStore, author: String?, contextName: String?,
        byteLimit: Int = RowBuilder.maxBytes
    ) {
        self.store = store
        encoder = RowEncoder(byteLimit: byteLimit, sharingBlocks: true)
        unit.author = author
        unit.contextName = contextName
    }

    /// Adds a new object to this store.
    func assign(_ object: NSManagedObject, to storedEntity: StoredEntity) {
        assigned.append(CollectionOfOne(object), storedEntity)
    }

    /// Adds new objects to this store.
    func assign(_ objects: ArraySlice<NSManagedObject>, to storedEntity: StoredEntity) {
        assigned.append(objects, storedEntity)
    }

    /// Adds all new objects to this store, which has none yet.
    func assign(_ objects: AssignedObjects) { assigned = objects }

    /// Whether packing the new objects runs no code of a program, such as a transformer.
    var packsPlainValues: Bool { assigned.runs.allSatisfy { $0.storedEntity.layout.isWholeInRows } }

    /// Inserts the new objects, in their order.
    ///
    /// - Parameter isPlain: whether the whole plan runs no code of a program, which could read the objects. If the store writes
    ///   rows alone, each object then loses its values to its row: of very many objects they take more memory than all else.
    func insertAssigned(packsPlainValues isPlain: Bool = false) throws {
        let assigned = assigned
        let objects = assigned.objects
        assignedIndexes = TemporaryReferences(count: objects.count) { index in
            // An object with a permanent identity is known by that.
            objects[index].storedEntity.isTemporary ? objects[index].reference : 0
        }
        unit.inserts.reserveCapacity(objects.count)
        hasDroppedValues = isPlain && !store.readsObjectsOfSaves
        // Released in batches: an allocator joins what is freed side by side, and the next rows take its place.
        var dropped: [ContiguousArray<SlotValue>] = []
        var start = 0
        for run in assigned.runs {
            for index in start..<run.end {
                // The list keeps the object.
                try Unmanaged.passUnretained(objects[index])._withUnsafeGuaranteedRef { object in
                    let row = try encoder.row(object, run.storedEntity, self, timestamp: now, version: 1)
                    unit.inserts.append(.init(storedEntity: run.storedEntity, row: row))
                    if !hasDroppedValues {
                        if object.hasToManyRelationships { try addLinks(object) }
                    } else if object.rowPointer == nil {
                        dropped.append(object.takeSetValues())
                        if dropped.count == 1024 { dropped = [] }
                    }
                }
            }
            start = run.end
        }
        inserted = objects
    }

    /// Whether the store has written the unit.
    @exclusivity(unchecked) private(set) var isWritten = false

    /// Releases what the store has written, before its objects adopt the rows that it returned.
    func endWriting() {
        isWritten = true
        hasDroppedValues = false
        unit = UnitOfWork()
    }

    /// Gives new objects back the values that they lost to their rows.
    func restoreValues() {
        guard hasDroppedValues else { return }
        hasDroppedValues = false
        // One that was saved has its row.
        for (insert, object) in zip(unit.inserts, assigned.objects)
        where object.row == nil && object.values.isEmpty {
            object.restoreSetValues(from: insert.row)
        }
    }

    func update(_ object: NSManagedObject) throws {
        var changed = PropertySet()
        var changedLinks = PropertySet()
        for slot in object.touched {
            let traits = object.traits(at: slot)
            guard traits.isStored, !traits.isDerived, object.differsFromRow(at: slot) else { continue }
            if traits.kind == .toMany {
                changedLinks.insert(slot)
            } else {
                changed.insert(slot)
            }
        }
        guard !(changed.isEmpty && changedLinks.isEmpty), let old = object.row else {
            transientlyUpdated.append(object)
            return
        }
        let row = try encoder.row(
            object, object.storedEntity, self, timestamp: now, version: old.version &+ 1)
        unit.updates.append(
            .init(
                storedEntity: object.storedEntity, old: old, row: row, changed: changed,
                changedLinks: changedLinks))
        updated.append(object)
        try addLinks(object)
    }

    func delete(_ object: NSManagedObject) {
        deleted.append(object)
        guard let row = object.row, !object.state.contains(.inaccessible) else { return }
        unit.deletions.append(.init(storedEntity: object.storedEntity, old: row))
    }

    /// Adds an object to compare without writing it.
    func lock(_ object: NSManagedObject) {
        guard let row = object.row, !object.state.contains(.inaccessible) else { return }
        unit.locks.append(.init(storedEntity: object.storedEntity, old: row))
        unit.objects.locked.append(object)
    }

    /// Adds the objects themselves.
    fileprivate func complete(_ context: NSManagedObjectContext) {
        unit.objects.inserted = inserted
        unit.objects.updated = updated
        unit.objects.deleted = deleted
        unit.objects.client = context
        assignedIndexes = nil
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
                unit.removedLinks += contents.removed.filter { !$0.isDeleted && !$0.storedEntity.isTemporary }
                    .map {
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
        let storedEntity = newStoredEntity(of: object) ?? object.storedEntity
        return ObjectKey(table: storedEntity.table, reference: object.reference)
    }

    /// The entity binding that a new object gets from the save; nil for another object.
    private func newStoredEntity(of object: NSManagedObject) -> StoredEntity? {
        guard object.storedEntity.isTemporary else { return nil }
        return assignedIndexes?.index(of: object.reference).map(assigned.storedEntity(at:))
    }

    private func checkedKey(
        of object: NSManagedObject, _ relationship: NSRelationshipDescription
    ) throws -> ObjectKey {
        _ = try destinationStoredEntity(of: object, relationship)
        return key(of: object)
    }

    /// The entity binding of a destination.
    ///
    /// - Throws: 133010 when that is another store; 1550 when the deletion of the destination was saved.
    func destinationStoredEntity(
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
        if object.storedEntity.isTemporary {
            if let storedEntity = newStoredEntity(of: object) { return storedEntity }
        } else if object.storedEntity.store === store {
            return object.storedEntity
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
