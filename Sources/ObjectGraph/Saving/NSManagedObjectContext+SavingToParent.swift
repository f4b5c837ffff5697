import Foundation
import ManagedObjectModel

// The last part of a child's save: its changes become changes of the parent.

/// Thrown by a parent that does not have the objects that a child has changed, or has changed what the child watches.
struct ParentConflicts: Error, @unchecked Sendable {
    struct Conflict {
        let identity: ObjectIdentity
        /// What the parent has now, packed and by key; nil when it has no such object.
        let current: (row: Row, snapshot: [String: Any])?
    }

    let conflicts: [Conflict]
    /// The missing destinations in the parent of links that the child has made, if there are no conflicts.
    var missing: [ObjectIdentity] = []
}

/// What else a parent changed when it adopted a child's changes: it had links that the child did not know of.
struct ParentSideChanges {
    var updated: [ObjectIdentity] = []
    var deleted: [ObjectIdentity] = []
    /// The parent's rows of what the child has saved, for other children that merge it; by key.
    var rows: [ObjectKey: Row] = [:]
    /// The time of these rows.
    var time = Date.timeIntervalSinceReferenceDate
}

extension NSManagedObjectContext {
    /// Passes the changes to the parent. An object that the parent has deleted is a conflict for the merge policy, like a
    /// missing row; new links to it end.
    func saveToParentResolvingConflicts() throws {
        var attempts = 0
        var endsLinks = true
        while true {
            let changes = ChildChanges(self)
            // A rollback returns to what is saved here, whatever the parent does with it.
            let inserted = try tracker.inserted.all.map { ($0, try presentRow(of: $0)) }
            let updated = try tracker.updated.all.filter { !$0.isDeleted }.map {
                ($0, try presentRow(of: $0))
            }
            keepExternalData(tracker.deleted.all)
            let parentSide: ParentSideChanges
            do {
                parentSide = try readParent { parent in
                    var parentSide = try parent.runEvent {
                        try parent.take(changes, reportsMissing: endsLinks)
                    }
                    if parent.childSubscribers.all.contains(where: { $0 !== self }) {
                        let objectIdentities =
                            (changes.inserted + changes.updated).map(\.identity) + parentSide.updated
                        parentSide.rows = parent.presentRows(at: objectIdentities)
                        parentSide.time = Date.timeIntervalSinceReferenceDate
                    }
                    return parentSide
                }
            } catch let found as ParentConflicts {
                if found.missing.isEmpty {
                    try resolve(found.conflicts.compactMap(mergeConflict), after: &attempts)
                } else {
                    endsLinks = false
                    try endLinks(toMissing: found.missing, after: &attempts)
                }
                continue
            }
            finishSavingToParent(inserted: inserted, updated: updated, parentSide)
            return
        }
    }

    private func mergeConflict(_ conflict: ParentConflicts.Conflict) -> NSMergeConflict? {
        identityMap.object(identity(conflict.identity).key).map { object in
            NSMergeConflict(
                source: object, newVersion: Int(conflict.current?.row.version ?? 0),
                oldVersion: Int(object.row?.version ?? 0), cachedSnapshot: conflict.current?.snapshot,
                persistedSnapshot: nil, currentRow: conflict.current?.row)
        }
    }

    /// Ends unsaved links to what the parent has deleted. The objects themselves have no conflicting changes.
    ///
    /// - Throws: a validation error for what became of the objects.
    private func endLinks(toMissing objectIdentities: [ObjectIdentity], after attempts: inout Int) throws {
        try beginResolving(&attempts)
        let gone = Set(objectIdentities.compactMap { identityMap.object(identity($0).key) })
        for object in gone { session.note(.object(ObjectSnapshot(object))) }
        endUnsavedLinks(to: gone, isNoted: true)
        propagateDeletes(all: true)
        try endResolving()
    }

    private func finishSavingToParent(
        inserted new: [(NSManagedObject, Row?)], updated changed: [(NSManagedObject, Row?)],
        _ parentSide: ParentSideChanges
    ) {
        keepResolution(isComplete: true)
        _ = session.stopWatching(in: nil)
        let gone = parentSide.deleted.compactMap { identityMap.object(identity($0).key) }.filter {
            !$0.isDeleted
        }
        // Saved objects keep the values passed to the parent, except for links to deleted objects.
        var others = parentSide.updated.compactMap { identityMap.object(identity($0).key) }.filter {
            !$0.isDeleted && !$0.state.contains(.inaccessible)
                && (!gone.isEmpty || !$0.isInserted && !$0.isUpdated)
        }
        // Objects new to the parent are not among its updated ones.
        if !gone.isEmpty { others += Set(new.map(\.0)).subtracting(gone) }
        var changes = ContextChanges(
            inserted: new.map(\.0), updated: changed.map(\.0), deleted: tracker.deleted.all)
        _ = tracker.noteSavedInsertionsAndDeletions()
        for (object, row) in new + changed { markSaved(object, row) }
        if !gone.isEmpty {
            let isGone = Set(gone)
            changes.inserted.removeAll(where: isGone.contains)
            changes.updated.removeAll(where: isGone.contains)
            changes.deleted += gone
            for object in gone where !showLastKnownRow(of: object) {
                tracker.noteSavedDeletion(of: object)
            }
        }
        reportParentSideChanges(of: others)
        var rows: [NSManagedObjectID: Row] = [:]
        for object in changes.inserted + changes.updated {
            rows[object.objectID] = parentSide.rows[object.key]
        }
        announceSave(changes, affected: [], rowsAbove: RowsAbove(rows: rows, time: parentSide.time))
    }

    /// Refreshes objects that the parent has changed itself.
    private func reportParentSideChanges(of objects: [NSManagedObject]) {
        for object in objects {
            if object.isFault {
                object.row = nil
            } else {
                readingStore(of: object) {
                    guard let row = try storedRow(of: object, notBefore: .infinity) else { return }
                    refreshValues(of: object, row)
                }
            }
            tracker.noteExternalRefresh(of: object)
        }
        if !objects.isEmpty { scheduleEventEnd() }
    }
}

// The parent's part: everything that can fail first, then the changes.
extension NSManagedObjectContext {
    /// Applies the changes of a child to this context: one event, to be undone as one.
    ///
    /// - Parameter reportsMissing: whether links to objects deleted here are an error; otherwise they are left out.
    /// - Throws: `ParentConflicts`; an error of the store; 134030 while this context is saving itself. Nothing has changed
    ///   then.
    func take(_ changes: ChildChanges, reportsMissing: Bool) throws -> ParentSideChanges {
        guard session.canTakeChanges else {
            throw NSError.coreData(
                .persistentStoreSave,
                "The parent context is saving, validating or undoing, so its child cannot save now.")
        }
        processPendingChanges()
        var conflicts: [ParentConflicts.Conflict] = []
        var updated: [(NSManagedObject, ChildChanges.Object)] = []
        var deleted: [NSManagedObject] = []
        var targets: [ObjectKey: NSManagedObject] = [:]
        var missing: [ObjectIdentity] = []
        try throwingFaultingErrors {
            let links = try linkTargets(of: changes)
            targets = links.found
            missing = links.missing
            for changed in changes.updated {
                guard let object = try loadedObject(at: changed.identity) else {
                    // Changes that no store keeps do not conflict.
                    if changed.isPersistent {
                        conflicts.append(.init(identity: changed.identity, current: nil))
                    }
                    continue
                }
                for case (let slot, .members(_, _, .some)) in changed.values {
                    _ = object.loadedToMany(at: slot)
                }
                loadPartners(of: changed, object, targets)
                updated.append((object, changed))
            }
            for childObject in changes.inserted { loadPartners(of: childObject, nil, targets) }
            deleted = try changes.deleted.compactMap(loadedObject)
            conflicts += try changes.watched.compactMap(conflict)
        }
        guard conflicts.isEmpty else { throw ParentConflicts(conflicts: conflicts) }
        guard missing.isEmpty || !reportsMissing else {
            throw ParentConflicts(conflicts: [], missing: missing)
        }

        let inserted = changes.inserted.map { (newObject(for: $0), $0) }
        for (object, childObject) in inserted { targets[childObject.identity.key] = object }
        for (object, changed) in inserted + updated { take(changed.values, for: object, targets) }
        for object in deleted where !object.isDeleted { markDeleted(object) }
        propagateDeletes(all: propagatesDeletesAtEndOfEvent || session.phase == .savingHooks)
        let parentSide = ParentSideChanges(
            updated: tracker.eventUpdated.all.map(ObjectIdentity.init),
            deleted: (tracker.eventDeleted.all + tracker.eventForgotten.all).map(ObjectIdentity.init))
        processPendingChanges()
        return parentSide
    }

    /// Watched objects that have changed since the child read them.
    private func conflict(
        _ watched: (identity: ObjectIdentity, row: Row)
    ) throws -> ParentConflicts.Conflict? {
        guard let object = try loadedObject(at: watched.identity), let row = try presentRow(of: object) else {
            return .init(identity: watched.identity, current: nil)
        }
        let differs =
            watched.row.entityNumber != row.entityNumber
            || object.layout.slots.indices.contains { slot in
                let info = object.layout.slots[slot]
                return info.isStored && info.kind != .toMany && !hasSameValue(watched.row, row, slot, info)
            }
        return differs ? .init(identity: watched.identity, current: (row, object.snapshot)) : nil
    }

    /// Whether two rows agree; one may name a destination by its former temporary ID.
    private func hasSameValue(_ one: Row, _ other: Row, _ slot: Int, _ info: PropertySlot) -> Bool {
        if one.hasSameValue(as: other, slot, info) { return true }
        guard info.kind == .toOne, !one.isNull(slot), !other.isNull(slot) else { return false }
        func permanent(_ row: Row) -> Int64 {
            identities.permanent(row.integer(slot))?.reference ?? row.integer(slot)
        }
        return min(one.integer(slot), other.integer(slot)) < 0 && permanent(one) == permanent(other)
    }

    /// The object with an identity, with its values; nil when there is none, or it is deleted here.
    func loadedObject(at identity: ObjectIdentity) throws -> NSManagedObject? {
        let identity = self.identity(identity)
        let known = identityMap.object(identity.key)
        if let known, !known.isFault {
            return known.isDeleted || known.state.contains(.inaccessible) ? nil : known
        }
        guard let row = try presentRow(at: identity, notBefore: -.infinity) else { return nil }
        let object = known ?? object(storedEntity: identity.storedEntity, reference: identity.reference)
        if object.isFault {
            // Others may have stored a row of another entity there meanwhile.
            guard object.stands(for: row) else { return nil }
            object.fire(with: row)
        }
        return object
    }

    /// Adopts an object that a child has inserted. It has awoken there.
    private func newObject(for childObject: ChildChanges.Object) -> NSManagedObject {
        let identity = identity(childObject.identity)
        let object: NSManagedObject
        if let known = identityMap.object(identity.key) {
            guard !known.isInserted else { return known }
            clear(known)
            object = known
        } else {
            let storedEntity =
                identity.storedEntity.isTemporary
                ? unstoredEntity(identity.storedEntity.layout) : identity.storedEntity
            object = storedEntity.instantiate(reference: identity.reference)
            object.context = self
            register(object)
        }
        object.values = object.layout.initialValues
        if let store = childObject.assignedStore { object.madeExtras.assignedStore = store }
        retained?[ObjectIdentifier(object)] = object
        tracker.noteInsertion(of: object)
        scheduleEventEnd()
        return object
    }

    /// Clears an object that was requested by its ID before it existed: a fault, or what became of it.
    private func clear(_ object: NSManagedObject) {
        object.state.subtract([.fault, .inaccessible])
        tracker.remove(object)
        object.row = nil
        object.touched.removeAll()
        object.extras?.event = nil
    }

    /// Applies the values that a child has set to an object. Both ends of a link come from there; inverses are kept because
    /// this context may have linked the objects to others meanwhile.
    ///
    /// - Parameter targets: the objects that links lead to, except those deleted here, by their identities in the child.
    private func take(
        _ values: [(slot: Int, value: ChildChanges.Value)], for object: NSManagedObject,
        _ targets: [ObjectKey: NSManagedObject]
    ) {
        func target(_ identity: ObjectIdentity) -> NSManagedObject? { targets[identity.key] }
        for (slot, value) in values {
            switch value {
            case .attribute(let value):
                object.willChange(at: slot)
                object.assign(value, at: slot)
                object.didChange(at: slot)
            case .destination(let identity):
                let destination = identity.flatMap(target)
                object.setToOne(destination.map(SlotValue.object) ?? .null, at: slot)
            case .members(let added, let removed, let order):
                for destination in removed.compactMap(target) {
                    object.dropDestination(destination, at: slot)
                }
                for destination in added.compactMap(target) { object.addDestination(destination, at: slot) }
                if let order { take(order, for: object, slot) }
            }
        }
    }

    /// Orders the members as in the child; those that only this context has follow.
    private func take(_ order: [ObjectIdentity], for object: NSManagedObject, _ slot: Int) {
        let contents = object.loadedToMany(at: slot)
        let known = order.compactMap { identityMap.object(identity($0).key) }
            .filter(contents.members.contains)
        let listed = Set(known)
        let all = known + contents.order.filter { !listed.contains($0) }
        guard all != contents.order else { return }
        object.willChange(at: slot)
        object.reorder(all, at: slot)
        object.didChange(at: slot)
    }

    /// Loads the other ends that making and ending the links of an object changes: a to-one relationship is unlinked from its
    /// former partner, which may be another one here than in the child.
    ///
    /// - Parameter object: the object as it is here; nil for a new one.
    private func loadPartners(
        of childObject: ChildChanges.Object, _ object: NSManagedObject?,
        _ targets: [ObjectKey: NSManagedObject]
    ) {
        for (slot, value) in childObject.values {
            guard let relationship = childObject.identity.storedEntity.layout.slots[slot].relationship else {
                continue
            }
            if !relationship.isToMany, case .object(let partner) = object?.value(at: slot) {
                partner.loadEnd(of: relationship.inverseRelationship)
            }
            for target in value.objectIdentities.compactMap({ targets[$0.key] }) {
                target.loadEnd(of: relationship.inverseRelationship)?.loadEnd(of: relationship)
            }
        }
    }

    /// The objects that changed links lead or led to, loaded, except new ones and those deleted here. By their identities in
    /// the child, which stay valid when objects get IDs meanwhile.
    ///
    /// - Returns: also where links were made to deleted ones.
    private func linkTargets(
        of changes: ChildChanges
    ) throws -> (found: [ObjectKey: NSManagedObject], missing: [ObjectIdentity]) {
        let new = Set(changes.inserted.map(\.identity.key))
        var targets: [ObjectKey: NSManagedObject] = [:]
        var (sought, notified): (Set<ObjectKey>, Set<ObjectKey>) = ([], [])
        var missing: [ObjectIdentity] = []
        for (_, value) in (changes.inserted + changes.updated).flatMap(\.values) {
            for identity in value.objectIdentities {
                guard !new.contains(identity.key) else { continue }
                if sought.insert(identity.key).inserted {
                    targets[identity.key] = try loadedObject(at: identity)
                }
                if targets[identity.key] == nil, value.keepsLink(to: identity),
                    notified.insert(identity.key).inserted
                {
                    missing.append(identity)
                }
            }
        }
        return (targets, missing)
    }
}

extension NSManagedObject {
    /// Loads what changing a link at this end needs: the object and, for an ordered relationship, its destinations.
    ///
    /// - Returns: the present destination of a relationship to one.
    @discardableResult
    fileprivate final func loadEnd(of relationship: NSRelationshipDescription?) -> NSManagedObject? {
        fireFault()
        guard let relationship, let slot = layout.index(of: relationship.name) else { return nil }
        if relationship.isToMany {
            if relationship.isOrdered { _ = loadedToMany(at: slot) }
            return nil
        }
        if case .object(let partner) = value(at: slot) { return partner }
        return nil
    }
}
