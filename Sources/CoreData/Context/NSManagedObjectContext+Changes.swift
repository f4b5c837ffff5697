import CocoaFoundation
import Foundation
import ManagedObjectModel

// Noticing changes, event by event. An event is what happens between two calls of `processPendingChanges()`: a
// block of `perform`, or a turn of the main queue.

extension NSManagedObjectContext {
    /// Whether the values that an object has before it changes are kept for the running event. Those of an object
    /// that the event itself inserted are not: undoing takes the whole object back.
    @inline(__always)
    func recordsChanges(of object: NSManagedObject) -> Bool {
        object.state.isDisjoint(with: [.eventInserted, .unobservedChanges])
    }

    /// Takes in an object that was just made.
    func insertNew(_ object: NSManagedObject) {
        assertOnQueue()
        object.context = self
        identityMap.register(object)
        retained?[ObjectIdentifier(object)] = object
        inserted.insert(object)
        eventInserted.insert(object)
        scheduleEventEnd()
        object.awakeFromInsert()
    }

    /// Inserts an object that was made without a context, or brings back one that was deleted and not saved since.
    public func insert(_ object: NSManagedObject) {
        assertOnQueue()
        if object.isDeleted, object.context === self {
            restoreDeleted(object)
            return
        }
        guard object.context !== self else { return }
        require(
            object.context == nil,
            "An object of another context cannot be inserted; fetch it here by its objectID instead.")
        object.home = unstoredEntity(object.layout)
        object.reference = StoredEntity.newTemporaryReference()
        object.row = nil
        object.state.remove([.fault, .inaccessible])
        insertNew(object)
    }

    /// Notes that a property of an object was set.
    func noteUpdate(of object: NSManagedObject) {
        guard !object.isDeleted else { return }
        if !object.isInserted { updated.insert(object) }
        eventUpdated.insert(object)
        scheduleEventEnd()
    }

    /// Marks an object to be deleted by the next save. Delete rules apply at the end of the event.
    public func delete(_ object: NSManagedObject) {
        assertOnQueue()
        require(
            object.context === self || object.context == nil,
            "An object can be deleted only by its own context.")
        guard object.context === self else { return }
        object.fireFault()
        object.prepareForDeletion()
        guard !object.isDeleted else { return }
        if object.isInserted {
            let isNew = object.state.contains(.eventInserted)
            inserted.remove(object)
            eventInserted.remove(object)
            eventUpdated.remove(object)
            // Made and deleted in one event: as if it had never been. Its links to others still end.
            if isNew { object.extras?.event = nil }
            forget(object, isNew: isNew)
            deletionsToPropagate.append(object)
        } else {
            updated.remove(object)
            eventUpdated.remove(object)
            deleted.insert(object)
            eventDeleted.insert(object)
            deletionsToPropagate.append(object)
        }
        scheduleEventEnd()
    }

    /// Makes an object that no store knows leave with the event.
    ///
    /// - Parameter isNew: whether the running event made it, so that nobody was told of it.
    func forget(_ object: NSManagedObject, isNew: Bool = false) {
        object.state.insert(.leaving)
        if isNew { eventUnseen.append(object) } else { eventForgotten.append(object) }
    }

    /// Takes the mark of deletion off an object.
    func restoreDeleted(_ object: NSManagedObject) {
        if object.state.contains(.leaving) {
            object.state.remove(.leaving)
            eventForgotten.removeAll { $0 === object }
            eventUnseen.removeAll { $0 === object }
            inserted.insert(object)
        }
        guard deleted.contains(object) else { return }
        deleted.remove(object)
        eventDeleted.remove(object)
        if object.hasPersistentChangedValues { updated.insert(object) }
        eventInserted.insert(object)
        scheduleEventEnd()
    }

    /// Ends the running event: applies delete rules, registers an undo action, posts
    /// `NSManagedObjectContextObjectsDidChange`.
    public func processPendingChanges() {
        assertOnQueue()
        guard phase != .processing else { return }
        let outer = phase
        phase = .processing
        if propagatesDeletesAtEndOfEvent || outer == .savingHooks { propagateDeletes() }
        phase = outer
        guard hasEventChanges else { return }
        let changes = takeEventChanges()
        registerUndo(of: changes)
        for object in changes.forgotten + changes.unseen { dismiss(object) }
        for object in changes.all { object.extras?.event = nil }
        var all = changes.contextChanges
        all.append(external)
        external = ContextChanges()
        post(all)
    }

    var hasEventChanges: Bool {
        !eventInserted.isEmpty || !eventUpdated.isEmpty || !eventDeleted.isEmpty || !eventRefreshed.isEmpty
            || !eventForgotten.isEmpty || !eventUnseen.isEmpty || !external.isEmpty
    }

    private func takeEventChanges() -> EventObjects {
        let changes = EventObjects(
            inserted: eventInserted.all, updated: eventUpdated.all, deleted: eventDeleted.all,
            refreshed: eventRefreshed.all, forgotten: eventForgotten, unseen: eventUnseen)
        eventInserted.removeAll()
        eventUpdated.removeAll()
        eventDeleted.removeAll()
        eventRefreshed.removeAll()
        eventForgotten = []
        eventUnseen = []
        return changes
    }

    /// Lets go of an object that no store knows.
    func dismiss(_ object: NSManagedObject) {
        object.state.remove(.leaving)
        identityMap.forget(object)
        retained?[ObjectIdentifier(object)] = nil
        object.context = nil
    }
}

/// The objects that one event changed.
struct EventObjects {
    let inserted: [NSManagedObject]
    let updated: [NSManagedObject]
    let deleted: [NSManagedObject]
    let refreshed: [NSManagedObject]
    /// Made in an earlier event, and deleted before they were ever saved.
    let forgotten: [NSManagedObject]
    /// Made and deleted in this event.
    let unseen: [NSManagedObject]

    var all: [NSManagedObject] { inserted + updated + deleted + refreshed + forgotten + unseen }

    var contextChanges: ContextChanges {
        ContextChanges(
            inserted: inserted, updated: updated, deleted: deleted + forgotten, refreshed: refreshed)
    }
}
