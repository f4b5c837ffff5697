import CocoaFoundation
import Foundation
import ManagedObjectModel

// Noting changes, event by event. An event is what happens between two calls of `processPendingChanges()`: a
// block of `perform`, or a turn of the main queue.

extension NSManagedObjectContext {
    /// Registers an object that was just made.
    func insertNew(_ object: NSManagedObject) {
        assertOnQueue()
        object.enter(.passUnretained(self))
        register(object)
        retained?[ObjectIdentifier(object)] = object
        tracker.noteInsertion(of: object)
        scheduleEventEnd()
        object.awakeFromInsert()
    }

    /// Inserts an object that was made without a context, or brings back one that was deleted and not saved since.
    public func insert(_ object: NSManagedObject) {
        assertOnQueue()
        require(
            !object.state.contains(.gone),
            "An object whose deletion was saved can be inserted again once the notifications of the save were posted."
        )
        if object.isDeleted, object.context === self {
            if object.state.contains(.inaccessible) { renew(object) } else { restoreDeleted(object) }
            return
        }
        guard object.context !== self else { return }
        require(
            object.context == nil,
            "An object of another context cannot be inserted; fetch it here by its objectID instead.")
        // The row has the values of a deleted object that was saved.
        if object.row != nil { object.loadAllValues(in: self) }
        object.storedEntity = unstoredEntity(object.layout)
        object.reference = StoredEntity.newTemporaryReference()
        IdentityChanges.note()
        object.row = nil
        object.state.remove([.fault, .inaccessible])
        insertNew(object)
    }

    /// Notes that a property of an object was set.
    func noteUpdate(of object: NSManagedObject) {
        guard !object.isDeleted else { return }
        tracker.noteUpdate(of: object)
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

    /// Removes a loaded object, to be deleted by the next save; one without a row below leaves with the event.
    ///
    /// - Parameter isPropagated: whether its delete rules have been applied.
    func markDeleted(_ object: NSManagedObject, isPropagated: Bool = false) {
        tracker.noteDeletion(of: object)
        if !isPropagated { tracker.propagateLater(object) }
        scheduleEventEnd()
    }

    /// Removes the deletion mark of an object.
    func restoreDeleted(_ object: NSManagedObject) {
        tracker.restore(object, isChanged: object.hasPersistentChangedValues)
        scheduleEventEnd()
    }

    /// Ends the running event: applies delete rules, registers an undo action, posts
    /// `NSManagedObjectContextObjectsDidChange`.
    public func processPendingChanges() {
        assertOnQueue()
        guard session.phase != .processing else { return }
        let outer = session.phase
        session.phase = .processing
        propagateDeletes(all: propagatesDeletesAtEndOfEvent || outer == .savingHooks)
        session.phase = outer
        guard tracker.hasEventChanges else { return }
        _ = tracker.takeOrderedSets()
        let changes = tracker.endEvent()
        session.noteChanges(of: changes)
        registerUndo(of: changes)
        var all = changes.contextChanges
        if listeners.readRelatedObjects { all.noteSlots(of: changes.updated) }
        var notified: [ObjectExtras] = []
        for object in changes.all {
            object.state.remove(.madeInEvent)
            guard let extras = object.extras, extras.event != nil else { continue }
            extras.beginNotifying()
            notified.append(extras)
        }
        for object in changes.forgotten { releaseUnsaved(object) }
        all.append(tracker.takeExternalChanges())
        post(all)
        for extras in notified { extras.notifiedEvent = nil }
    }

    /// Keeps an ordered set until the running event ends.
    func keepUntilEventEnds(_ set: RelationshipOrderedSet) {
        tracker.keep(set)
        scheduleEventEnd()
    }

    /// Releases an object that no store has.
    func releaseUnsaved(_ object: NSManagedObject) {
        if !childSubscribers.isEmpty { family.releasedIDs.append(object.objectID) }
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

    var all: [NSManagedObject] { .joined(inserted, updated, deleted, refreshed, forgotten) }

    /// The forgotten objects that an earlier event announced; the others were never announced.
    var announcedForgotten: [NSManagedObject] { forgotten.filter { !$0.state.contains(.madeInEvent) } }

    var contextChanges: ContextChanges {
        ContextChanges(
            inserted: inserted, updated: updated, deleted: .joined(deleted, announcedForgotten),
            refreshed: refreshed)
    }
}
