import CocoaFoundation
import Foundation
import ManagedObjectModel

// Noticing changes, event by event. An event is what happens between two calls of `processPendingChanges()`: a
// block of `perform`, or a turn of the main queue.

extension NSManagedObjectContext {
    /// Takes in an object that was just made.
    func insertNew(_ object: NSManagedObject) {
        assertOnQueue()
        object.context = self
        register(object)
        retained?[ObjectIdentifier(object)] = object
        inserted.insert(object)
        eventInserted.insert(object)
        object.state.insert(.madeInEvent)
        scheduleEventEnd()
        object.awakeFromInsert()
    }

    /// Inserts an object that was made without a context, or brings back one that was deleted and not saved since.
    public func insert(_ object: NSManagedObject) {
        assertOnQueue()
        require(
            !object.state.contains(.gone),
            "An object whose deletion was saved can be inserted again when all have been told of the save.")
        if object.isDeleted, object.context === self {
            if object.state.contains(.inaccessible) { renew(object) } else { restoreDeleted(object) }
            return
        }
        guard object.context !== self else { return }
        require(
            object.context == nil,
            "An object of another context cannot be inserted; fetch it here by its objectID instead.")
        // Of a deleted object that was saved, the row has the values.
        if object.row != nil { object.materialiseValues(in: self) }
        object.home = unstoredEntity(object.layout)
        object.reference = StoredEntity.newTemporaryReference()
        IdentityChanges.note()
        object.row = nil
        object.state.remove([.fault, .inaccessible])
        insertNew(object)
    }

    /// Notes that a property of an object was set.
    func noteUpdate(of object: NSManagedObject) {
        guard !object.isDeleted else { return }
        if !object.isInserted { updated.insert(object) }
        if !object.state.contains(.eventInserted) { eventUpdated.insert(object) }
        scheduleEventEnd()
    }

    /// Marks an object to be deleted by the next save. Delete rules apply at the end of the event.
    public func delete(_ object: NSManagedObject) {
        assertOnQueue()
        require(
            object.context === self || object.context == nil,
            "An object can be deleted only by its own context.")
        guard object.context === self else { return }
        // A hook may delete others, whose hooks delete this one.
        guard !object.state.contains(.prepared) else { return }
        object.fireFault()
        object.state.insert(.prepared)
        object.prepareForDeletion()
        object.state.remove(.prepared)
        guard !object.isDeleted else { return }
        markDeleted(object)
    }

    /// Takes a loaded object out, to be deleted by the next save; one that nothing below knows leaves with the event.
    ///
    /// - Parameter isPropagated: whether its delete rules have been applied.
    func markDeleted(_ object: NSManagedObject, isPropagated: Bool = false) {
        if object.isInserted {
            forget(object)
        } else {
            updated.remove(object)
            eventUpdated.remove(object)
            deleted.insert(object)
            eventDeleted.insert(object)
        }
        if !isPropagated { deletionsToPropagate.append(object) }
        scheduleEventEnd()
    }

    /// Makes an object that no store knows leave with the event.
    func forget(_ object: NSManagedObject) {
        inserted.remove(object)
        eventInserted.remove(object)
        eventUpdated.remove(object)
        eventForgotten.insert(object)
    }

    /// Takes the mark of deletion off an object.
    func restoreDeleted(_ object: NSManagedObject) {
        let isOfThisEvent = eventForgotten.contains(object) || eventDeleted.contains(object)
        if object.state.contains(.leaving) {
            eventForgotten.remove(object)
            inserted.insert(object)
        } else {
            deleted.remove(object)
            eventDeleted.remove(object)
            if object.hasPersistentChangedValues { updated.insert(object) }
        }
        // Deleted and put back by one event, it is what it was before: new to those who look on only if it is new.
        if !isOfThisEvent || object.state.contains(.madeInEvent) {
            eventInserted.insert(object)
        } else {
            eventUpdated.insert(object)
        }
        scheduleEventEnd()
    }

    /// Ends the running event: applies delete rules, registers an undo action, posts
    /// `NSManagedObjectContextObjectsDidChange`.
    public func processPendingChanges() {
        assertOnQueue()
        guard phase != .processing else { return }
        let outer = phase
        phase = .processing
        propagateDeletes(all: propagatesDeletesAtEndOfEvent || outer == .savingHooks)
        phase = outer
        guard hasEventChanges else { return }
        eventOrderedSets = []
        let changes = takeEventChanges()
        if phase == .savingHooks {
            changedWhileSaving += changes.inserted + changes.updated + changes.deleted
        }
        registerUndo(of: changes)
        var all = changes.contextChanges
        if listeners.readRelatedObjects { all.noteSlots(of: changes.updated) }
        var told: [ObjectExtras] = []
        for object in changes.all {
            object.state.remove(.madeInEvent)
            guard let extras = object.extras, let event = extras.event else { continue }
            (extras.event, extras.toldEvent) = (nil, event)
            told.append(extras)
        }
        for object in changes.forgotten { dismiss(object) }
        all.append(external)
        external = ContextChanges()
        post(all)
        for extras in told { extras.toldEvent = nil }
    }

    /// Keeps an ordered set until the running event ends.
    func keepUntilEventEnds(_ set: RelationshipOrderedSet) {
        eventOrderedSets.append(set)
        scheduleEventEnd()
    }

    var hasEventChanges: Bool {
        !eventInserted.isEmpty || !eventUpdated.isEmpty || !eventDeleted.isEmpty || !eventRefreshed.isEmpty
            || !eventForgotten.isEmpty || !external.isEmpty || !eventOrderedSets.isEmpty
    }

    private func takeEventChanges() -> EventObjects {
        EventObjects(
            inserted: eventInserted.removeAll(), updated: eventUpdated.removeAll(),
            deleted: eventDeleted.removeAll(), refreshed: eventRefreshed.removeAll(),
            forgotten: eventForgotten.removeAll())
    }

    /// Lets go of an object that no store knows.
    func dismiss(_ object: NSManagedObject) {
        if !childSubscribers.isEmpty { dismissed.append(object.objectID) }
        object.state.subtract([.leaving, .madeInEvent])
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
    /// Deleted before they were ever saved.
    let forgotten: [NSManagedObject]

    var all: [NSManagedObject] { inserted + updated + deleted + refreshed + forgotten }

    /// The forgotten objects that others were told of by an earlier event; the rest has never been.
    var announcedForgotten: [NSManagedObject] { forgotten.filter { !$0.state.contains(.madeInEvent) } }

    var contextChanges: ContextChanges {
        ContextChanges(
            inserted: inserted, updated: updated, deleted: deleted + announcedForgotten, refreshed: refreshed)
    }
}
