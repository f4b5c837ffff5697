import Foundation

extension NSManagedObjectContext {
    /// Merges what another context saved: one of this coordinator, another child of the same parent, or one of
    /// another coordinator that has the same store open.
    ///
    /// Changed objects that this context has are refreshed, under this context's own changes; inserted ones are registered as
    /// faults; deleted ones are deleted here. A save of a context below this one changes nothing: its changes are already here,
    /// or not saved to this context yet.
    ///
    /// - Parameter notification: a `NSManagedObjectContextDidSave` or `…DidSaveObjectIDs` notification, or one with arrays or
    ///   sets of objects, of `NSManagedObjectID`s or of their `URL`s under the same keys. Objects of stores that this
    ///   context's coordinator does not have are ignored. Stops with a message for a value of another type.
    public func mergeChanges(fromContextDidSave notification: Notification) {
        assertOnQueue()
        let changes = SavedChanges(notification.userInfo ?? [:], for: persistentStoreCoordinator)
        let saver = notification.object as? NSManagedObjectContext
        if let saver, sequence(first: saver, next: \.parentContext).contains(where: { $0 === self }) {
            return
        }
        merge(
            changes, isCertain: saver.map { $0.parentContext === parentContext } ?? (parentContext == nil),
            isForeign: saver == nil || saver?.persistentStoreCoordinator !== persistentStoreCoordinator)
        processPendingChanges()
    }

    /// Drops cached rows of objects that no context of this coordinator has saved.
    private func forgetRows(of changes: SavedChanges) {
        for id in changes.updated.union(changes.deleted).union(changes.refreshed) {
            (id.storedEntity.store as? any ObjectStore)?.forgetRow(id.key)
        }
    }

    /// Reads the rows of changed objects that are loaded here again, all at once.
    private func cacheRows(of changes: SavedChanges) {
        let loaded = changes.updated.union(changes.refreshed).compactMap {
            identityMap.object(identity($0).key)
        }.filter { !$0.isFault && !$0.isInserted && !$0.state.contains(.inaccessible) }
        guard loaded.count > 1, parentContext == nil else { return }
        // What cannot be read is requested again, and reported, object by object.
        _ = try? storedRows(of: loaded)
    }

    /// Merges what others saved. That cannot be undone. An object that they deleted counts as deleted here too, until
    /// the next save, which has nothing to write for it.
    ///
    /// - Parameters:
    ///   - isCertain: whether the save is in the store or parent of this context. Otherwise an object may have been deleted
    ///     in a context whose parent has not saved that.
    ///   - isForeign: whether no context of this coordinator has saved it, so that its row cache knows nothing of it.
    ///   - rows: the parent's rows of the objects; nil to request them, if the program called for the merge. An automatic merge
    ///     does not wait for the parent, whose queue may wait for this one: objects without a row here are merged later.
    func merge(
        _ changes: SavedChanges, isCertain: Bool = true, isForeign: Bool = false,
        rows: RowsAbove? = nil
    ) {
        var unread: [ObjectIdentity] = []
        func show(_ object: NSManagedObject, _ id: NSManagedObjectID) {
            let isShown = adoptChange(object, id, rows)
            if !isShown { unread.append(ObjectIdentity(object)) }
        }
        adoptPermanentIDs()
        if isForeign { forgetRows(of: changes) }
        advanceGeneration()
        if isForeign { cacheRows(of: changes) }
        for id in changes.inserted {
            let identity = identity(id)
            if parentContext != nil, let known = identityMap.object(identity.key) {
                show(known, id)
            } else if let rows {
                let row = rows.rows[id]
                guard row != nil || !identity.storedEntity.isTemporary && reads(identity) else { continue }
                // The ID of a saved object names its exact entity. Followers of the context read the object at once; others
                // read the parent's state later.
                let shown = ParentRow(identity: identity, row: listeners.isEmpty ? nil : row)
                for object in objects([shown]) { tracker.noteExternalInsertion(of: object) }
            } else if reads(identity) {
                let object = object(storedEntity: identity.storedEntity, reference: identity.reference)
                tracker.noteExternalInsertion(of: object)
            }
        }
        for id in changes.updated.union(changes.refreshed) {
            if let object = identityMap.object(identity(id).key) { show(object, id) }
        }
        var gone: Set<NSManagedObject> = []
        for identity in changes.deleted.map(identity) {
            guard let object = identityMap.object(identity.key) else { continue }
            if !isCertain, exists(object) { continue }
            if showLastKnownRow(of: object) {
                tracker.noteLoss(of: object)
                object.state.insert(.inaccessible)
            }
            tracker.noteExternalDeletion(of: object)
            gone.insert(object)
        }
        endUnsavedLinks(to: gone, isNoted: false)
        do {
            try agreeOnPairs(of: tracker.updated.all)
        } catch {
            Log.objects.error("Could not merge: \(error.localizedDescription)")
            session.faultingError = error as NSError
        }
        LazyNotification.post(.NSManagedObjectContextDidMergeChangesObjectIDs, self) { [self] in
            changes.mergedUserInfo.merging(generationInfo) { own, _ in own }
        }
        post(DidMergeChangesMessage(_event: _ObjectIDEvent(self, changes, isMerge: true)))
        post(DidMergeChangesAsyncMessage(_event: _ObjectIDEvent(self, changes, isMerge: true)))
        scheduleEventEnd()
        if !unread.isEmpty { adoptChangesLater(at: unread) }
    }

    /// Whether an object that another context has inserted is one that this context can have.
    private func reads(_ identity: ObjectIdentity) -> Bool {
        guard identity.storedEntity.isTemporary else {
            return identity.storedEntity.store?.persistentStoreCoordinator === persistentStoreCoordinator
        }
        guard parentContext != nil else { return false }
        return (try? row(at: identity, notBefore: -.infinity)) != nil
    }

    private func exists(_ object: NSManagedObject) -> Bool {
        (try? storedRow(of: object, notBefore: oldestAcceptable)) != nil
    }

    /// Merges others' changes of an object below its own changes.
    ///
    /// - Parameter rows: the parent's rows; nil to request the object's.
    /// - Returns: false when its row is needed and not among them.
    func adoptChange(_ object: NSManagedObject, _ id: NSManagedObjectID, _ rows: RowsAbove?) -> Bool {
        guard !object.isInserted else { return true }
        guard !object.isDeleted else {
            guard !object.isFault, !object.state.contains(.inaccessible) else { return true }
            return adoptNewerRow(object, id, rows) { row in
                object.rebase(on: row, keeping: .ownChanges)
                // Others may have linked objects to it: its delete rules apply to these too.
                repeatDeletion(of: object)
            }
        }
        var isShown = true
        if case .part = object.faultSource {
            // The fetched values may have been read.
            object.willChangeAll()
            object.row = nil
            object.didChangeAll()
        } else if object.isFault {
            object.row = nil
        } else {
            isShown = adoptNewerRow(object, id, rows) { row in refreshValues(of: object, row) }
        }
        if isShown { tracker.noteExternalRefresh(of: object) }
        return isShown
    }

    private func adoptNewerRow(
        _ object: NSManagedObject, _ id: NSManagedObjectID, _ rows: RowsAbove?, _ take: (Row) -> Void
    ) -> Bool {
        if let rows {
            guard let row = rows.rows[id], object.stands(for: row) else { return false }
            if !rows.isOlder(row, than: object) { take(row) }
            return true
        }
        do {
            if let row = try storedRow(of: object, notBefore: oldestAcceptable) { take(row) }
        } catch {
            Log.objects.error("Could not merge \(object.objectID): \(error.localizedDescription)")
            session.faultingError = error as NSError
        }
        return true
    }
}
