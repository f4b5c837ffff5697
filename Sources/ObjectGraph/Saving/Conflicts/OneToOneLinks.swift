import ManagedObjectModel

// A link from one to one is kept by both rows. What one context makes of one end and another of the other meets in merges,
// refreshes and conflicts of saves: then the unsaved link of this context counts, and both ends are made to agree. A row that
// kept the key alone would keep it when the object at the other end is deleted.

extension NSManagedObjectContext {
    /// An end of a link from one to one that was changed here and not saved.
    private struct ChangedEnd {
        let object: NSManagedObject
        let slot: Int
        let inverse: NSRelationshipDescription

        var destination: NSManagedObject? { object.destinations(at: slot).first }

        /// Where the row leads, if elsewhere.
        var storedDestination: NSManagedObject? {
            guard case .object(let stored) = object.committedValue(at: slot), stored !== destination else {
                return nil
            }
            return stored
        }

        func isLed(from other: NSManagedObject) -> Bool { other.destination(inverse) === object }
    }

    /// Has both ends of links from one to one agree, of which one was changed here and not saved: what the row of a changed
    /// object leads to by now lets go of it, and a new destination leads back. Where another object has the destination by an
    /// unsaved change too, the end that is not led back to gives in.
    ///
    /// Costs nothing where objects were linked by accessors and no others have changed them: O(changed ends).
    ///
    /// - Returns: whether anything has changed.
    /// - Throws: an error of the store.
    @discardableResult
    func agreeOnPairs(of objects: [NSManagedObject]) throws -> Bool {
        let ends = objects.flatMap(changedEnds).filter { !isAgreed($0) }
        guard !ends.isEmpty else { return false }
        // What was not changed here may have been changed by others since it was read.
        let others = ends.flatMap { end in
            [end.storedDestination, end.destination].compactMap { $0 }.filter {
                !$0.hasChangedEnd(end.inverse)
            }
        }
        var gone = try takeNewerRows(of: others)
        gone.formUnion(
            try takeNewerRows(of: others.filter { isThere($0) && !gone.contains($0) }.flatMap(\.paired)))
        for end in ends where isChanged(end.object, end.slot) {
            if let stored = end.storedDestination, isThere(stored), !gone.contains(stored),
                end.isLed(from: stored)
            {
                stored.unlink(end.object, from: end.inverse)
            }
            guard let destination = end.destination,
                gone.contains(destination) || !end.isLed(from: destination)
            else { continue }
            if isThere(destination), !gone.contains(destination), !destination.hasChangedEnd(end.inverse) {
                destination.link(end.object, to: end.inverse)
            } else {
                end.object.endLink(at: end.slot)
            }
        }
        return true
    }

    private func changedEnds(_ object: NSManagedObject) -> [ChangedEnd] {
        object.layout.pairIndexes.compactMap { slot in
            guard isChanged(object, slot),
                let inverse = object.layout.slots[slot].relationship?.inverseRelationship
            else { return nil }
            return ChangedEnd(object: object, slot: slot, inverse: inverse)
        }
    }

    private func isChanged(_ object: NSManagedObject, _ slot: Int) -> Bool {
        isThere(object) && !object.isFault && object.touched.contains(slot)
            && object.differsFromRow(at: slot)
    }

    private func isThere(_ object: NSManagedObject) -> Bool {
        object.context === self && !object.isDeleted && !object.state.contains(.inaccessible)
    }

    /// Whether the other ends of what was changed have been changed along with it.
    private func isAgreed(_ end: ChangedEnd) -> Bool {
        if let stored = end.storedDestination, isThere(stored),
            !stored.hasChangedEnd(end.inverse) || end.isLed(from: stored)
        {
            return false
        }
        // What leads to an object that is gone is not this one's affair.
        guard let destination = end.destination, isThere(destination) else { return true }
        return destination.hasChangedEnd(end.inverse) && end.isLed(from: destination)
    }

    /// After a merge policy has resolved conflicts: a link from one to one of an object that comes back, and was not made here
    /// and not saved, ends where the other end has another partner by now.
    ///
    /// - Parameter ends: the objects that come back with the slots that had changes before.
    /// - Throws: an error of the store.
    func giveUpLostPairs(of returned: [(object: NSManagedObject, changed: PropertySet)]) throws {
        var ends: [ChangedEnd] = []
        for (object, changed) in returned {
            ends += changedEnds(object).filter { !changed.contains($0.slot) }
        }
        try takeNewerRows(of: ends.compactMap(\.destination))
        for end in ends {
            guard let partner = end.destination?.destination(end.inverse), partner !== end.object else {
                continue
            }
            end.object.endLink(at: end.slot)
        }
    }
}

extension NSManagedObject {
    /// The destination of a to-one relationship; a fault is loaded for it.
    fileprivate final func destination(_ relationship: NSRelationshipDescription) -> NSManagedObject? {
        guard let slot = layout.index(of: relationship.name), !state.contains(.inaccessible) else {
            return nil
        }
        fireFault()
        return destinations(at: slot).first
    }

    /// The objects that links from one to one lead to; a fault is loaded for it.
    final var paired: [NSManagedObject] {
        guard !layout.pairIndexes.isEmpty, !state.contains(.inaccessible) else { return [] }
        fireFault()
        return layout.pairIndexes.flatMap { destinations(at: $0) }
    }

    /// Whether a to-one relationship was changed here and not saved.
    fileprivate final func hasChangedEnd(_ relationship: NSRelationshipDescription) -> Bool {
        guard let slot = layout.index(of: relationship.name) else { return false }
        return isInserted || !isFault && touched.contains(slot) && differsFromRow(at: slot)
    }

    /// Ends a link to one on this side.
    final func endLink(at slot: Int) {
        willChange(at: slot)
        assign(.null, at: slot)
        didChange(at: slot)
    }
}
