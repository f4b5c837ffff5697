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

    /// Sets the destination and the inverses, without notifying observers of this end.
    final func changeToOne(from old: SlotValue, to new: SlotValue, at slot: Int) {
        if let inverse = layout.slots[slot].relationship?.inverseRelationship,
            !state.contains(.unobservedChanges)
        {
            readPartnerAgain(at: slot)
            if case .object(let previous) = old { previous.unlink(self, from: inverse) }
            if case .object(let next) = new {
                next.link(self, to: inverse, expectedAt: layout.slots[slot].inverseIndex)
            }
        }
        assign(new, at: slot)
    }

    /// Replaces the destinations of a to-many relationship, keeping the inverses.
    final func setToMany(_ objects: [NSManagedObject], at slot: Int) {
        context?.assertOnQueue()
        fireFault()
        let contents = loadedToMany(at: slot)
        context?.noteReplacement(of: self, at: slot, by: contents.isLoaded ? nil : objects)
        let wanted = Set(objects)
        willChange(at: slot)
        let inverse = layout.slots[slot].relationship?.inverseRelationship
        for object in removeMembers(contents.members.subtracting(wanted), at: slot) {
            if let inverse { object.unlink(self, from: inverse) }
        }
        for object in objects where !contents.members.contains(object) { insertDestination(object, at: slot) }
        if contents.isOrdered { reorder(objects.uniqued, at: slot) }
        markChanged()
        didChange(at: slot)
    }

    /// Adds one destination as an accessor does.
    final func addDestination(_ object: NSManagedObject, at slot: Int, index: Int? = nil) {
        context?.assertOnQueue()
        fireFault()
        willChange(at: slot, insertion(of: object, at: slot, index: index))
        insertDestination(object, at: slot, index: index)
        didChange(at: slot)
    }

    /// Removes one destination as an accessor does.
    final func dropDestination(_ object: NSManagedObject, at slot: Int) {
        context?.assertOnQueue()
        fireFault()
        willChange(at: slot, removal(of: object, at: slot))
        removeDestination(object, at: slot)
        didChange(at: slot)
    }

    /// The description for observers of an object's addition; for a to-one relationship, of its change.
    private final func insertion(
        of object: NSManagedObject, at slot: Int, index: Int? = nil
    ) -> ChangeDescription {
        guard layout.slots[slot].kind == .toMany else { return .whole }
        guard layout.slots[slot].relationship?.isOrdered ?? false else { return .members(.union, [object]) }
        let contents = loadedToMany(at: slot)
        // An existing member keeps its position.
        guard !contents.members.contains(object) else { return .whole }
        let position = min(index ?? contents.order.count, contents.order.count)
        return .indexed(.insertion, IndexSet(integer: position))
    }

    /// The description for observers of an object's removal.
    private final func removal(of object: NSManagedObject, at slot: Int) -> ChangeDescription {
        guard layout.slots[slot].kind == .toMany else { return .whole }
        guard layout.slots[slot].relationship?.isOrdered ?? false else { return .members(.minus, [object]) }
        return loadedToMany(at: slot).position(of: object).map { .indexed(.removal, IndexSet(integer: $0)) }
            ?? .whole
    }

    private final func insertDestination(_ object: NSManagedObject, at slot: Int, index: Int? = nil) {
        let inverse = layout.slots[slot].relationship?.inverseRelationship
        if isStoredMember(object, at: slot) {
            // Only its own end may have changed, by a primitive setter or because this one was refreshed.
            if let inverse, !inverse.isToMany, let other = object.layout.index(of: inverse.name),
                !object.value(at: other).isSame(as: .object(self))
            {
                object.link(self, to: inverse)
            }
            return
        }
        guard insertMember(object, at: slot, index: index), let inverse else { return }
        object.link(self, to: inverse)
    }

    private final func removeDestination(_ object: NSManagedObject, at slot: Int) {
        guard leads(to: object, at: slot), removeMember(object, at: slot) else { return }
        guard let inverse = layout.slots[slot].relationship?.inverseRelationship else { return }
        object.unlink(self, from: inverse)
    }

    /// Whether an object is a member. The members are not loaded if the other end has the answer.
    private final func leads(to object: NSManagedObject, at slot: Int) -> Bool {
        if !toMany(at: slot).isLoaded,
            let inverse = layout.slots[slot].relationship?.inverseRelationship, !inverse.isToMany,
            let other = object.layout.index(of: inverse.name), object.context === context
        {
            object.fireFault()
            if case .object(let owner) = object.value(at: other) { return owner === self }
            return false
        }
        let contents = loadedToMany(at: slot)
        // If they cannot be read, it may be one.
        return contents.isLoaded ? contents.members.contains(object) : !contents.removed.contains(object)
    }

    /// Whether an object is one of the stored members and has not been removed. Missing members are loaded only for a saved
    /// object whose other end does not have the answer: noted as added, a stored member could not be removed afterwards.
    private final func isStoredMember(_ object: NSManagedObject, at slot: Int) -> Bool {
        let contents = toMany(at: slot)
        guard !contents.isLoaded, !object.isUnknownBelow, !contents.added.contains(object),
            !contents.removed.contains(object)
        else { return false }
        if let inverse = layout.slots[slot].relationship?.inverseRelationship, !inverse.isToMany,
            let other = object.layout.index(of: inverse.name), object.context === context
        {
            object.fireFault()
            if case .object(let owner) = object.committedValue(at: other) { return owner === self }
            return false
        }
        return loadedToMany(at: slot).committedMembers.contains(object)
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
        if layout.slots[slot].kind == .toMany { _ = removeMembers(destinations, at: slot) }
        for destination in destinations {
            if let inverse, !destination.isDeleted || destination.context === context {
                destination.unlink(self, from: inverse)
            }
        }
        if layout.slots[slot].kind == .toOne, !destinations.isEmpty { assign(.null, at: slot) }
        didChange(at: slot)
    }

    // MARK: Unsaved links

    /// Ends the unsaved links of a relationship to objects that others have deleted, on this side. An order to be saved names
    /// all members, so the saved links in it end too.
    ///
    /// - Parameter isNoted: whether that is a change of the running event, which can be undone.
    /// - Returns: whether there was one.
    final func endUnsavedLinks(to gone: Set<NSManagedObject>, at slot: Int, isNoted: Bool) -> Bool {
        var members: Set<NSManagedObject> = []
        switch value(at: slot) {
        case .object(let destination) where gone.contains(destination): break
        case .toMany(let contents):
            let isWhole = contents.isOrdered && contents.hasChanges
            members = (isWhole ? Set(contents.order) : contents.added).intersection(gone)
            guard !members.isEmpty else { return false }
        default: return false
        }
        func end() {
            if layout.slots[slot].kind == .toOne { assign(.null, at: slot) }
            for member in members { _ = removeMember(member, at: slot) }
        }
        willChange(at: slot)
        if isNoted { end() } else { withoutChangeTracking(end) }
        didChange(at: slot)
        return true
    }

    /// Restores this object at the other ends of the to-one relationships that were changed here. For the running event these
    /// links are then unchanged: there is nothing to undo.
    ///
    /// - Returns: the objects on the other ends.
    final func revertOwnLinks() -> [NSManagedObject] {
        guard !isFault, !isDeleted else { return [] }
        var others: [NSManagedObject] = []
        for slot in layout.relationshipIndexes where layout.slots[slot].kind == .toOne {
            guard let inverse = layout.slots[slot].relationship?.inverseRelationship, inverse.isToMany,
                !inverse.isOrdered
            else { continue }
            let former = extras?.event?.old.first { $0.slot == slot }?.value
            let isChanged = differsFromRow(at: slot)
            guard isChanged || former != nil else { continue }
            let present = value(at: slot)
            for case .object(let other)? in [former, present] {
                other.removeRecordedChange(self, from: inverse)
            }
            guard isChanged else { continue }
            for case .object(let other) in [present, committedValue(at: slot)]
            where other.revertLink(self, inverse) { others.append(other) }
        }
        return others
    }

    /// Reverts the unsaved change of this end of a link. Returns whether there was one.
    private final func revertLink(_ object: NSManagedObject, _ relationship: NSRelationshipDescription)
        -> Bool
    {
        guard !isFault, let slot = layout.index(of: relationship.name) else { return false }
        let contents = toMany(at: slot)
        let isAdded = contents.added.contains(object)
        guard isAdded || contents.removed.contains(object) else { return false }
        willChange(at: slot)
        withoutChangeTracking {
            _ = isAdded ? removeMember(object, at: slot) : insertMember(object, at: slot)
        }
        didChange(at: slot)
        return true
    }

    /// Makes the running event forget its change of this end of a link.
    private final func removeRecordedChange(
        _ object: NSManagedObject, from relationship: NSRelationshipDescription
    ) {
        guard extras?.event != nil, let slot = layout.index(of: relationship.name) else { return }
        withEvent { $0.removeRecordedChange(object, at: slot) }
    }

    /// Whether the links of a slot are an unordered to-many relationship whose keys are in the destinations' rows.
    final func hasLinksOfOthers(at slot: Int) -> Bool {
        let info = layout.slots[slot]
        guard info.kind == .toMany, info.isStored, !info.isOrdered,
            let inverse = info.relationship?.inverseRelationship
        else { return false }
        return !inverse.isToMany
    }

    /// The unsaved changes of to-many relationships whose keys are in the destinations' rows, by slot.
    final var unsavedLinksOfOthers: [(slot: Int, added: Set<NSManagedObject>, removed: Set<NSManagedObject>)]
    {
        guard !isDeleted else { return [] }
        return layout.toManyIndexes.compactMap { slot in
            guard slot < values.count, case .toMany(let contents) = values[slot], hasLinksOfOthers(at: slot),
                contents.hasChanges
            else { return nil }
            return (slot, contents.added, contents.removed)
        }
    }

    /// Loads a fault and overlays the unsaved changes of its to-many relationships.
    ///
    /// - Returns: whether there are any.
    final func adoptLinksOfOthers(
        _ links: [(slot: Int, added: Set<NSManagedObject>, removed: Set<NSManagedObject>)]
    ) -> Bool {
        guard !links.isEmpty else { return false }
        fireFault()
        guard !isFault, !state.contains(.inaccessible) else { return false }
        withoutChangeTracking {
            for link in links {
                for object in link.added { _ = insertMember(object, at: link.slot) }
                for object in link.removed { _ = removeMember(object, at: link.slot) }
            }
        }
        return true
    }

    // MARK: One end of one link

    /// Adds `owner` to this object's `relationship`, the other end of a new link.
    ///
    /// - Parameter expected: the index that the relationship probably has, which is checked; -1 for none.
    final func link(
        _ owner: NSManagedObject, to relationship: NSRelationshipDescription, expectedAt expected: Int = -1
    ) {
        let layout = layout
        let isExpected =
            layout.slots.indices.contains(expected) && layout.slots[expected].property === relationship
        guard let slot = isExpected ? expected : layout.index(of: relationship.name) else { return }
        fireFault()
        willChange(at: slot, insertion(of: owner, at: slot))
        defer { didChange(at: slot) }
        guard layout.slots[slot].kind == .toOne else {
            _ = insertMember(owner, at: slot)
            return
        }
        // A to-one end is unlinked from its former partner.
        if case .object(let previous) = value(at: slot), previous !== owner,
            let other = relationship.inverseRelationship
        {
            readPartnerAgain(at: slot)
            previous.unlink(self, from: other)
        }
        assign(.object(owner), at: slot)
    }

    /// Refreshes the stored partner of a one-to-one link from its current row, if its own row lacks the link. Otherwise it
    /// would keep its key, and no save would compare it.
    private final func readPartnerAgain(at slot: Int) {
        guard hasPairs, let inverse = layout.slots[slot].relationship?.inverseRelationship, !inverse.isToMany,
            let context
        else { return }
        context.readingStore(of: self) { try context.adoptLaterLinks(of: self, at: slot) }
    }

    /// Removes `other` from this object's `relationship`, the other end of an ended link.
    final func unlink(_ other: NSManagedObject, from relationship: NSRelationshipDescription) {
        guard let slot = layout.index(of: relationship.name), !state.contains(.inaccessible) else { return }
        fireFault()
        willChange(at: slot, removal(of: other, at: slot))
        defer { didChange(at: slot) }
        if layout.slots[slot].kind == .toMany {
            _ = removeMember(other, at: slot)
        } else if case .object(let current) = value(at: slot), current === other {
            assign(.null, at: slot)
        }
    }

    // MARK: Members without inverse

    /// Reverts additions and removals of members; the caller handles their inverses. Links already reverted stay: a refresh may
    /// have reverted a link at both ends.
    final func revertMembers(_ change: ToManyChange, at slot: Int) {
        let contents = toMany(at: slot)
        for object in change.added
        where contents.isLoaded || contents.added.contains(object) || isStoredMember(object, at: slot) {
            _ = removeMember(object, at: slot)
        }
        for object in change.removed where !isStoredMember(object, at: slot) {
            _ = insertMember(object, at: slot)
        }
    }

    /// Adds a member; the caller handles its inverse.
    final func addMember(_ object: NSManagedObject, at slot: Int) { _ = insertMember(object, at: slot) }

    /// Adds a member again whose removal was not saved, at its position among the stored ones.
    final func restoreMember(_ object: NSManagedObject, at slot: Int) {
        var position: Int?
        if layout.slots[slot].isOrdered {
            let contents = loadedToMany(at: slot)
            let earlier = Set(contents.committedOrder.prefix { $0 !== object })
            position = contents.order.lastIndex(where: earlier.contains).map { $0 + 1 } ?? 0
        }
        willChange(at: slot)
        _ = insertMember(object, at: slot, index: position)
        didChange(at: slot)
    }

    /// Removes a member; the caller handles its inverse.
    final func dropMember(_ object: NSManagedObject, at slot: Int) { _ = removeMember(object, at: slot) }

    private final func insertMember(_ object: NSManagedObject, at slot: Int, index: Int? = nil) -> Bool {
        let contents = toMany(at: slot)
        if contents.isOrdered {
            _ = loadedToMany(at: slot)
            guard !contents.members.contains(object) else { return false }
            noteOrder(at: slot)
        } else if !contents.isLoaded, contents.removed.contains(object) {
            forgetRemovalOfOthers(object, at: slot)
        }
        let position = min(index ?? contents.order.count, contents.order.count)
        guard contents.insert(object, at: position) else { return false }
        liveOrderedSet(at: slot)?.mirrorInsertion(of: object, at: position)
        noteMembers(at: slot) { $0.noteInsertion(of: object, at: slot) }
        return true
    }

    /// Before a removed object is a member again, whose relationship is read anew since: where others have removed it too, that
    /// is a link to be saved. The members are loaded only where the other end does not have the answer.
    private final func forgetRemovalOfOthers(_ object: NSManagedObject, at slot: Int) {
        guard let inverse = layout.slots[slot].relationship?.inverseRelationship, !inverse.isToMany,
            let other = object.layout.index(of: inverse.name), object.context === context
        else {
            _ = loadedToMany(at: slot)
            return
        }
        object.fireFault()
        if case .object(let owner) = object.committedValue(at: other), owner === self { return }
        toMany(at: slot).forgetRemoval(of: object)
    }

    private final func removeMember(_ object: NSManagedObject, at slot: Int) -> Bool {
        let contents = toMany(at: slot)
        if contents.isOrdered {
            _ = loadedToMany(at: slot)
            guard let position = contents.position(of: object) else { return false }
            noteOrder(at: slot)
            contents.remove(object)
            liveOrderedSet(at: slot)?.mirrorRemoval(at: position)
        } else {
            guard contents.remove(object) else { return false }
        }
        noteMembers(at: slot) { $0.noteRemoval(of: object, at: slot) }
        return true
    }

    /// Removes members; the caller handles their inverses. O(n), also of an ordered relationship.
    ///
    /// - Returns: those that were members.
    private final func removeMembers(
        _ objects: some Collection<NSManagedObject>, at slot: Int
    ) -> [NSManagedObject] {
        let contents = toMany(at: slot)
        guard contents.isOrdered, objects.count > 1 else {
            return objects.filter { removeMember($0, at: slot) }
        }
        let leaving = loadedToMany(at: slot).members.intersection(objects)
        guard !leaving.isEmpty else { return [] }
        noteOrder(at: slot)
        contents.remove(leaving)
        liveOrderedSet(at: slot)?.refill()
        for object in leaving { noteMembers(at: slot) { $0.noteRemoval(of: object, at: slot) } }
        return Array(leaving)
    }

    /// Keeps the order of a relationship before the event's first change of it.
    private final func noteOrder(at slot: Int) {
        guard recordsChanges, context != nil, !(extras?.event?.hasChange(at: slot) ?? false) else { return }
        // Loading the members may run code that changes the object.
        let order = loadedToMany(at: slot).order
        withEvent { event in
            if !event.hasChange(at: slot) { event.noteOrder(order, at: slot) }
        }
    }

    private final func noteMembers(at slot: Int, _ note: (inout EventChanges) -> Void) {
        if recordsChanges, context != nil { withEvent(note) }
        touched.insert(slot)
        markChanged()
    }

    /// Replaces the members alone: what the primitive setter of a to-many relationship does.
    final func setMembers(_ objects: [NSManagedObject], at slot: Int) {
        let contents = loadedToMany(at: slot)
        let wanted = Set(objects)
        for object in contents.members.subtracting(wanted) { contents.remove(object) }
        for object in objects { contents.insert(object) }
        if contents.isOrdered, contents.isLoaded { contents.reorder(objects.uniqued) }
        liveOrderedSet(at: slot)?.refill()
        touched.insert(slot)
    }

    /// Adopts the difference of the members from those announced before a primitive change: notes it for the event, and sets
    /// the other ends of the links.
    final func applyMembers(since announced: SlotValue, at slot: Int) {
        guard case .boxed(let box) = announced, let order = box.value as? [NSManagedObject] else { return }
        let contents = loadedToMany(at: slot)
        let old = Set(order)
        let (gone, new) = (old.subtracting(contents.members), contents.members.subtracting(old))
        if recordsChanges, context != nil {
            withEvent { event in
                if contents.isOrdered, !event.hasChange(at: slot) { event.noteOrder(order, at: slot) }
                for object in new { event.noteInsertion(of: object, at: slot) }
                for object in gone { event.noteRemoval(of: object, at: slot) }
            }
        }
        guard let inverse = layout.slots[slot].relationship?.inverseRelationship else { return }
        for object in gone where object.context === context { object.unlink(self, from: inverse) }
        for object in new where object.context === context { object.link(self, to: inverse) }
    }
}
