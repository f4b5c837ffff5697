import CocoaFoundation
import Foundation
import ManagedObjectModel

// Both ends of a relationship change together. Each function below changes one end of one link (`link`, `unlink`)
// or a whole property in terms of those two.

extension NSManagedObject {
    /// Sets a to-one relationship and its inverse.
    final func setToOne(_ value: SlotValue, at slot: Int) {
        let old = self.value(at: slot)
        guard !old.isSame(as: value) else {
            // Setting the same destination still marks the object, as for attributes.
            willChange(at: slot)
            setSlot(slot, value)
            markChanged()
            didChange(at: slot)
            return
        }
        willChange(at: slot)
        changeToOne(from: old, to: value, at: slot)
        didChange(at: slot)
    }

    /// Sets the destination and the inverses, without telling observers of this end.
    final func changeToOne(from old: SlotValue, to new: SlotValue, at slot: Int) {
        if let inverse = layout.slots[slot].relationship?.inverseRelationship,
            !state.contains(.unobservedChanges)
        {
            if case .object(let previous) = old { previous.unlink(self, from: inverse) }
            if case .object(let next) = new { next.link(self, to: inverse) }
        }
        assign(new, at: slot)
    }

    /// Replaces the destinations of a to-many relationship, keeping the inverses.
    final func setToMany(_ objects: [NSManagedObject], at slot: Int) {
        context?.assertOnQueue()
        fireFault()
        let contents = loadedToMany(at: slot)
        let wanted = Set(objects)
        willChange(at: slot)
        for object in contents.members.subtracting(wanted) { removeDestination(object, at: slot) }
        for object in objects where !contents.members.contains(object) { insertDestination(object, at: slot) }
        if contents.isOrdered { reorder(uniqued(objects), at: slot) }
        markChanged()
        didChange(at: slot)
    }

    /// Adds one destination as an accessor does.
    final func addDestination(_ object: NSManagedObject, at slot: Int, index: Int? = nil) {
        context?.assertOnQueue()
        fireFault()
        willChange(at: slot)
        insertDestination(object, at: slot, index: index)
        didChange(at: slot)
    }

    /// Removes one destination as an accessor does.
    final func dropDestination(_ object: NSManagedObject, at slot: Int) {
        context?.assertOnQueue()
        fireFault()
        willChange(at: slot)
        removeDestination(object, at: slot)
        didChange(at: slot)
    }

    private final func insertDestination(_ object: NSManagedObject, at slot: Int, index: Int? = nil) {
        guard insertMember(object, at: slot, index: index) else { return }
        guard let inverse = layout.slots[slot].relationship?.inverseRelationship else { return }
        object.link(self, to: inverse, movingFrom: slot)
    }

    private final func removeDestination(_ object: NSManagedObject, at slot: Int) {
        guard leads(to: object, at: slot), removeMember(object, at: slot) else { return }
        guard let inverse = layout.slots[slot].relationship?.inverseRelationship else { return }
        object.unlink(self, from: inverse)
    }

    /// Whether an object is a member. Where the other end can tell, the members are not loaded for it.
    private final func leads(to object: NSManagedObject, at slot: Int) -> Bool {
        if !toMany(at: slot).isLoaded,
            let inverse = layout.slots[slot].relationship?.inverseRelationship, !inverse.isToMany,
            let other = object.layout.index(of: inverse.name), object.context === context
        {
            object.fireFault()
            if case .object(let owner) = object.value(at: other) { return owner === self }
            return false
        }
        return loadedToMany(at: slot).members.contains(object)
    }

    /// Changes the order of an ordered relationship; the members stay.
    final func reorder(_ objects: [NSManagedObject], at slot: Int) {
        let contents = loadedToMany(at: slot)
        guard contents.order != objects, objects.count == contents.order.count else { return }
        noteOrder(at: slot)
        contents.reorder(objects)
        liveOrderedSet(at: slot)?.refill()
        touched.insert(slot)
        markChanged()
    }

    /// Ends the links of a relationship on both sides, because this object is deleted.
    final func endLinks(to destinations: [NSManagedObject], at slot: Int) {
        let inverse = layout.slots[slot].relationship?.inverseRelationship
        willChange(at: slot)
        for destination in destinations {
            if layout.slots[slot].kind == .toMany { _ = removeMember(destination, at: slot) }
            if let inverse, !destination.isDeleted || destination.context === context {
                destination.unlink(self, from: inverse)
            }
        }
        if layout.slots[slot].kind == .toOne, !destinations.isEmpty { assign(.null, at: slot) }
        didChange(at: slot)
    }

    // MARK: One end of one link

    /// Makes `owner` a destination of this object's `relationship`, the other end of a link just made.
    private final func link(
        _ owner: NSManagedObject, to relationship: NSRelationshipDescription, movingFrom ownerSlot: Int? = nil
    ) {
        guard let slot = layout.index(of: relationship.name) else { return }
        fireFault()
        willChange(at: slot)
        defer { didChange(at: slot) }
        guard layout.slots[slot].kind == .toOne else {
            _ = insertMember(owner, at: slot)
            return
        }
        // A to-one end leaves the partner it had.
        if case .object(let previous) = value(at: slot), previous !== owner,
            let other = relationship.inverseRelationship
        {
            previous.unlink(self, from: other)
        }
        assign(.object(owner), at: slot)
    }

    /// Takes `other` out of this object's `relationship`, the other end of a link just ended.
    private final func unlink(_ other: NSManagedObject, from relationship: NSRelationshipDescription) {
        guard let slot = layout.index(of: relationship.name), !state.contains(.inaccessible) else { return }
        fireFault()
        willChange(at: slot)
        defer { didChange(at: slot) }
        if layout.slots[slot].kind == .toMany {
            _ = removeMember(other, at: slot)
        } else if case .object(let current) = value(at: slot), current === other {
            assign(.null, at: slot)
        }
    }

    // MARK: Members without inverse

    /// Adds a member; its inverse is the caller's affair.
    final func addMember(_ object: NSManagedObject, at slot: Int) { _ = insertMember(object, at: slot) }

    /// Removes a member; its inverse is the caller's affair.
    final func dropMember(_ object: NSManagedObject, at slot: Int) { _ = removeMember(object, at: slot) }

    private final func insertMember(_ object: NSManagedObject, at slot: Int, index: Int? = nil) -> Bool {
        let contents = toMany(at: slot)
        if contents.isOrdered {
            _ = loadedToMany(at: slot)
            guard !contents.members.contains(object) else { return false }
            noteOrder(at: slot)
        }
        let place = min(index ?? contents.order.count, contents.order.count)
        guard contents.insert(object, at: place) else { return false }
        liveOrderedSet(at: slot)?.mirrorInsertion(of: object, at: place)
        noteMembers(at: slot) { $0.noteInsertion(of: object, at: slot) }
        return true
    }

    private final func removeMember(_ object: NSManagedObject, at slot: Int) -> Bool {
        let contents = toMany(at: slot)
        if contents.isOrdered {
            _ = loadedToMany(at: slot)
            guard let place = contents.order.firstIndex(of: object) else { return false }
            noteOrder(at: slot)
            contents.remove(object)
            liveOrderedSet(at: slot)?.mirrorRemoval(at: place)
        } else {
            guard contents.remove(object) else { return false }
        }
        noteMembers(at: slot) { $0.noteRemoval(of: object, at: slot) }
        return true
    }

    /// Keeps the order that a relationship has before the event's first change of it.
    private final func noteOrder(at slot: Int) {
        guard let context, context.recordsChanges(of: self) else { return }
        withEvent { event in
            if !event.hasChange(at: slot) {
                event.noteOrder(loadedToMany(at: slot).order, at: slot)
            }
        }
    }

    private final func noteMembers(at slot: Int, _ note: (inout EventChanges) -> Void) {
        if let context, context.recordsChanges(of: self) { withEvent(note) }
        touched.insert(slot)
        markChanged()
    }

    /// Replaces the members alone: what the primitive setter of a to-many relationship does.
    final func setMembers(_ objects: [NSManagedObject], at slot: Int) {
        let contents = loadedToMany(at: slot)
        let wanted = Set(objects)
        for object in contents.members.subtracting(wanted) { contents.remove(object) }
        for object in objects { contents.insert(object) }
        if contents.isOrdered, contents.isLoaded { contents.reorder(uniqued(objects)) }
        liveOrderedSet(at: slot)?.refill()
        touched.insert(slot)
    }

    /// Notes for the event how the members differ from those that were announced before the change.
    final func noteMembers(_ announced: SlotValue, at slot: Int) {
        guard let context, context.recordsChanges(of: self), case .boxed(let box) = announced,
            let order = box.value as? [NSManagedObject]
        else { return }
        let old = Set(order)
        let contents = loadedToMany(at: slot)
        withEvent { event in
            if contents.isOrdered, !event.hasChange(at: slot) { event.noteOrder(order, at: slot) }
            for object in contents.members.subtracting(old) { event.noteInsertion(of: object, at: slot) }
            for object in old.subtracting(contents.members) { event.noteRemoval(of: object, at: slot) }
        }
    }

    private final func uniqued(_ objects: [NSManagedObject]) -> [NSManagedObject] {
        var seen: Set<NSManagedObject> = []
        return objects.filter { seen.insert($0).inserted }
    }
}

extension NSManagedObject {
    /// A set that edits a to-many relationship as its accessors do.
    ///
    /// - Parameter key: the name of an unordered to-many relationship.
    public final func mutableSetValue(forKey key: String) -> NSMutableSet {
        RelationshipSet(owner: self, slot: toManySlot(key, ordered: false))
    }

    /// An ordered set that edits an ordered to-many relationship as its accessors do.
    ///
    /// - Parameter key: the name of an ordered to-many relationship.
    public final func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
        orderedSet(at: toManySlot(key, ordered: true))
    }

    private final func toManySlot(_ key: String, ordered: Bool) -> Int {
        guard let slot = layout.index(of: key) else { fatalError(unknownKeyMessage(key)) }
        let info = layout.slots[slot]
        require(
            info.kind == .toMany && info.isOrdered == ordered,
            "'\(key)' of entity \(entity.name ?? "") is no \(ordered ? "ordered" : "unordered") to-many relationship."
        )
        return slot
    }

    /// Whether a relationship's destinations are not loaded yet. Loads nothing.
    public final func hasFault(forRelationshipNamed key: String) -> Bool {
        guard let slot = layout.index(of: key) else { fatalError(unknownKeyMessage(key)) }
        if isFault { return true }
        switch layout.slots[slot].kind {
        case .toMany: return !toMany(at: slot).isLoaded
        case .toOne:
            if slot < values.count, !values[slot].isUnloaded { return false }
            return row.map { !$0.isNull(slot) } ?? false
        default: return false
        }
    }

    /// The IDs of a relationship's destinations; their objects are not loaded.
    public final func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
        guard let slot = layout.index(of: key) else { fatalError(unknownKeyMessage(key)) }
        fireFault()
        switch layout.slots[slot].kind {
        case .toMany: return loadedToMany(at: slot).ordered.map(\.objectID)
        case .toOne:
            if case .object(let object) = value(at: slot) { return [object.objectID] }
            return []
        default: fatalError("'\(key)' of entity \(entity.name ?? "") is no relationship.")
        }
    }

    /// Announces that members of a to-many relationship will be added or removed by primitive means.
    public final func willChangeValue(
        forKey key: String, withSetMutation mutationKind: NSKeyValueSetMutationKind,
        using objects: Set<AnyHashable>
    ) {
        willChangeValue(forKey: key)
    }

    /// Ends what `willChangeValue(forKey:withSetMutation:using:)` began: sets the inverses of the objects.
    public final func didChangeValue(
        forKey key: String, withSetMutation mutationKind: NSKeyValueSetMutationKind,
        using objects: Set<AnyHashable>
    ) {
        linkInverses(of: objects.map(\.base), forKey: key)
        didChangeValue(forKey: key)
    }

    /// Announces that an ordered to-many relationship will be changed at some places by primitive means.
    public final func willChange(
        _ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String
    ) {
        willChangeValue(forKey: key)
    }

    /// Ends what `willChange(_:valuesAt:forKey:)` began.
    public final func didChange(
        _ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String
    ) {
        if let slot = layout.index(of: key) {
            let order = loadedToMany(at: slot).order
            linkInverses(of: indexes.filter(order.indices.contains).map { order[$0] }, forKey: key)
        }
        didChangeValue(forKey: key)
    }

    /// Sets the other end of links whose this end was changed by primitive means.
    private final func linkInverses(of objects: [Any], forKey key: String) {
        guard let slot = layout.index(of: key),
            let inverse = layout.slots[slot].relationship?.inverseRelationship
        else { return }
        let contents = loadedToMany(at: slot)
        for case let object as NSManagedObject in objects {
            if contents.members.contains(object) {
                object.link(self, to: inverse)
            } else {
                object.unlink(self, from: inverse)
            }
        }
    }
}
