import CocoaFoundation
import Foundation
import ManagedObjectModel

extension NSManagedObjectContext {
    /// Discards all unsaved changes: inserted objects leave, deleted ones stay, changed ones have the values last
    /// fetched or saved. The undo stack is emptied.
    public func rollback() {
        assertOnQueue()
        undoManager?.removeAllActions(withTarget: self)
        // The objects are released at the end, not before.
        let given = session.abandon()
        let changes = tracker.changesOfRollback
        let rolledBack = tracker.storedWithChanges
        let releasedIDs = tracker.unstored
        let changed = tracker.removeAll()
        for object in releasedIDs { releaseUnsaved(object) }
        for object in rolledBack where !object.isFault {
            object.willChangeAll()
            object.extras?.event = nil
            if object.state.contains(.inaccessible) {
                // The store is read again when the object is used.
                object.state.remove(.inaccessible)
                object.turnIntoFault(keeping: nil)
            } else {
                object.dropValues()
                object.setTransientDefaults()
                object.withoutChangeTracking { object.awake(fromSnapshotEvents: .rollback) }
            }
            object.didChangeAll()
        }
        post(changes)
        withExtendedLifetime((given, changed)) {}
    }

    /// Forgets everything: all objects leave the context and must not be used any more.
    public func reset() {
        assertOnQueue()
        undoManager?.removeAllActions(withTarget: self)
        // The objects are released at the end, not before.
        let given = session.abandon()
        let external = tracker.takeExternalChanges()
        let objects = identityMap.all
        let ids = objects.map(\.objectID)
        let changed = tracker.removeAll()
        for object in objects {
            identityMap.forget(object)
            object.extras?.event = nil
            object.turnIntoFault(keeping: nil)
            object.context = nil
        }
        if retained != nil { retained = [:] }
        advanceGeneration()
        post(ContextChanges(invalidatedIDs: ids))
        withExtendedLifetime((given, external, changed)) {}
    }
}
