import Foundation

/// What a save changed, as IDs, for other contexts.
struct SavedChanges: Sendable {
    private(set) var inserted: Set<NSManagedObjectID> = []
    private(set) var updated: Set<NSManagedObjectID> = []
    private(set) var deleted: Set<NSManagedObjectID> = []
    private(set) var refreshed: Set<NSManagedObjectID> = []

    init(
        inserted: Set<NSManagedObjectID>, updated: Set<NSManagedObjectID>, deleted: Set<NSManagedObjectID>,
        refreshed: Set<NSManagedObjectID>
    ) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
        self.refreshed = refreshed
    }

    /// - Parameter affected: objects whose derived attributes changed, whether the context has them or not.
    init(_ changes: ContextChanges, affected: [NSManagedObjectID]) {
        inserted = Set(changes.inserted.map(\.objectID))
        updated = Set(changes.updated.map(\.objectID))
        deleted = Set(changes.deleted.map(\.objectID))
        refreshed = Set(affected).subtracting(inserted).subtracting(updated).subtracting(deleted)
    }

    /// The changes with more deletions.
    func deleting(_ ids: [NSManagedObjectID]) -> SavedChanges {
        var changes = self
        changes.deleted.formUnion(ids)
        return changes
    }

    /// Reads a `NSManagedObjectContextDidSave` or `…DidSaveObjectIDs` notification.
    init(_ notification: Notification) {
        func ids(_ objectsKey: String, _ idsKey: String) -> Set<NSManagedObjectID> {
            if let objects = notification.userInfo?[objectsKey] as? Set<NSManagedObject> {
                return Set(objects.map(\.objectID))
            }
            return notification.userInfo?[idsKey] as? Set<NSManagedObjectID> ?? []
        }
        inserted = ids(NSInsertedObjectsKey, NSInsertedObjectIDsKey)
        updated = ids(NSUpdatedObjectsKey, NSUpdatedObjectIDsKey)
        deleted = ids(NSDeletedObjectsKey, NSDeletedObjectIDsKey)
        refreshed = ids(NSRefreshedObjectsKey, NSRefreshedObjectIDsKey)
    }

    /// The `userInfo` of a notification of IDs.
    var userInfo: [AnyHashable: Any] {
        let lists = [
            (NSInsertedObjectIDsKey, inserted), (NSUpdatedObjectIDsKey, updated),
            (NSDeletedObjectIDsKey, deleted), (NSRefreshedObjectIDsKey, refreshed),
        ]
        return Dictionary(
            uniqueKeysWithValues: lists.filter { !$0.1.isEmpty }.map { (AnyHashable($0.0), $0.1 as Any) })
    }
}

extension NSManagedObjectContext {
    /// Takes in what another context of the same coordinator, or another child of the same parent, saved.
    ///
    /// Changed objects that this context has are refreshed, under this context's own changes; inserted ones become
    /// known as faults; deleted ones are deleted here. What a context below this one saved is here already, or not yet on
    /// its way here: that changes nothing.
    ///
    /// - Parameter notification: a `NSManagedObjectContextDidSave` or `…DidSaveObjectIDs` notification.
    public func mergeChanges(fromContextDidSave notification: Notification) {
        assertOnQueue()
        let changes = SavedChanges(notification)
        let saver = notification.object as? NSManagedObjectContext
        if let saver, sequence(first: saver, next: \.parentContext).contains(where: { $0 === self }) {
            return
        }
        // What no context of this process has saved, the row cache does not know.
        if saver == nil { forgetRows(of: changes) }
        merge(changes, isCertain: saver.map { $0.parentContext === parentContext } ?? (parentContext == nil))
        processPendingChanges()
    }

    func forgetRows(of changes: SavedChanges) {
        for id in changes.updated.union(changes.deleted).union(changes.refreshed) {
            (id.home.store as? any ObjectStore)?.forgetRow(id.key)
        }
    }

    /// Takes in what others saved. That cannot be undone. An object that they deleted counts as deleted here too, until
    /// the next save, which has nothing to write for it.
    ///
    /// - Parameter isCertain: whether what was saved is where this context reads. Otherwise an object may have been deleted
    ///   in a context whose parent has not saved that.
    func merge(_ changes: SavedChanges, isCertain: Bool = true) {
        adoptPermanentIDs()
        advanceGeneration()
        for place in changes.inserted.map(place) {
            if parentContext != nil, let known = identityMap.object(place.key) {
                takeChange(known)
            } else if reads(place) {
                external.inserted.append(object(home: place.home, reference: place.reference))
            }
        }
        for place in changes.updated.union(changes.refreshed).map(place) {
            if let object = identityMap.object(place.key) { takeChange(object) }
        }
        var gone: Set<NSManagedObject> = []
        for place in changes.deleted.map(place) {
            guard let object = identityMap.object(place.key) else { continue }
            if !isCertain, isThere(object) { continue }
            // Its row is gone: only one that the object holds can be read.
            object.takeLastKnownRow()
            if object.isFault, object.row == nil {
                makeInaccessible(object)
            } else {
                object.fireFault()
                updated.remove(object)
                eventUpdated.remove(object)
                deleted.insert(object)
                object.state.insert(.inaccessible)
            }
            external.deleted.append(object)
            gone.insert(object)
        }
        endUnsavedLinks(to: gone, isNoted: false)
        do {
            try agreeOnPairs(of: updated.all)
        } catch {
            Log.objects.error("Could not merge: \(error.localizedDescription)")
            faultingError = error as NSError
        }
        NotificationCenter.default.post(
            name: .NSManagedObjectContextDidMergeChangesObjectIDs, object: self,
            userInfo: changes.userInfo.merging(generationInfo) { own, _ in own })
        scheduleEventEnd()
    }

    /// Whether an object that another context has inserted is one that this context can have.
    private func reads(_ place: ObjectPlace) -> Bool {
        guard place.home.isTemporary else {
            return place.home.store?.persistentStoreCoordinator === persistentStoreCoordinator
        }
        guard parentContext != nil else { return false }
        return (try? row(at: place, notBefore: -.infinity)) != nil
    }

    private func isThere(_ object: NSManagedObject) -> Bool {
        (try? storedRow(of: object, notBefore: oldestAcceptable)) != nil
    }

    /// Shows what others have changed in an object, under its own changes.
    private func takeChange(_ object: NSManagedObject) {
        guard !object.isInserted else { return }
        guard !object.isDeleted else {
            if !object.isFault, !object.state.contains(.inaccessible) {
                takeNewerRow(object) { row in
                    object.rebase(on: row, keeping: .ownChanges)
                    // Others may have linked something to it: its delete rules apply to that too.
                    repeatDeletion(of: object)
                }
            }
            return
        }
        if object.isFault {
            object.row = nil
        } else {
            takeNewerRow(object) { row in refreshValues(of: object, row) }
        }
        external.refreshed.append(object)
    }

    private func takeNewerRow(_ object: NSManagedObject, _ take: (Row) -> Void) {
        do {
            if let row = try storedRow(of: object, notBefore: oldestAcceptable) { take(row) }
        } catch {
            Log.objects.error("Could not merge \(object.objectID): \(error.localizedDescription)")
            faultingError = error as NSError
        }
    }
}
