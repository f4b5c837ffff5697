import Foundation
import ManagedObjectModel

/// Settles the conflicts of one save with uniqueness constraints: of the objects that share values, one is kept.
///
/// - Rollback and store trump keep the object of the store, or the first of a context's own. A new object goes away.
///   A changed object stays and loses its changes (rollback), or those alone that violate the constraint (store trump).
/// - Object trump and overwrite let the unsaved values win. An object of the store takes the values of the new ones: those that
///   were set (object trump), or all (overwrite). When a saved object took the values of another saved one, the other
///   goes away.
///
/// What led to an object that goes away leads to the one that is kept, whatever the policy: those links are values of
/// other objects, which do not conflict with anything.
struct ConstraintSettlement {
    private let policy: NSMergePolicyType
    /// The kept object for each one that went.
    private var keepers: [ObjectIdentifier: (gone: NSManagedObject, keeper: NSManagedObject)] = [:]
    private var contexts: [NSManagedObjectContext] = []

    /// Which values of an object that goes away the kept one takes.
    private enum Taken { case none, set, all }

    /// - Parameter policy: any but the one that fails.
    init(_ policy: NSMergePolicyType) { self.policy = policy }

    /// Changes the objects so that the next attempt to save them meets none of the conflicts. O(objects + links).
    mutating func settle(_ conflicts: [NSConstraintConflict]) {
        for conflict in conflicts { settle(conflict) }
        redirectOneWayLinks()
    }

    private mutating func settle(_ conflict: NSConstraintConflict) {
        // An object of two conflicts may have gone with the first one.
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
            for object in objects where object !== keeper { giveWay(object, to: keeper, conflict) }
        case .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType:
            let keeper = prevailing(objects, stored)
            let taken: Taken = policy == .overwriteMergePolicyType ? .all : .set
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
    /// takes those of new objects, unless it is of another entity and has no place for all of them.
    private func prevailing(_ objects: [NSManagedObject], _ stored: NSManagedObject?) -> NSManagedObject {
        let newest = objects[objects.count - 1]
        if let changed = objects.last(where: { !$0.isInserted }) { return changed }
        guard let stored else { return objects.first { $0.layout === newest.layout } ?? newest }
        return stored.layout === newest.layout ? stored : newest
    }

    /// Lets an object make room for one that has the values already.
    private mutating func giveWay(
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

    /// Gives a property the value that is stored, and its inverse likewise.
    private func restore(_ slot: Int, of object: NSManagedObject) {
        guard object.layout.slots[slot].kind == .toMany else {
            object.set(object.committedValue(at: slot), at: slot)
            return
        }
        let contents = object.loadedToMany(at: slot)
        object.setToMany(
            contents.isOrdered ? contents.committedOrder : Array(contents.committedMembers), at: slot)
    }

    /// Lets one object take the place of another, which goes away.
    private mutating func replace(
        _ object: NSManagedObject, by keeper: NSManagedObject, _ taken: Taken
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
                // Its destination must not go with it, by a delete rule.
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

    /// Links that only their owners know: those of objects with changes are looked at, all at once.
    private func redirectOneWayLinks() {
        guard !keepers.isEmpty else { return }
        for context in contexts {
            for object in context.inserted.all + context.updated.all where !object.isDeleted {
                for slot in object.layout.relationshipIndexes
                where slot < object.values.count && object.layout.slots[slot].isStored
                    && object.layout.slots[slot].relationship?.inverseRelationship == nil
                {
                    redirect(object, slot)
                }
            }
        }
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
                let place = contents.order.firstIndex(of: destination)
                object.dropDestination(destination, at: slot)
                object.addDestination(keeper, at: slot, index: place)
            }
        default: break
        }
    }

    /// The object that stands for one that went; nil for one that is still there.
    private func keeper(of object: NSManagedObject) -> NSManagedObject? {
        guard var found = keepers[ObjectIdentifier(object)]?.keeper else { return nil }
        // It may have gone itself, with a later conflict.
        var steps = 0
        while let next = keepers[ObjectIdentifier(found)]?.keeper, steps < keepers.count {
            found = next
            steps += 1
        }
        return found
    }
}
