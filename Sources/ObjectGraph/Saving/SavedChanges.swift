import Foundation

/// The changes of a save, as IDs, for other contexts.
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

    /// Reads the changes in a notification or a message, for a context of a coordinator.
    ///
    /// - Parameters:
    ///   - userInfo: arrays or sets of objects, of their IDs or of the URLs of these, under `NSInsertedObjectsKey` or
    ///     `NSInsertedObjectIDsKey` and their like. Stops with a message for a value of another type.
    ///   - coordinator: the coordinator whose IDs are used. Objects of stores that it does not have are left out.
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
            (id.home.store as? any ObjectStore)?.forgetRow(id.key)
        }
    }

    /// Reads the rows of changed objects that are loaded here again, all at once.
    private func cacheRows(of changes: SavedChanges) {
        let loaded = changes.updated.union(changes.refreshed).compactMap {
            identityMap.object(place($0).key)
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
        var unread: [ObjectPlace] = []
        func show(_ object: NSManagedObject, _ id: NSManagedObjectID) {
            let isShown = takeChange(object, id, rows)
            if !isShown { unread.append(ObjectPlace(object)) }
        }
        adoptPermanentIDs()
        if isForeign { forgetRows(of: changes) }
        advanceGeneration()
        if isForeign { cacheRows(of: changes) }
        for id in changes.inserted {
            let place = place(id)
            if parentContext != nil, let known = identityMap.object(place.key) {
                show(known, id)
            } else if let rows {
                let row = rows.rows[id]
                guard row != nil || !place.home.isTemporary && reads(place) else { continue }
                // The ID of a saved object names its exact entity. Followers of the context read the object at once; others
                // read the parent's state later.
                let shown = ParentRow(place: place, row: listeners.isEmpty ? nil : row)
                for object in objects([shown]) { tracker.noteExternalInsertion(of: object) }
            } else if reads(place) {
                let object = object(home: place.home, reference: place.reference)
                tracker.noteExternalInsertion(of: object)
            }
        }
        for id in changes.updated.union(changes.refreshed) {
            if let object = identityMap.object(place(id).key) { show(object, id) }
        }
        var gone: Set<NSManagedObject> = []
        for place in changes.deleted.map(place) {
            guard let object = identityMap.object(place.key) else { continue }
            if !isCertain, isThere(object) { continue }
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
        NotificationCenter.default.post(
            name: .NSManagedObjectContextDidMergeChangesObjectIDs, object: self,
            userInfo: changes.mergedUserInfo.merging(generationInfo) { own, _ in own })
        let taken = changes.refreshed.union(changes.updated)
        post(DidMergeChangesMessage(_event: _ObjectIDEvent(self, changes, refreshed: taken)))
        post(DidMergeChangesAsyncMessage(_event: _ObjectIDEvent(self, changes, refreshed: taken)))
        scheduleEventEnd()
        if !unread.isEmpty { takeChangesLater(at: unread) }
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

    /// Merges others' changes of an object below its own changes.
    ///
    /// - Parameter rows: the parent's rows; nil to request the object's.
    /// - Returns: false when its row is needed and not among them.
    func takeChange(_ object: NSManagedObject, _ id: NSManagedObjectID, _ rows: RowsAbove?) -> Bool {
        guard !object.isInserted else { return true }
        guard !object.isDeleted else {
            guard !object.isFault, !object.state.contains(.inaccessible) else { return true }
            return takeNewerRow(object, id, rows) { row in
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
            isShown = takeNewerRow(object, id, rows) { row in refreshValues(of: object, row) }
        }
        if isShown { tracker.noteExternalRefresh(of: object) }
        return isShown
    }

    private func takeNewerRow(
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
