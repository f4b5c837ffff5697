import CocoaFoundation
import Foundation
import ManagedObjectModel

extension NSManagedObjectContext {
    /// Gives up all unsaved changes: inserted objects leave, deleted ones stay, changed ones have the values last
    /// fetched or saved. The undo stack is emptied.
    public func rollback() {
        assertOnQueue()
        undoManager?.removeAllActions(withTarget: self)
        // The objects go when this is over, and not before.
        let watched = session.abandon()
        tracker.deletionsToPropagate = []
        var changes = ContextChanges()
        let rolledBack = tracker.updated.all.filter { !$0.isInserted } + tracker.deleted.all
        let dismissed = tracker.inserted.all + tracker.eventForgotten.all
        // Others were not told yet of what the running event inserted and deleted.
        changes.deleted = dismissed.filter { !$0.state.contains(.madeInEvent) }
        changes.inserted = tracker.deleted.all.filter {
            !tracker.eventDeleted.contains($0) && !$0.state.contains(.inaccessible)
        }
        changes.refreshed = tracker.eventRefreshed.all.filter {
            !$0.isInserted && !$0.isUpdated && !$0.isDeleted && !$0.state.contains(.leaving)
        }
        changes.updated =
            tracker.updated.all.filter { !$0.isInserted }
            + tracker.deleted.all.filter(tracker.eventDeleted.contains)
        let changed = tracker.removeAll()
        for object in dismissed { dismiss(object) }
        for object in rolledBack where !object.isFault {
            object.willChangeAll()
            object.extras?.event = nil
            if object.state.contains(.inaccessible) {
                // The store is asked again when the object is used.
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
        withExtendedLifetime((watched, changed)) {}
    }

    /// Forgets everything: all objects leave the context and are not to be used any more.
    public func reset() {
        assertOnQueue()
        undoManager?.removeAllActions(withTarget: self)
        // The objects go when this is over, and not before.
        let watched = session.abandon()
        tracker.deletionsToPropagate = []
        tracker.external = ContextChanges()
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
        withExtendedLifetime((watched, changed)) {}
    }
}
