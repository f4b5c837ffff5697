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

    /// Reads what a notification or a message tells, for a context of a coordinator.
    ///
    /// - Parameters:
    ///   - userInfo: arrays or sets of objects, of their IDs or of the URLs of these, under `NSInsertedObjectsKey` or
    ///     `NSInsertedObjectIDsKey` and their like. Stops with a message for a value of another type.
    ///   - coordinator: whose IDs stand for them then. Objects of stores that it does not have are left out.
    init(_ userInfo: [AnyHashable: Any], for coordinator: NSPersistentStoreCoordinator?) {
        var translation = coordinator.map(IdentityTranslation.init)
        func ids(_ keys: String...) -> Set<NSManagedObjectID> {
            var found: Set<NSManagedObjectID> = []
            for key in keys {
                for id in Self.ids(userInfo[key], key: key, coordinator) {
                    let own = translation == nil ? id : translation?.id(id)
                    if let own { found.insert(own) }
                }
            }
            return found
        }
        inserted = ids(NSInsertedObjectsKey, NSInsertedObjectIDsKey)
        updated = ids(NSUpdatedObjectsKey, NSUpdatedObjectIDsKey)
        deleted = ids(NSDeletedObjectsKey, NSDeletedObjectIDsKey)
        refreshed = ids(NSRefreshedObjectsKey, NSRefreshedObjectIDsKey)
    }

    private static func ids(
        _ value: Any?, key: String, _ coordinator: NSPersistentStoreCoordinator?
    ) -> [NSManagedObjectID] {
        switch value {
        case nil: []
        case let objects as Set<NSManagedObject>: objects.map(\.objectID)
        case let ids as Set<NSManagedObjectID>: Array(ids)
        case let array as [Any]: array.compactMap { id($0, coordinator) }
        case let set as Set<AnyHashable>: set.compactMap { id($0.base, coordinator) }
        case let array as NSArray: array.compactMap { id($0, coordinator) }
        case let set as NSSet: set.compactMap { id($0, coordinator) }
        case let other?:
            fatalError(
                """
                The value of '\(key)' must be an array or a set of objects, of NSManagedObjectIDs or of their URLs, not \
                a \(type(of: other)).
                """)
        }
    }

    private static func id(_ value: Any, _ coordinator: NSPersistentStoreCoordinator?) -> NSManagedObjectID? {
        switch value {
        case let object as NSManagedObject: return object.objectID
        case let id as NSManagedObjectID: return id
        case let url as URL: return coordinator?.managedObjectID(forURIRepresentation: url)
        case let url as NSURL: return coordinator?.managedObjectID(forURIRepresentation: url as URL)
        default:
            fatalError(
                "Changes are given as objects, NSManagedObjectIDs or their URLs, not as a \(type(of: value))."
            )
        }
    }

    /// The `userInfo` of a notification that a context saved.
    var userInfo: [AnyHashable: Any] { userInfo(refreshed: refreshed) }

    /// The `userInfo` of a notification that a context merged the changes, which refreshes what was updated: such IDs are under
    /// both keys.
    var mergedUserInfo: [AnyHashable: Any] { userInfo(refreshed: refreshed.union(updated)) }

    private func userInfo(refreshed: Set<NSManagedObjectID>) -> [AnyHashable: Any] {
        let lists = [
            (NSInsertedObjectIDsKey, inserted), (NSUpdatedObjectIDsKey, updated),
            (NSDeletedObjectIDsKey, deleted), (NSRefreshedObjectIDsKey, refreshed),
        ]
        return Dictionary(
            uniqueKeysWithValues: lists.filter { !$0.1.isEmpty }.map { (AnyHashable($0.0), $0.1 as Any) })
    }
}

extension NSManagedObjectContext {
    /// Takes in what another context saved: one of this coordinator, another child of the same parent, or one of
    /// another coordinator that has the same store open.
    ///
    /// Changed objects that this context has are refreshed, under this context's own changes; inserted ones become
    /// known as faults; deleted ones are deleted here. What a context below this one saved is here already, or not yet on
    /// its way here: that changes nothing.
    ///
    /// - Parameter notification: a `NSManagedObjectContextDidSave` or `…DidSaveObjectIDs` notification, or one with arrays or
    ///   sets of objects, of `NSManagedObjectID`s or of their `URL`s under the same keys. Objects of stores that this
    ///   context's coordinator does not have do not count. Stops with a message for a value of another type.
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

    /// Forgets what is cached of objects that no context of this coordinator has saved.
    private func forgetRows(of changes: SavedChanges) {
        for id in changes.updated.union(changes.deleted).union(changes.refreshed) {
            (id.home.store as? any ObjectStore)?.forgetRow(id.key)
        }
    }

    /// Reads the rows again of changed objects that are loaded here, for all at once.
    private func cacheRows(of changes: SavedChanges) {
        let loaded = changes.updated.union(changes.refreshed).compactMap {
            identityMap.object(place($0).key)
        }.filter { !$0.isFault && !$0.isInserted && !$0.state.contains(.inaccessible) }
        guard loaded.count > 1, parentContext == nil else { return }
        // What cannot be read is asked for again, and told, object by object.
        _ = try? storedRows(of: loaded)
    }

    /// Takes in what others saved. That cannot be undone. An object that they deleted counts as deleted here too, until
    /// the next save, which has nothing to write for it.
    ///
    /// - Parameters:
    ///   - isCertain: whether what was saved is where this context reads. Otherwise an object may have been deleted
    ///     in a context whose parent has not saved that.
    ///   - isForeign: whether no context of this coordinator has saved it, so that its row cache knows nothing of it.
    ///   - rows: what the parent has saved, so that it need not be asked: its queue may wait for this one.
    func merge(
        _ changes: SavedChanges, isCertain: Bool = true, isForeign: Bool = false,
        rows: [NSManagedObjectID: Row] = [:]
    ) {
        adoptPermanentIDs()
        if isForeign { forgetRows(of: changes) }
        advanceGeneration()
        if isForeign { cacheRows(of: changes) }
        for id in changes.inserted {
            let place = place(id)
            if parentContext != nil, let known = identityMap.object(place.key) {
                takeChange(known, rows[id])
            } else if rows[id] != nil || reads(place) {
                let object = object(home: place.home, reference: place.reference)
                tracker.noteExternalInsertion(of: object)
            }
        }
        for id in changes.updated.union(changes.refreshed) {
            if let object = identityMap.object(place(id).key) { takeChange(object, rows[id]) }
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
        NotificationCenter.default.post(
            name: .NSManagedObjectContextDidMergeChangesObjectIDs, object: self,
            userInfo: changes.mergedUserInfo.merging(generationInfo) { own, _ in own })
        let taken = changes.refreshed.union(changes.updated)
        post(DidMergeChangesMessage(_event: _ObjectIDEvent(self, changes, refreshed: taken)))
        post(DidMergeChangesAsyncMessage(_event: _ObjectIDEvent(self, changes, refreshed: taken)))
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
    ///
    /// - Parameter saved: the row that they have saved; nil to ask for it.
    private func takeChange(_ object: NSManagedObject, _ saved: Row? = nil) {
        guard !object.isInserted else { return }
        guard !object.isDeleted else {
            if !object.isFault, !object.state.contains(.inaccessible) {
                takeNewerRow(object, saved) { row in
                    object.rebase(on: row, keeping: .ownChanges)
                    // Others may have linked something to it: its delete rules apply to that too.
                    repeatDeletion(of: object)
                }
            }
            return
        }
        if case .part = object.faultSource {
            // Somebody may have read what was fetched of it.
            object.willChangeAll()
            object.row = nil
            object.didChangeAll()
        } else if object.isFault {
            object.row = nil
        } else {
            takeNewerRow(object, saved) { row in refreshValues(of: object, row) }
        }
        tracker.noteExternalRefresh(of: object)
    }

    private func takeNewerRow(_ object: NSManagedObject, _ saved: Row?, _ take: (Row) -> Void) {
        if let saved, object.stands(for: saved) {
            // The object may have been read again since.
            if saved.timestamp >= object.row?.timestamp ?? -.infinity { take(saved) }
            return
        }
        do {
            if let row = try storedRow(of: object, notBefore: oldestAcceptable) { take(row) }
        } catch {
            Log.objects.error("Could not merge \(object.objectID): \(error.localizedDescription)")
            session.faultingError = error as NSError
        }
    }
}
