import Foundation
import ManagedObjectModel

/// Resolves the conflicts of one save with uniqueness constraints: of the objects that share values, one is kept.
///
/// - Rollback and store trump keep the object of the store, or the first of a context's own. A new object is removed. A changed
///   object stays and loses its changes (rollback), or only those that violate the constraint (store trump).
/// - Object trump and overwrite let the unsaved values win. An object of the store takes the values of the new ones: those that
///   were set (object trump), or all (overwrite). When a saved object took the values of another saved one, the other is
///   deleted.
///
/// Links to a removed object lead to the kept one, whatever the policy: they are values of other objects, which do not
/// conflict.
struct ConstraintResolution {
    private let policy: NSMergePolicyType
    /// The kept object for each removed one.
    private var keepers: [ObjectIdentifier: (gone: NSManagedObject, keeper: NSManagedObject)] = [:]
    private var contexts: [NSManagedObjectContext] = []
    private var claimantsByConstraint: [[String]: [[AnyHashable]: [NSManagedObject]]] = [:]

    /// The values of a removed object that the kept one takes.
    private enum TakenValues { case none, set, all }

    /// - Parameter policy: any but the one that fails.
    init(_ policy: NSMergePolicyType) { self.policy = policy }

    /// Changes the objects so that the next attempt to save them meets none of the conflicts. O(objects + links), and one
    /// fetch for each relationship without inverse that can lead to a removed object of a store.
    ///
    /// - Throws: an error of the store.
    mutating func resolve(_ conflicts: [NSConstraintConflict]) throws {
        for conflict in conflicts { resolve(conflict) }
        redirectOneWayLinks()
        try redirectStoredOneWayLinks()
    }

    private mutating func resolve(_ conflict: NSConstraintConflict) {
        // The first of two conflicts may have removed the object.
        let objects = conflict.conflictingObjects.filter { $0.managedObjectContext != nil && !$0.isDeleted }
        let stored = conflict.databaseObject.flatMap {
            $0.managedObjectContext == nil || $0.isDeleted ? nil : $0
        }
        guard let first = objects.first, objects.count + (stored == nil ? 0 : 1) > 1 else { return }
        if let context = first.managedObjectContext, !contexts.contains(where: { $0 === context }) {
            contexts.append(context)
        }
        switch policy {
        case .errorMergePolicyType: return
        case .rollbackMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType:
            let keeper = stored ?? objects.first { !$0.isInserted } ?? first
            for object in objects where object !== keeper { yieldValues(object, to: keeper, conflict) }
            makeRoom(for: objects.filter { $0 !== keeper && !$0.isDeleted }, conflict)
        case .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType:
            let keeper = prevailing(objects, stored)
            let taken: TakenValues = policy == .overwriteMergePolicyType ? .all : .set
            for object in objects where object !== keeper {
                replace(object, by: keeper, object.isInserted ? taken : .none)
            }
            if let stored, stored !== keeper { replace(stored, by: keeper, .none) }
        }
        for object in objects + [stored].compactMap(\.self) where object.managedObjectContext != nil {
            object.withoutChangeTracking { object.awake(fromSnapshotEvents: .mergePolicy) }
        }
    }

    /// The object that is kept where unsaved values win: the last saved one that took the values; else the one of the store, which
    /// takes those of new objects, unless it is of another entity that lacks some of them.
    private func prevailing(_ objects: [NSManagedObject], _ stored: NSManagedObject?) -> NSManagedObject {
        let newest = objects[objects.count - 1]
        if let changed = objects.last(where: { !$0.isInserted }) { return changed }
        guard let stored else { return objects.first { $0.layout === newest.layout } ?? newest }
        return stored.layout === newest.layout ? stored : newest
    }

    /// Makes an object yield to one that has the values already.
    private mutating func yieldValues(
        _ object: NSManagedObject, to keeper: NSManagedObject, _ conflict: NSConstraintConflict
    ) {
        guard !object.isInserted else {
            replace(object, by: keeper, .none)
            return
        }
        if policy == .rollbackMergePolicyType {
            for slot in Array(object.persistentChanges()) { restore(slot, of: object) }
            return
        }
        for path in conflict.constraint {
            guard let name = path.split(separator: ".").first,
                let slot = object.layout.index(of: String(name))
            else { continue }
            restore(slot, of: object)
        }
    }

    /// Makes room also for objects that have their stored values again: other objects that have taken these yield, and so on.
    private mutating func makeRoom(for objects: [NSManagedObject], _ conflict: NSConstraintConflict) {
        var waiting = objects.filter { !$0.isInserted }
        guard let context = waiting.first?.managedObjectContext else { return }
        let claimants = claimants(of: conflict.constraint, context)
        var resolved = Set(waiting.map(ObjectIdentifier.init))
        while let owner = waiting.popLast() {
            guard let values = uniqueValues(of: owner, conflict.constraint) else { continue }
            for claimant in claimants[values] ?? []
            where !claimant.isDeleted && uniqueValues(of: claimant, conflict.constraint) == values
                && resolved.insert(ObjectIdentifier(claimant)).inserted
            {
                yieldValues(claimant, to: owner, conflict)
                if !claimant.isDeleted { waiting.append(claimant) }
            }
        }
    }

    /// The objects with unsaved changes by their values for a constraint. Made once for each.
    private mutating func claimants(
        of constraint: [String], _ context: NSManagedObjectContext
    ) -> [[AnyHashable]: [NSManagedObject]] {
        if let known = claimantsByConstraint[constraint] { return known }
        var claimants: [[AnyHashable]: [NSManagedObject]] = [:]
        for object in context.tracker.inserted.all + context.tracker.updated.all where !object.isDeleted {
            guard let values = uniqueValues(of: object, constraint) else { continue }
            claimants[values, default: []].append(object)
        }
        claimantsByConstraint[constraint] = claimants
        return claimants
    }

    /// An object's values for a constraint of its table; nil when it lacks a value.
    private func uniqueValues(of object: NSManagedObject, _ constraint: [String]) -> [AnyHashable]? {
        var values: [AnyHashable] = [ObjectIdentifier(object.entity.rootEntity)]
        for path in constraint {
            let names = path.split(separator: ".").map(String.init)
            guard let name = names.first, let slot = object.layout.index(of: name) else { return nil }
            var value = object.anyValue(at: slot)
            for name in names.dropFirst() { value = (value as? [String: Any])?[name] }
            // Stores distinguish strings that are equivalent but not identical.
            let text = (value as? String).map { Array($0.utf8) as AnyHashable }
            guard let value = text ?? value as? AnyHashable else { return nil }
            values.append(value)
        }
        return values
    }

    /// Restores the stored value of a property, and its inverse.
    private func restore(_ slot: Int, of object: NSManagedObject) {
        guard object.layout.slots[slot].kind == .toMany else {
            object.set(object.committedValue(at: slot), at: slot)
            return
        }
        let contents = object.loadedToMany(at: slot)
        object.setToMany(
            contents.isOrdered ? contents.committedOrder : Array(contents.committedMembers), at: slot)
    }

    /// Replaces an object by another, and removes it.
    private mutating func replace(
        _ object: NSManagedObject, by keeper: NSManagedObject, _ taken: TakenValues
    ) {
        guard object.managedObjectContext === keeper.managedObjectContext else { return }
        keeper.fireFault()
        object.fireFault()
        let shared = sharedSlotCount(object.layout, keeper.layout)
        for slot in object.layout.slots.indices {
            let info = object.layout.slots[slot]
            guard info.isStored, !info.isDerived else { continue }
            let isShared = slot < shared
            switch info.kind {
            case .toMany:
                for destination in object.loadedToMany(at: slot).ordered {
                    object.dropDestination(destination, at: slot)
                    if isShared, destination !== keeper { keeper.addDestination(destination, at: slot) }
                }
            case .toOne:
                let value = object.value(at: slot)
                let wasSet = object.touched.contains(slot) && !value.isNull
                // A delete rule must not delete its destination with it.
                if !value.isNull { object.set(.null, at: slot) }
                guard isShared, taken == .all || taken == .set && wasSet else { continue }
                if case .object(let destination) = value, destination === keeper { continue }
                keeper.set(value, at: slot)
            default:
                guard isShared, taken == .all || taken == .set && object.touched.contains(slot) else {
                    continue
                }
                keeper.set(object.value(at: slot), at: slot)
            }
        }
        keepers[ObjectIdentifier(object)] = (object, keeper)
        object.managedObjectContext?.delete(object)
    }

    /// The slots that two entities have from their nearest common ancestor.
    private func sharedSlotCount(_ a: EntityLayout, _ b: EntityLayout) -> Int {
        var layout: EntityLayout? = a
        while let ancestor = layout {
            if b.entity.isKindOf(entity: ancestor.entity) { return ancestor.slots.count }
            layout = ancestor.superlayout
        }
        return 0
    }

    // MARK: Links without inverse

    /// Links without inverse. Those of objects with changes are checked all at once.
    private func redirectOneWayLinks() {
        guard !keepers.isEmpty else { return }
        for context in contexts {
            for object in context.tracker.inserted.all + context.tracker.updated.all where !object.isDeleted {
                for slot in object.layout.relationshipIndexes
                where slot < object.values.count && object.layout.slots[slot].isStored
                    && object.layout.slots[slot].relationship?.inverseRelationship == nil
                {
                    redirect(object, slot)
                }
            }
        }
    }

    /// Those of objects without changes are read from the store of the removed object.
    private func redirectStoredOneWayLinks() throws {
        for context in contexts {
            let gone = keepers.values.map(\.gone).filter {
                !$0.storedEntity.isTemporary && $0.row != nil && $0.managedObjectContext === context
            }
            guard !gone.isEmpty else { continue }
            for entity in context.persistentStoreCoordinator?.managedObjectModel.entities ?? [] {
                let layout = EntityLayout.layout(of: entity)
                for slot in layout.relationshipIndexes where layout.slots[slot].isStored {
                    guard let relationship = layout.slots[slot].relationship,
                        relationship.inverseRelationship == nil, relationship.entity === entity,
                        let destination = relationship.destinationEntity
                    else { continue }
                    let reached = gone.filter { $0.entity.isKindOf(entity: destination) }
                    guard !reached.isEmpty else { continue }
                    for owner in try owners(of: relationship, leadingTo: reached, context) {
                        owner.fireFault()
                        if relationship.isToMany {
                            _ = owner.loadedToMany(at: slot)
                        } else {
                            _ = owner.value(at: slot)
                        }
                        redirect(owner, slot)
                    }
                }
            }
        }
    }

    private func owners(
        of relationship: NSRelationshipDescription, leadingTo objects: [NSManagedObject],
        _ context: NSManagedObjectContext
    ) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: relationship.entity.name ?? "")
        request.predicate = NSPredicate(
            format: relationship.isToMany ? "ANY %K IN %@" : "%K IN %@", relationship.name, objects)
        request.includesPendingChanges = false
        return try context.fetch(request).filter { !$0.isDeleted }
    }

    private func redirect(_ object: NSManagedObject, _ slot: Int) {
        switch object.values[slot] {
        case .object(let destination):
            if let keeper = keeper(of: destination) { object.set(.object(keeper), at: slot) }
        case .toMany(let contents):
            let destinations =
                contents.isOrdered && contents.isLoaded
                ? contents.order : Array(contents.members.union(contents.added))
            for destination in destinations {
                guard let keeper = keeper(of: destination) else { continue }
                let identity = contents.order.firstIndex(of: destination)
                object.dropDestination(destination, at: slot)
                object.addDestination(keeper, at: slot, index: identity)
            }
        default: break
        }
    }

    /// The replacement of a removed object; nil for one that exists.
    private func keeper(of object: NSManagedObject) -> NSManagedObject? {
        guard var found = keepers[ObjectIdentifier(object)]?.keeper else { return nil }
        // A later conflict may have removed it too.
        var steps = 0
        while let next = keepers[ObjectIdentifier(found)]?.keeper, steps < keepers.count {
            found = next
            steps += 1
        }
        return found
    }
}
