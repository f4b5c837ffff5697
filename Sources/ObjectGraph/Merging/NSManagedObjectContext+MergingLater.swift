import Foundation
import ManagedObjectModel

// How a child merges what its parent has merged. It was not called to do so: it must not wait for its parent, whose queue may wait for
// it. What follows from a merge reads as anything else does, and waits: links of the child's own that meet those of others, delete rules,
// results controllers.

extension NSManagedObjectContext {
    /// Shows objects as the contexts above have them, once these come to it.
    func adoptChangesLater(at objectIdentities: [ObjectIdentity]) {
        readParentLater(objectIdentities) { [weak self] found in
            guard let self else { return }
            note(found.error)
            for identity in objectIdentities {
                guard let object = identityMap.object(self.identity(identity).key) else { continue }
                _ = adoptChange(
                    object,
                    NSManagedObjectID(storedEntity: identity.storedEntity, reference: identity.reference),
                    found)
            }
            do {
                try agreeOnPairs(of: tracker.updated.all)
            } catch {
                note(error)
            }
        }
    }

    /// Merges what the parent has merged, which others have saved, and then has the children merge it. Nothing waits for the parent.
    ///
    /// - Parameter changes: nil for any object that this context has.
    func mergeFromParentLater(_ changes: SavedChanges?) {
        perform { [weak self] in
            guard let self else { return }
            readParentLater(identitiesToRead(changes)) { [weak self] found in
                guard let self else { return }
                note(found.error)
                if let changes {
                    merge(changes, rows: found)
                    processPendingChanges()
                } else {
                    refreshAllObjects(found)
                    processPendingChanges()
                    listeners.notify(.anything)
                }
                for child in childSubscribers.all { child.mergeFromParentLater(changes) }
            }
        }
    }

    /// Where the objects are whose rows a merge needs.
    private func identitiesToRead(_ changes: SavedChanges?) -> [ObjectIdentity] {
        guard let changes else {
            return identityMap.all.filter {
                isShowingRow($0) && !$0.storedEntity.isTemporary
                    && ($0.isDeleted || $0.hasPersistentChangedValues)
            }.map(ObjectIdentity.init)
        }
        var objectIdentities = changes.inserted.union(changes.updated).union(changes.refreshed).map(identity)
            .filter {
                identityMap.object($0.key).map(isShowingRow) ?? false
            }
        // Who follows the context reads new objects at once.
        if !listeners.isEmpty {
            objectIdentities += changes.inserted.map(identity).filter { identityMap.object($0.key) == nil }
        }
        return objectIdentities
    }

    /// Whether an object shows a row that may be another one by now.
    private func isShowingRow(_ object: NSManagedObject) -> Bool {
        !object.isFault && !object.isInserted && !object.state.contains(.inaccessible)
    }

    /// Has the next save report what could not be read.
    private func note(_ error: (any Error)?) {
        guard let error else { return }
        Log.objects.error("Could not merge: \(error.localizedDescription)")
        session.faultingError = error as NSError
    }
}
