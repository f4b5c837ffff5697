import Foundation
import ManagedObjectModel

// Conflicts of a save are passed to the merge policy, which changes objects; then the save begins again.

extension NSManagedObjectContext {
    /// Makes it a conflict of the next save that writes anything if others changed or deleted the object since it was read,
    /// though the object has no changes here. With a parent, its current state counts.
    ///
    /// - Parameter object: an object of this context that was saved.
    public func detectConflicts(for object: NSManagedObject) {
        assertOnQueue()
        guard object.context === self, !object.isInserted else { return }
        session.watch(object)
    }

    /// The watched objects that the save would not compare anyway.
    var onlyWatched: [NSManagedObject] {
        session.watchedObjects.filter {
            $0.context === self && !$0.isInserted && !$0.isDeleted && !$0.hasPersistentChangedValues
        }
    }

    /// Lets the merge policy resolve conflicts.
    ///
    /// - Parameters:
    ///   - conflicts: `NSMergeConflict`s or `NSConstraintConflict`s.
    ///   - attempts: how often that was done in this save.
    ///   - cause: the database's error.
    /// - Throws: the error of the policy; a validation error for its changes of the objects; 134050 when the conflicts do not
    ///   end.
    func resolve(_ conflicts: [NSObject], after attempts: inout Int, _ cause: NSError? = nil) throws {
        let policy = try beginResolving(&attempts)
        for case let conflict as NSMergeConflict in conflicts {
            session.note(.object(ObjectSnapshot(conflict.sourceObject)))
        }
        do {
            if conflicts.allSatisfy({ $0 is NSConstraintConflict }) {
                try policy.resolve(mergeConflicts: conflicts)
            } else {
                let conflicts = conflicts.compactMap { $0 as? NSMergeConflict }
                let objects = conflicts.map(\.sourceObject)
                let changed = objects.map(\.touched)
                let given = objects.map(DiscardedLinks.init)
                let partners = objects.flatMap(\.paired)
                try policy.resolve(mergeConflicts: conflicts)
                DiscardedLinks.revert(given)
                try leaveOwners(ofResolved: objects)
                // Both ends of a changed one-to-one link must agree.
                let present = objects.filter { $0.context === self && !$0.isDeleted }.flatMap(\.paired)
                try adoptNewerRows(of: Array(Set(partners).symmetricDifference(present)))
                try revertLostPairs(
                    of: zip(objects, changed).filter { $0.0.context === self && $0.0.isInserted }
                        .map { (object: $0, changed: $1) })
                try resolveLinks(of: conflicts)
            }
            try agreeOnPairs(of: tracker.updated.all + tracker.inserted.all)
        } catch let error as NSError {
            // The changes of a policy that failed are noted, so that they can be reverted.
            processPendingChanges()
            guard let cause, error.domain == cause.domain, error.code == cause.code else { throw error }
            throw NSError(
                domain: error.domain, code: error.code,
                userInfo: cause.userInfo.merging(error.userInfo) { $1 })
        }
        try endResolving()
    }

    /// - Returns: the policy that resolves.
    /// - Throws: 134050 when the conflicts do not end.
    @discardableResult
    func beginResolving(_ attempts: inout Int) throws -> NSMergePolicy {
        attempts += 1
        guard attempts <= 100, let policy = mergePolicy as? NSMergePolicy else {
            throw NSError.coreData(
                .persistentStoreSaveConflicts,
                "Could not save: after \(attempts - 1) resolutions by the merge policy there are still conflicts."
            )
        }
        session.phase = .idle
        return policy
    }

    /// - Throws: a validation error for the changed objects; an error of a store.
    func endResolving() throws {
        try validateResolution()
        // An object whose row is gone may be a new one now.
        if parentContext == nil { try obtainReferencesBeforeSaving() }
        session.phase = .saving
    }

    /// Reconciles the unsaved changes of links here with those that others have saved and this context has read since, before
    /// the first attempt to save.
    ///
    /// - Throws: an error of the store; a validation error.
    func resolveSeenPairs() throws {
        let changed = [tracker.updated.all, tracker.inserted.all].flatMap { objects in
            objects.filter(\.hasPairs)
        }
        session.phase = .idle
        if try agreeOnPairs(of: changed) { try validateResolution() }
        session.phase = .saving
    }

    /// A resolution can leave an object without a required value.
    private func validateResolution() throws {
        processPendingChanges()
        try validateChanges()
        processPendingChanges()
        // Objects that could not be loaded counted as missing so far.
        try throwFaultingError()
    }

    /// Conflicts with rows that changed since they were read.
    func mergeConflicts(_ found: SaveConflicts) -> [NSMergeConflict] {
        found.conflicts.compactMap { conflict in
            let key = ObjectKey(table: conflict.storedEntity.table, reference: conflict.old.reference)
            guard let object = identityMap.object(key) else { return nil }
            // Another context of the coordinator was faster, or a writer that the row cache does not know of.
            let isKnown = conflict.cached?.version == conflict.current?.version
            let cached = isKnown ? conflict.cached : conflict.cached ?? conflict.old
            return NSMergeConflict(
                source: object, newVersion: Int(conflict.current?.version ?? 0),
                oldVersion: Int(conflict.old.version),
                cachedSnapshot: cached?.snapshot(conflict.storedEntity),
                persistedSnapshot: isKnown ? nil : conflict.current?.snapshot(conflict.storedEntity),
                currentRow: conflict.current)
        }
    }

    /// Conflicts with uniqueness constraints.
    func constraintConflicts(_ found: ConstraintViolations) -> [NSConstraintConflict] {
        found.violations.map { violation in
            let stored = violation.stored.flatMap { row -> (NSManagedObject, [String: Any])? in
                guard let storedEntity = found.store.storedEntity(number: row.entityNumber),
                    let object = instantiate([row], from: found.store, refreshing: false).list.first
                else { return nil }
                return (object, row.snapshot(storedEntity))
            }
            return NSConstraintConflict(
                constraint: violation.constraint, database: stored?.0, databaseSnapshot: stored?.1,
                conflicting: violation.objects, conflictingSnapshots: violation.objects.map(\.snapshot))
        }
    }

    /// Discards the changes of an object.
    func discardChanges(of object: NSManagedObject, row: Row) {
        tracker.forgetDeletion(of: object)
        tracker.forgetUpdate(of: object)
        object.extras?.event = nil
        object.willChangeAll()
        object.dropValues()
        object.row = row
        object.setTransientDefaults()
        object.didChangeAll()
        tracker.noteExternalRefresh(of: object)
    }

    /// Accepts that an object's row is gone.
    func acceptDeletion(of object: NSManagedObject) {
        tracker.forgetUpdate(of: object)
        tracker.noteSavedDeletion(of: object)
        tracker.noteExternalDeletion(of: object)
        object.state.insert(.inaccessible)
        leave(object)
    }

    /// Restores, as a new object, one that this context has deleted or lost after others had deleted it.
    func renew(_ object: NSManagedObject) {
        tracker.forgetDeletion(of: object)
        object.state.remove(.inaccessible)
        reinsert(object)
        tracker.reportAsInserted(object)
        scheduleEventEnd()
    }

    /// Makes an object whose row is gone a new one.
    func reinsert(_ object: NSManagedObject) {
        object.loadAllValues(in: self)
        tracker.forgetUpdate(of: object)
        object.row = nil
        rename(
            object, storedEntity: unstoredEntity(object.layout),
            reference: StoredEntity.newTemporaryReference())
        tracker.noteReinsertion(of: object)
    }
}
