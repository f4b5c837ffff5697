import ManagedObjectModel

// One context may link to an object that another deletes meanwhile. A merge or a conflict of a save ends those links: no row
// may keep the key of a deleted one.

extension NSManagedObjectContext {
    /// Ends the unsaved links made here to objects that others deleted, and applies their rule Cascade. The stored links ended
    /// when the objects were deleted. O(unsaved objects).
    ///
    /// - Parameters:
    ///   - isNoted: whether these are changes of the running event, which can be undone.
    ///   - spared: objects that are not deleted, whatever the rule.
    func endUnsavedLinks(
        to gone: Set<NSManagedObject>, isNoted: Bool, sparing spared: Set<NSManagedObject> = []
    ) {
        guard !gone.isEmpty else { return }
        for object in tracker.inserted.all + tracker.updated.all where !object.isDeleted {
            for slot in object.layout.relationshipIndexes where object.differsFromRow(at: slot) {
                let isEnded = object.endUnsavedLinks(to: gone, at: slot, isNoted: isNoted)
                guard isEnded else { continue }
                if !isNoted { tracker.noteExternalRefresh(of: object) }
                let rule = object.layout.slots[slot].relationship?.inverseRelationship?.deleteRule
                if rule == .cascadeDeleteRule, !spared.contains(object) { delete(object) }
            }
        }
    }

    /// After a merge policy has resolved conflicts with rows: ends links to objects that stay deleted, and dangling links of
    /// objects that are restored or overwrite; applies the rules of prevailing deletions to links that others have made
    /// meanwhile.
    ///
    /// - Throws: an error of the store.
    func resolveLinks(of conflicts: [NSMergeConflict]) throws {
        var gone: Set<NSManagedObject> = []
        var back: Set<NSManagedObject> = []
        var deleted: [NSManagedObject] = []
        for conflict in conflicts {
            let object = conflict.sourceObject
            if object.context == nil {
                gone.insert(object)
            } else if object.context === self, object.isInserted {
                back.insert(object)
            } else if object.context === self, object.isDeleted, conflict.currentRow != nil {
                deleted.append(object)
            } else if object.context === self {
                repeatDeletions(reachedFrom: object)
            }
        }
        try repeatStoredDeletions(of: deleted)
        var related = Set(
            back.flatMap { object in
                object.layout.relationshipIndexes.flatMap { object.destinations(at: $0) }
            })
        // A policy that keeps an object's values also keeps links that others have ended.
        for object in conflicts.map(\.sourceObject) where object.context === self && !object.isDeleted {
            for slot in object.layout.relationshipIndexes
            where object.layout.slots[slot].kind == .toOne && object.differsFromRow(at: slot) {
                related.formUnion(object.destinations(at: slot))
            }
        }
        gone.formUnion(try self.gone(among: related))
        endUnsavedLinks(to: gone, isNoted: true, sparing: back)
        propagateDeletes(all: true)
        for object in back where !object.isDeleted { object.joinOwners() }
    }

    /// Applies the rules of unsaved deletions of objects that the keys in an object's row lead to: the row is newer, or the
    /// effects of the rules on the object are forgotten.
    func repeatDeletions(reachedFrom object: NSManagedObject) {
        guard !tracker.deleted.isEmpty, !object.isDeleted else { return }
        for slot in object.layout.relationshipIndexes where object.layout.slots[slot].kind == .toOne {
            guard case .object(let destination) = object.committedValue(at: slot), destination.isDeleted,
                !destination.isFault, !destination.state.contains(.inaccessible)
            else { continue }
            repeatDeletion(of: destination)
        }
    }

    /// Applies the delete rules of an object to the current links in its row, and in rows that lead to it.
    func repeatDeletion(of object: NSManagedObject) {
        object.dropRelationships()
        tracker.propagateLater(object)
    }

    /// The same, after reading the rows from the store that lead to the objects now. A few requests for each entity.
    ///
    /// - Throws: an error of the store.
    func repeatStoredDeletions(of objects: [NSManagedObject]) throws {
        for object in objects { repeatDeletion(of: object) }
        var destinations: [NSManagedObject] = []
        for group in Dictionary(grouping: objects, by: { ObjectIdentifier($0.layout) }).values {
            for slot in group[0].layout.relationshipIndexes where group[0].layout.slots[slot].isStored {
                guard let relationship = group[0].layout.slots[slot].relationship else { continue }
                destinations += try self.destinations(relationship, of: group)
            }
        }
        try adoptNewerRows(of: destinations)
    }

    /// Reads destinations of a deleted object again that the store links to it, but whose own rows lead elsewhere: others have
    /// linked them since these were read. The object itself may have been read later, so no save would find a conflict.
    ///
    /// - Throws: an error of the store.
    func adoptLaterLinks(of object: NSManagedObject, at slot: Int) throws {
        guard let inverse = object.layout.slots[slot].relationship?.inverseRelationship, !inverse.isToMany,
            !object.isInserted
        else { return }
        let destinations: [NSManagedObject]
        switch object.value(at: slot) {
        case .toMany:
            let contents = object.loadedToMany(at: slot)
            destinations = contents.ordered.filter { !contents.added.contains($0) }
        case .object(let destination) where !object.differsFromRow(at: slot): destinations = [destination]
        default: return
        }
        let later = destinations.filter { destination in
            guard destination.context === self else { return false }
            destination.fireFault()
            guard let end = destination.layout.index(of: inverse.name) else { return false }
            guard let row = destination.row, !row.isNull(end) else { return true }
            return row.integer(end) != object.reference
        }
        if !later.isEmpty { try adoptNewerRows(of: later) }
    }
}

extension NSManagedObject {
    /// Adds a new object to the members of its destinations. One restored after its row was gone may have been a member only
    /// through that row.
    fileprivate final func joinOwners() {
        for slot in layout.relationshipIndexes where layout.slots[slot].kind == .toOne {
            guard let inverse = layout.slots[slot].relationship?.inverseRelationship, inverse.isToMany,
                case .object(let owner) = value(at: slot), owner.context === context, !owner.isDeleted,
                let end = owner.layout.index(of: inverse.name)
            else { continue }
            // Relationships that are not loaded are not read for it.
            let members = owner.toMany(at: end)
            guard !(members.isLoaded ? members.members : members.added).contains(self) else { continue }
            owner.link(self, to: inverse)
        }
    }
}
