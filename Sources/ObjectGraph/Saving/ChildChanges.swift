import Foundation

/// The unsaved changes of a context as its parent adopts them: identities and values, not objects.
struct ChildChanges {
    enum Value {
        case attribute(SlotValue)
        case destination(ObjectIdentity?)
        /// For an ordered relationship, the order of all members.
        case members(added: [ObjectIdentity], removed: [ObjectIdentity], order: [ObjectIdentity]?)

        /// The identities of the ends of links that were made or ended.
        var objectIdentities: [ObjectIdentity] {
            switch self {
            case .attribute: []
            case .destination(let identity): identity.map { [$0] } ?? []
            case .members(let added, let removed, _): added + removed
            }
        }

        /// Whether a link to an object with one of these identities exists after the change, rather than one that it ended.
        func keepsLink(to identity: ObjectIdentity) -> Bool {
            guard case .members(_, let removed, _) = self else { return true }
            return !removed.contains { $0.key == identity.key }
        }
    }

    struct Object {
        let identity: ObjectIdentity
        let values: [(slot: Int, value: Value)]
        let assignedStore: NSPersistentStore?

        /// Whether anything was changed that a store keeps.
        var isPersistent: Bool {
            values.contains { !identity.storedEntity.layout.slots[$0.slot].isTransient }
        }
    }

    let inserted: [Object]
    /// Without those whose properties were set to equal values.
    let updated: [Object]
    let deleted: [ObjectIdentity]
    /// Objects without changes that must not have changed in the parent either, with the values they were read with.
    let watched: [(identity: ObjectIdentity, row: Row)]

    init(_ context: NSManagedObjectContext) {
        inserted = context.tracker.inserted.all.map { object in
            let slots = object.layout.slots.indices.filter {
                $0 < object.values.count && !object.values[$0].isUnloaded
                    && object.layout.slots[$0].kind != .fetched
            }
            return Object(object, slots)
        }
        updated = context.tracker.updated.all.filter { !$0.isDeleted }.compactMap { object in
            let transient = object.touched.filter { object.layout.slots[$0].isTransient }
            let slots = object.persistentChanges() + transient
            return slots.isEmpty ? nil : Object(object, slots)
        }
        // An object deleted below is not deleted again.
        deleted = context.tracker.deleted.all.filter { !$0.state.contains(.inaccessible) }.map(
            ObjectIdentity.init)
        watched = context.onlyWatched.compactMap { object in object.row.map { (ObjectIdentity(object), $0) } }
    }
}

extension ChildChanges.Object {
    fileprivate init(_ object: NSManagedObject, _ slots: [Int]) {
        identity = ObjectIdentity(object)
        assignedStore = object.extras?.assignedStore
        values = slots.map { ($0, ChildChanges.Value(object, $0)) }
    }
}

extension ChildChanges.Value {
    fileprivate init(_ object: NSManagedObject, _ slot: Int) {
        switch object.value(at: slot) {
        case .object(let destination):
            self = .destination(ObjectIdentity(destination))
        case .null where object.layout.slots[slot].kind == .toOne:
            self = .destination(nil)
        case .toMany(let contents):
            // Undo may have restored members of a new object, which are not additions then.
            let added = object.isInserted && contents.isLoaded ? contents.members : contents.added
            self = .members(
                added: added.map(ObjectIdentity.init), removed: contents.removed.map(ObjectIdentity.init),
                order: contents.isOrdered ? contents.order.map(ObjectIdentity.init) : nil)
        case let value: self = .attribute(value.copy(for: object.layout.slots[slot]))
        }
    }
}

extension SlotValue {
    /// The value for another context. A mutable transformed object is copied from its stored form: two contexts, on two queues,
    /// must not share it.
    fileprivate func copy(for slot: PropertySlot) -> SlotValue {
        guard case .boxed(let box) = self, slot.kind == .transformable, slot.isStored,
            type(of: box.value) is AnyObject.Type,
            // For one that cannot be stored the save fails elsewhere.
            let data = try? TransformableValue.encode(box.value, slot)
        else { return self }
        let copy = TransformableValue.decode(data, slot)
        return copy.isNull ? self : copy
    }
}
