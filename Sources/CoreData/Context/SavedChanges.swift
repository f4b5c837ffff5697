import Foundation

/// What a save changed, as IDs, for other contexts.
struct SavedChanges: Sendable {
    private(set) var inserted: Set<NSManagedObjectID> = []
    private(set) var updated: Set<NSManagedObjectID> = []
    private(set) var deleted: Set<NSManagedObjectID> = []
    private(set) var refreshed: Set<NSManagedObjectID> = []

    /// - Parameter affected: objects whose derived attributes changed, whether the context has them or not.
    init(_ changes: ContextChanges, affected: [NSManagedObjectID]) {
        inserted = Set(changes.inserted.map(\.objectID))
        updated = Set(changes.updated.map(\.objectID))
        deleted = Set(changes.deleted.map(\.objectID))
        refreshed = Set(affected).subtracting(inserted).subtracting(updated).subtracting(deleted)
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
    /// Takes in what another context of the same coordinator saved.
    ///
    /// Changed objects that this context has are refreshed, under this context's own changes; inserted ones become
    /// known as faults; deleted ones are deleted here.
    ///
    /// - Parameter notification: a `NSManagedObjectContextDidSave` or `…DidSaveObjectIDs` notification.
    public func mergeChanges(fromContextDidSave notification: Notification) {
        assertOnQueue()
        let changes = SavedChanges(notification)
        // What no context of this process has saved, the row cache does not know.
        if !(notification.object is NSManagedObjectContext) { forgetRows(of: changes) }
        merge(changes)
        processPendingChanges()
    }

    private func forgetRows(of changes: SavedChanges) {
        for id in changes.updated.union(changes.deleted).union(changes.refreshed) {
            (id.home.store as? any ObjectStore)?.forgetRow(id.key)
        }
    }

    /// Takes in what others saved. That cannot be undone. An object that they deleted counts as deleted here too, until
    /// the next save, which has nothing to write for it.
    func merge(_ changes: SavedChanges) {
        for id in changes.inserted
        where id.home.store?.persistentStoreCoordinator === persistentStoreCoordinator {
            external.inserted.append(object(home: id.home, reference: id.reference))
        }
        for id in changes.updated.union(changes.refreshed) {
            guard let object = identityMap.object(id.key), !object.isDeleted else { continue }
            if object.isFault {
                object.row = nil
            } else {
                takeNewerRow(object)
            }
            external.refreshed.append(object)
        }
        for id in changes.deleted {
            guard let object = identityMap.object(id.key) else { continue }
            // Its row is gone: only one that the object holds can be read.
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
        }
        NotificationCenter.default.post(
            name: .NSManagedObjectContextDidMergeChangesObjectIDs, object: self, userInfo: changes.userInfo)
        scheduleEventEnd()
    }

    private func takeNewerRow(_ object: NSManagedObject) {
        do {
            if let row = try storedRow(of: object, notBefore: oldestAcceptable) {
                refreshValues(of: object, row)
            }
        } catch {
            Log.objects.error("Could not merge \(object.objectID): \(error.localizedDescription)")
            faultingError = error as NSError
        }
    }
}
