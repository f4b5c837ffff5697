import CocoaFoundation
import Foundation
import ManagedObjectModel

// The steps of a save: hooks, validation, a unit of work for each store, its transaction, and the returned rows.

extension NSManagedObjectContext {
    /// What `save()` does.
    func saveChanges() throws {
        assertOnQueue()
        guard session.canBegin else {
            throw NSError(
                domain: NSCocoaErrorDomain, code: 132001,
                userInfo: [
                    NSLocalizedDescriptionKey:
                        "save() was called from inside a save, an undo or a hook of one; nothing was saved."
                ])
        }
        adoptPermanentIDs()
        // Delete rules are tried again now.
        session.forgetDeletionError()
        try throwFaultingError()
        replaceUnread()
        session.sharedSets = SharedSets()
        defer { _ = session.endSharing() }
        processPendingChanges()
        guard hasChanges else {
            if parentContext == nil { try saveNothing() }
            LazyNotification.post(.NSManagedObjectContextDidSave, self) { [self] in
                userInfo(ContextChanges())
            }
            post(DidSaveMessage(self, ContextChanges(), nil))
            return
        }
        if parentContext == nil, persistentStoreCoordinator?.objectStores.isEmpty ?? true {
            throw NSError.coreData(
                .persistentStoreSave,
                "The context has no persistent store to save to; add one to its coordinator.")
        }
        NotificationCenter.default.post(name: .NSManagedObjectContextWillSave, object: self)
        post(WillSaveMessage(context: self))
        do {
            try runWillSave()
            try MatchBudget.sharing { try validateChanges() }
        } catch {
            // The failed read may be the only error; the next save reads again.
            try throwFaultingError()
            throw error
        }
        // Validation may have replaced values.
        processPendingChanges()
        for object in tracker.inserted.all where object.isFault { object.fireFault() }
        for objects in [tracker.updated.all, tracker.deleted.all, onlyWatched] {
            for object in objects { object.fireFault() }
        }
        // Objects that could not be loaded counted as missing so far.
        try throwFaultingError()
        if parentContext == nil { try obtainReferencesBeforeSaving() }
        session.phase = .saving
        defer { session.phase = .idle }
        do {
            try write()
        } catch {
            // This error reports the failed read; the next save reads again.
            session.faultingError = nil
            throw error
        }
        guard parentContext == nil else { return }
        // Metadata of the stores that had nothing else to write.
        try saveMetadata()
    }

    /// Some stores receive objects with permanent IDs in a save.
    func obtainReferencesBeforeSaving() throws {
        let stores = persistentStoreCoordinator?.objectStores ?? []
        guard stores.contains(where: \.needsReferencesBeforeSaving) else { return }
        try obtainPermanentIDs(
            for: tracker.inserted.all.filter {
                $0.storedEntity.isTemporary && destinedStore(of: $0)?.needsReferencesBeforeSaving ?? false
            })
    }

    /// Notifies stores of a save without changes.
    private func saveNothing() throws {
        for store in persistentStoreCoordinator?.objectStores ?? [] {
            try store.saveNothing(for: self)
        }
    }

    private func saveMetadata() throws {
        for store in persistentStoreCoordinator?.objectStores ?? [] { try store.saveMetadata() }
    }

    /// Throws an error that could not be thrown where it happened.
    func throwFaultingError() throws {
        if let error = session.takeError() { throw error }
    }

    /// Calls `willSave()` on every object with changes, and again on those that it changed.
    private func runWillSave() throws {
        session.phase = .savingHooks
        defer { session.phase = .idle }
        // The first round includes changes by observers of the save, and pending delete rules.
        processPendingChanges()
        _ = session.beginRounds()
        var round = [NSManagedObject].joined(tracker.inserted.all, tracker.updated.all, tracker.deleted.all)
        var passes = 0
        while !round.isEmpty {
            passes += 1
            guard passes <= 1000 else {
                throw NSError.coreData(
                    .coreData,
                    """
                    Failed to process pending changes before save. The context is still dirty after 1000 attempts. \
                    Typically this recursive dirtying is caused by a bad willSave() on \(type(of: round[0])).
                    """)
            }
            round.forEachUncounted { if $0.isRegistered(in: self) { $0.willSave() } }
            processPendingChanges()
            // What the hooks changed, also through delete rules, each once.
            round = session.takeChangedByHooks()
        }
    }

    /// Validates all inserted, updated and deleted objects, as a save does.
    ///
    /// - Throws: 1550 to 1699; 1560 for several errors.
    package func validateChanges() throws {
        session.isValidating = true
        defer { session.isValidating = false }
        var errors: [any Error] = []
        func collect(_ body: () throws -> Void) {
            do { try body() } catch { errors.append(error) }
        }
        tracker.inserted.all.forEachUncounted { object in collect { try object.validateForInsert() } }
        tracker.updated.all.forEachUncounted { object in collect { try object.validateForUpdate() } }
        for object in tracker.deleted.all where !object.state.contains(.inaccessible) {
            collect(object.validateForDelete)
        }
        try ValidationErrors.throwIfAny(errors)
    }

    // MARK: Writing

    private func write() throws {
        session.beginWriting()
        do {
            if parentContext == nil {
                try resolveSeenPairs()
                try writeResolvingConflicts()
            } else {
                try saveToParentResolvingConflicts()
            }
        } catch {
            revertResolution()
            throw error
        }
    }

    private func writeResolvingConflicts() throws {
        var attempts = 0
        while true {
            let plan = try SavePlan(self)
            do {
                do {
                    try execute(plan)
                } catch {
                    // Conflicts are resolved by the objects' values.
                    plan.restoreValues()
                    throw error
                }
                return
            } catch let conflicts as SaveConflicts {
                try resolve(mergeConflicts(conflicts), after: &attempts)
            } catch let links as DanglingLinks {
                try resolve(links, after: &attempts)
            } catch let violations as ConstraintViolations {
                try resolve(constraintConflicts(violations), after: &attempts, violations.cause)
            }
        }
    }

    private func execute(_ plan: SavePlan) throws {
        let compared = plan.stores.filter(\.unit.isEmpty)
        // Before any store commits: a conflict must not leave a save half done.
        for storePlan in compared { try compareLocks(storePlan) }
        var outcomes: [(StorePlan, SaveOutcome)] = []
        for storePlan in plan.stores where !storePlan.unit.isEmpty {
            keepExternalData(storePlan.deleted)
            do {
                let outcome = try storePlan.store.save(storePlan.unit)
                outcomes.append((storePlan, outcome))
                for companion in storePlan.store.companions {
                    companion.storeDidChange { storePlan.unit.changedKeys(outcome.inserted) }
                }
                storePlan.endWriting()
            } catch  where !outcomes.isEmpty {
                // What observes the part that was saved sees the other objects with their values.
                plan.restoreValues()
                // Another store has committed already: what it wrote must not be written again.
                finish(outcomes, isComplete: false)
                if error is SaveConflicts || error is ConstraintViolations || error is DanglingLinks {
                    throw error
                }
                throw NSError.coreData(
                    .persistentStoreIncompleteSave,
                    "One of several stores could not be saved: \(error.localizedDescription)",
                    [NSUnderlyingErrorKey: error as NSError, NSAffectedStoresErrorKey: [storePlan.store]])
            }
        }
        finish(outcomes + compared.map { ($0, SaveOutcome()) }, gone: plan.gone, isComplete: true)
    }

    /// Compares watched objects of a store that gets nothing to write.
    ///
    /// - Throws: `SaveConflicts`; an error of the store.
    private func compareLocks(_ plan: StorePlan) throws {
        guard !plan.unit.locks.isEmpty else { return }
        guard plan.store.isReadOnly else {
            _ = try plan.store.save(plan.unit)
            return
        }
        let conflicts = try plan.unit.locks.compactMap { lock -> SaveConflicts.Conflict? in
            let current = try plan.store.row(
                of: lock.storedEntity, lock.old.reference, notBefore: .infinity, for: reader(of: plan.store)
            ).flatMap { $0.entityNumber == lock.storedEntity.entityNumber ? $0 : nil }
            guard current?.version != lock.old.version else { return nil }
            return .init(storedEntity: lock.storedEntity, old: lock.old, cached: nil, current: current)
        }
        if !conflicts.isEmpty { throw SaveConflicts(conflicts) }
    }

    /// Reads the external data of objects whose deletion can be undone after it is saved, before its files go.
    func keepExternalData(_ objects: [NSManagedObject]) {
        guard undoManager != nil else { return }
        // Undoing the deletion reports a file that could not be read.
        for object in objects { object.readExternalData { _ in } }
    }

    /// Adopts what the stores wrote, then notifies objects and observers.
    ///
    /// - Parameters:
    ///   - gone: deleted objects that no store has.
    ///   - isComplete: false when other stores have yet to write their part.
    private func finish(
        _ outcomes: [(StorePlan, SaveOutcome)], gone: [NSManagedObject] = [], isComplete: Bool
    ) {
        keepResolution(isComplete: isComplete)
        advanceGeneration()
        _ = session.stopWatching(in: isComplete ? nil : outcomes.map { $0.0.store })
        var changes = ContextChanges()
        for object in gone { tracker.noteSavedDeletion(of: object) }
        changes.deleted = gone
        for (storePlan, outcome) in outcomes { adopt(outcome, storePlan, &changes) }
        let affected = outcomes.flatMap {
            $0.1.affected.map { NSManagedObjectID(storedEntity: $0.storedEntity, reference: $0.reference) }
        }
        announceSave(changes, affected: affected, token: historyToken(of: outcomes))
        for (plan, outcome) in outcomes where plan.isWritten {
            persistentStoreCoordinator?.postRemoteChange(plan.store, historyNumber: outcome.historyNumber)
        }
    }

    /// The token of what was written to stores with persistent history; nil where none has one.
    private func historyToken(of outcomes: [(StorePlan, SaveOutcome)]) -> NSPersistentHistoryToken? {
        var numbers: [String: Int64] = [:]
        for (plan, outcome) in outcomes {
            guard let number = outcome.historyNumber, let identifier = plan.store.identifier else { continue }
            numbers[identifier] = number
        }
        return numbers.isEmpty ? nil : NSPersistentHistoryToken(numbers)
    }

    /// Announces a save to the objects, observers of the context, and contexts that merge it.
    ///
    /// - Parameters:
    ///   - affected: other objects whose derived attributes the stores have changed.
    ///   - token: the position of the save in the histories of the stores.
    ///   - rowsAbove: what the parent has of the objects now, for other children of it; nil where there is no parent.
    func announceSave(
        _ changes: ContextChanges, affected: [NSManagedObjectID], token: NSPersistentHistoryToken? = nil,
        rowsAbove: RowsAbove? = nil
    ) {
        let saved = SavedChanges(changes, affected: affected)
        session.phase = .idle
        for object in changes.deleted { object.state.insert(.gone) }
        for objects in [changes.inserted, changes.updated, changes.deleted] {
            objects.forEachUncounted { $0.didSave() }
        }
        for object in changes.deleted { leave(object) }
        LazyNotification.post(.NSManagedObjectContextDidSave, self) { [self] in
            var information = userInfo(changes)
            if let token { information[Self.historyTokenKey] = token }
            return information
        }
        // Observers have had the shared sets. The lists of the caller outlive them: objects that nothing else has are released in the
        // order of their memory, not in that of a hash table.
        withExtendedLifetime(changes) { _ = session.endSharing() }
        post(DidSaveMessage(self, changes, token))
        LazyNotification.post(.NSManagedObjectContextDidSaveObjectIDs, self) { [self] in
            saved.userInfo.merging(generationInfo) { own, _ in own }
        }
        post(DidSaveObjectIDsMessage(_event: _ObjectIDEvent(self, saved, token)))
        post(DidSaveObjectIDsAsyncMessage(_event: _ObjectIDEvent(self, saved, token)))
        func merge(
            _ changes: SavedChanges, into subscribers: [any SaveSubscriber], _ rows: RowsAbove?
        ) {
            for subscriber in subscribers where subscriber !== self {
                subscriber.mergeLater(changes, rows: rows)
            }
        }
        merge(saved, into: subscribersAbove?.all ?? [], rowsAbove)
        adoptPermanentIDs()
        let gone = family.takeReleasedIDs().filter { identityMap.object(identity($0).key) == nil }
        let children = childSubscribers.all
        guard !children.isEmpty else { return }
        var rows: [NSManagedObjectID: Row] = [:]
        for object in changes.inserted + changes.updated { rows[object.objectID] = object.row }
        for id in affected where rows[id] == nil {
            let identity = identity(id)
            // A child may have an object that this context does not have.
            rows[id] =
                identityMap.object(identity.key)?.row
                ?? (try? presentRow(at: identity, notBefore: -.infinity))
        }
        merge(saved.deleting(gone), into: children, RowsAbove(rows: rows))
    }

    private func adopt(_ outcome: SaveOutcome, _ plan: StorePlan, _ changes: inout ContextChanges) {
        adoptInserted(plan.inserted, outcome.inserted, plan.store)
        let updated = [NSManagedObject].joined(plan.updated, plan.transientlyUpdated)
        _ = tracker.noteSavedUpdates(of: updated)
        for (object, row) in zip(plan.updated, outcome.updated) { markSaved(object, row) }
        for object in plan.transientlyUpdated { markSaved(object, object.row) }
        _ = tracker.noteSavedDeletions(of: plan.deleted)
        let isWhole = plan.inserted.allSatisfy { $0.isRegistered(in: self) }
        // One remains of two objects to which a damaged store gave the same key.
        changes.inserted.add(isWhole ? plan.inserted : plan.inserted.filter { $0.context === self })
        changes.updated.add(updated)
        changes.deleted.add(plan.deleted)
        adoptAffected(outcome, &changes)
    }

    /// Adopts the identities and values of new objects' rows.
    private func adoptInserted(_ objects: [NSManagedObject], _ rows: [Row], _ store: any ObjectStore) {
        require(rows.count == objects.count, "A store wrote \(rows.count) of \(objects.count) new objects.")
        _ = tracker.noteSavedInsertions(of: objects)
        adoptIdentities(of: objects, rows, store)
        var index = 0
        objects.forEachUncounted { object in
            defer { index += 1 }
            guard object.isRegistered(in: self) else { return }
            // The row has all that was set, in a third of the memory.
            if object.isWholeInRows { object.dropSetValues() }
            markSaved(object, rows[index])
        }
    }

    /// Gives new objects the identities of their rows.
    private func adoptIdentities(of objects: [NSManagedObject], _ rows: [Row], _ store: any ObjectStore) {
        var runs = EntityRuns()
        var number: Int32?
        var areNew = true
        for index in objects.indices {
            if number == rows[index].entityNumber {
                runs.extend()
            } else {
                number = rows[index].entityNumber
                guard let storedEntity = store.storedEntity(number: rows[index].entityNumber),
                    !storedEntity.notifiesStore
                else {
                    areNew = false
                    break
                }
                runs.append(.passUnretained(storedEntity))
            }
            areNew = areNew && objects[index].isNewInRegistry
        }
        guard areNew else { return renameChanged(objects, rows, store) }
        if identities.isShared {
            for run in runs {
                for index in run.indexes {
                    identities.note(objects[index].reference, run.storedEntity, rows[index].reference)
                }
            }
        }
        displaceForSameIdentity(identityMap.adopt(objects, rows, runs))
        // This context uses the new identities at once.
        adoptPermanentIDs()
    }

    /// Gives objects the identities of their rows where these differ: some had a permanent one before, or a store follows them.
    private func renameChanged(_ objects: [NSManagedObject], _ rows: [Row], _ store: any ObjectStore) {
        var names: [(object: NSManagedObject, storedEntity: StoredEntity, reference: Int64)] = []
        names.reserveCapacity(objects.count)
        var last: StoredEntity?
        for (object, row) in zip(objects, rows) {
            if last?.entityNumber != row.entityNumber { last = store.storedEntity(number: row.entityNumber) }
            guard let storedEntity = last else { continue }
            if object.storedEntity !== storedEntity || object.reference != row.reference {
                names.append((object, storedEntity, row.reference))
            }
        }
        rename(names)
    }

    /// Objects whose derived attributes a save of other objects changed.
    private func adoptAffected(_ outcome: SaveOutcome, _ changes: inout ContextChanges) {
        for (storedEntity, reference, values) in outcome.affected {
            guard let object = identityMap.object(ObjectKey(table: storedEntity.table, reference: reference)),
                let row = object.row, row.entityNumber == storedEntity.entityNumber
            else { continue }
            // A value that does not fit the row shows when the object is read again.
            guard let newer = try? row.replacing(values, storedEntity) else { continue }
            let counted = values.compactMap { object.layout.index(of: $0.attribute) }.filter {
                !object.layout.slots[$0].isDerived && !object.touched.contains($0)
            }
            if object.adoptDerivedValues(from: newer, and: counted) {
                tracker.noteExternalRefresh(of: object)
            }
            if !object.hasChanges { changes.refreshed.append(object) }
        }
        if tracker.hasExternalChanges { scheduleEventEnd() }
    }

    /// Makes the saved values the committed ones.
    func markSaved(_ object: NSManagedObject, _ row: Row?) {
        tracker.noteSavedUpdate(of: object)
        // A computed value may move the object in a list of results.
        if object.markSaved(row) { tracker.noteExternalRefresh(of: object) }
    }

    /// Releases an object whose deletion was saved. It keeps its values.
    func leave(_ object: NSManagedObject) {
        guard object.context === self else { return }
        identityMap.forget(object)
        retained?[ObjectIdentifier(object)] = nil
        object.context = nil
        object.state.remove(.gone)
        object.extras?.event = nil
    }
}
