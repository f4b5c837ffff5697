import ManagedObjectModel

// Both rows keep a one-to-one link. Different changes of its ends by two contexts meet in merges, refreshes and conflicts of
// saves: then the unsaved link of this context counts, and both ends are made to agree. If only one row had the key, it would
// keep it when the object at the other end is deleted.

extension NSManagedObjectContext {
    /// An end of a one-to-one link with an unsaved change.
    private struct ChangedEnd {
        let object: NSManagedObject
        let slot: Int
        let inverse: NSRelationshipDescription

        var destination: NSManagedObject? { object.destinations(at: slot).first }

        /// The row's destination, if it differs.
        var storedDestination: NSManagedObject? {
            guard case .object(let stored) = object.committedValue(at: slot), stored !== destination else {
                return nil
            }
            return stored
        }

        func leadsFrom(from other: NSManagedObject) -> Bool { other.destination(inverse) === object }
    }

    /// Makes both ends of one-to-one links with an unsaved change agree: the current destination in the row of a changed object
    /// loses the link, and the new destination gets it. If another object has the destination by an unsaved change too, the end
    /// without the back link yields.
    ///
    /// Costs nothing where objects were linked by accessors and no others have changed them: O(changed ends).
    ///
    /// - Returns: whether anything has changed.
    /// - Throws: an error of the store.
    @discardableResult
    func agreeOnPairs(of objects: [NSManagedObject]) throws -> Bool {
        let ends = objects.flatMap(changedEnds).filter { !isAgreed($0) }
        guard !ends.isEmpty else { return false }
        // Others may have changed unchanged objects since they were read.
        let others = ends.flatMap { end in
            [end.storedDestination, end.destination].compactMap { $0 }.filter {
                !$0.hasChangedEnd(end.inverse)
            }
        }
        var gone = try adoptNewerRows(of: others)
        gone.formUnion(
            try adoptNewerRows(of: others.filter { exists($0) && !gone.contains($0) }.flatMap(\.paired)))
        for end in ends where isChanged(end.object, end.slot) {
            if let stored = end.storedDestination, exists(stored), !gone.contains(stored),
                end.leadsFrom(from: stored)
            {
                stored.unlink(end.object, from: end.inverse)
            }
            guard let destination = end.destination,
                gone.contains(destination) || !end.leadsFrom(from: destination)
            else { continue }
            if exists(destination), !gone.contains(destination), !destination.hasChangedEnd(end.inverse) {
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
        exists(object) && !object.isFault && object.touched.contains(slot)
            && object.differsFromRow(at: slot)
    }

    private func exists(_ object: NSManagedObject) -> Bool {
        object.context === self && !object.isDeleted && !object.state.contains(.inaccessible)
    }

    /// Whether the other ends of the changed links have been changed too.
    private func isAgreed(_ end: ChangedEnd) -> Bool {
        if let stored = end.storedDestination, exists(stored),
            !stored.hasChangedEnd(end.inverse) || end.leadsFrom(from: stored)
        {
            return false
        }
        // Links to deleted objects are handled elsewhere.
        guard let destination = end.destination, exists(destination) else { return true }
        return destination.hasChangedEnd(end.inverse) && end.leadsFrom(from: destination)
    }

    /// After a merge policy has resolved conflicts: ends a one-to-one link of a restored object, unless it is an unsaved
    /// change, if the other end has another partner now.
    ///
    /// - Parameter ends: the restored objects with the slots that had changes before.
    /// - Throws: an error of the store.
    func revertLostPairs(of returned: [(object: NSManagedObject, changed: PropertySet)]) throws {
        var ends: [ChangedEnd] = []
        for (object, changed) in returned {
            ends += changedEnds(object).filter { !changed.contains($0.slot) }
        }
        try adoptNewerRows(of: ends.compactMap(\.destination))
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

    /// The destinations of one-to-one links; a fault is loaded for it.
    final var paired: [NSManagedObject] {
        guard !layout.pairIndexes.isEmpty, !state.contains(.inaccessible) else { return [] }
        fireFault()
        return layout.pairIndexes.flatMap { destinations(at: $0) }
    }

    /// Whether a to-one relationship has an unsaved change.
    fileprivate final func hasChangedEnd(_ relationship: NSRelationshipDescription) -> Bool {
        guard let slot = layout.index(of: relationship.name) else { return false }
        return isInserted || !isFault && touched.contains(slot) && differsFromRow(at: slot)
    }

    /// Ends a to-one link on this side.
    final func endLink(at slot: Int) {
        willChange(at: slot)
        assign(.null, at: slot)
        didChange(at: slot)
    }
}
