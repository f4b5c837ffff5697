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
        var sumsUp = false
        inserted.forEachUncounted { object in
            sumsUp = sumsUp || object.layoutPointer._withUnsafeGuaranteedRef { $0.sumsUpDestinations }
        }
        if sumsUp {
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
        var runs = EntityRuns()
        try inserted.forEachUncounted { object in
            if storedEntities.isLastOne(of: object) {
                runs.extend()
            } else {
                runs.append(.passUnretained(try storedEntities.storedEntity(of: object)))
            }
        }
        let stores = runs.map { $0.storedEntity.store as? any ObjectStore }
        if let store = stores.first ?? nil, stores.allSatisfy({ $0 === store }) {
            plan(store).assign(AssignedObjects(objects: inserted, runs: runs))
            return
        }
        for (run, store) in zip(runs, stores) {
            if let store { plan(store).assign(inserted[run.indexes], to: run.storedEntity) }
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
