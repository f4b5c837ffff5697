/// The unsaved changes of a context, and those of the running event.
///
/// No method calls code of a program while it changes the tracker, because that code may use the tracker: objects to release
/// are returned to the caller.
struct ChangeTracker {
    private(set) var inserted = PendingObjects(flag: .inserted)
    private(set) var updated = PendingObjects(flag: .updated)
    private(set) var deleted = PendingObjects(flag: .deleted)

    // Changes of the event that has not been processed yet.
    private var eventInserted = PendingObjects(flag: .eventInserted)
    private(set) var eventUpdated = PendingObjects(flag: .eventUpdated)
    private(set) var eventDeleted = PendingObjects(flag: .eventDeleted)
    private var eventRefreshed = PendingObjects(flag: .eventRefreshed)
    /// Objects that the event removed and that no store has: deleted ones that were never saved.
    private(set) var eventForgotten = PendingObjects(flag: .leaving)
    /// What `mutableOrderedSetValue(forKey:)` returned in this event.
    private var eventOrderedSets: [RelationshipOrderedSet] = []
    /// External changes since the last notification: merged, refreshed by a conflict.
    private var external = ContextChanges()
    /// Deleted objects whose delete rules were not applied yet.
    private var deletionsToPropagate: [NSManagedObject] = []
    /// The nesting depth of the context's blocks: an event ends with the outermost one.
    private var blockDepth = 0
    /// Whether the end of the event is scheduled on the main queue.
    private var isEventEndScheduled = false

    /// Whether there is anything to save.
    var hasChanges: Bool { !inserted.isEmpty || !deleted.isEmpty || !updated.isEmpty }

    // MARK: Noting changes

    mutating func noteInsertion(of object: NSManagedObject) {
        noteReturn(of: object)
        object.state.insert(.madeInEvent)
    }

    /// Notes that an object that had left is new again.
    mutating func noteReturn(of object: NSManagedObject) {
        inserted.insert(object)
        eventInserted.insert(object)
    }

    /// Notes that an object whose row is gone is to be saved as a new one. Observers see it as changed.
    mutating func noteReinsertion(of object: NSManagedObject) {
        inserted.insert(object)
        eventUpdated.insert(object)
    }

    /// Shows a reinserted object as new to observers, which were notified of its deletion.
    mutating func reportAsInserted(_ object: NSManagedObject) {
        eventUpdated.remove(object)
        eventInserted.insert(object)
    }

    /// Notes that a property of an object, which is not deleted, was set.
    mutating func noteUpdate(of object: NSManagedObject) {
        if !object.isInserted { updated.insert(object) }
        if !object.state.contains(.eventInserted) { eventUpdated.insert(object) }
    }

    /// Notes that a refreshed object has values to save, which the running event did not change.
    mutating func noteKeptUpdate(of object: NSManagedObject) { updated.insert(object) }

    /// Notes that a refreshed object keeps changes of the event.
    mutating func noteKeptEventUpdate(of object: NSManagedObject) { eventUpdated.insert(object) }

    /// Forgets that an object was changed.
    mutating func forgetUpdate(of object: NSManagedObject) {
        updated.remove(object)
        eventUpdated.remove(object)
    }

    /// Notes a deletion; an object that no store knows leaves with the event.
    mutating func noteDeletion(of object: NSManagedObject) {
        if object.isInserted {
            forget(object)
        } else {
            noteLoss(of: object)
            reportLoss(of: object)
        }
    }

    /// Notes that others have deleted an object, so that there is nothing else to save of it.
    mutating func noteLoss(of object: NSManagedObject) {
        forgetUpdate(of: object)
        deleted.insert(object)
    }

    /// Adds the loss of an object to the event's deletions.
    mutating func reportLoss(of object: NSManagedObject) { eventDeleted.insert(object) }

    /// Forgets that an object that was saved is deleted.
    mutating func forgetDeletion(of object: NSManagedObject) {
        deleted.remove(object)
        eventDeleted.remove(object)
    }

    /// Makes an object that no store knows leave with the event.
    mutating func forget(_ object: NSManagedObject) {
        inserted.remove(object)
        eventInserted.remove(object)
        eventUpdated.remove(object)
        eventForgotten.insert(object)
    }

    /// Removes the deletion mark of an object.
    ///
    /// - Parameter isChanged: whether it has values to save.
    mutating func restore(_ object: NSManagedObject, isChanged: Bool) {
        let isOfThisEvent = isDeletedByEvent(object)
        if object.state.contains(.leaving) {
            eventForgotten.remove(object)
            inserted.insert(object)
        } else {
            forgetDeletion(of: object)
            if isChanged { updated.insert(object) }
        }
        // Deleted and restored by one event, it is as before: new to observers only if it is new.
        if !isOfThisEvent || object.state.contains(.madeInEvent) {
            eventInserted.insert(object)
        } else {
            eventUpdated.insert(object)
        }
    }

    /// Notes that an object was refreshed.
    mutating func noteRefresh(of object: NSManagedObject) { eventRefreshed.insert(object) }

    // MARK: Changes from outside

    var hasExternalChanges: Bool { !external.isEmpty }

    mutating func noteExternalInsertion(of object: NSManagedObject) { external.inserted.append(object) }

    mutating func noteExternalDeletion(of object: NSManagedObject) { external.deleted.append(object) }

    mutating func noteExternalRefresh(of object: NSManagedObject) { external.refreshed.append(object) }

    /// The external changes since the last call.
    mutating func takeExternalChanges() -> ContextChanges {
        let changes = external
        external = ContextChanges()
        return changes
    }

    // MARK: Delete rules

    /// Schedules the delete rules of an object with those of the running event.
    mutating func propagateLater(_ object: NSManagedObject) { deletionsToPropagate.append(object) }

    /// Removes and returns the last of the objects whose delete rules are to be applied.
    mutating func takeDeletionToPropagate() -> NSManagedObject? { deletionsToPropagate.popLast() }

    /// Schedules the delete rules of objects again, in the order in which the objects were taken.
    mutating func restoreDeletions(_ objects: [NSManagedObject]) {
        deletionsToPropagate += objects.reversed()
    }

    // MARK: Events

    var hasEventChanges: Bool {
        !eventInserted.isEmpty || !eventUpdated.isEmpty || !eventDeleted.isEmpty || !eventRefreshed.isEmpty
            || !eventForgotten.isEmpty || hasExternalChanges || !eventOrderedSets.isEmpty
    }

    /// Whether the running event has deleted an object.
    func isDeletedByEvent(_ object: NSManagedObject) -> Bool {
        eventForgotten.contains(object) || eventDeleted.contains(object)
    }

    /// Begins a block, which is part of the running event.
    mutating func beginBlock() { blockDepth += 1 }

    /// Ends a block.
    ///
    /// - Returns: whether it was the outermost one, with which the event ends.
    mutating func endBlock() -> Bool {
        blockDepth -= 1
        return blockDepth == 0
    }

    /// Whether no block ends the running event, and its end is not scheduled yet.
    var needsEventEnd: Bool { blockDepth == 0 && !isEventEndScheduled }

    mutating func noteEventEnd(isScheduled: Bool) { isEventEndScheduled = isScheduled }

    /// Keeps an ordered set until the event ends.
    mutating func keep(_ set: RelationshipOrderedSet) { eventOrderedSets.append(set) }

    /// The ordered sets that were kept until now.
    mutating func takeOrderedSets() -> [RelationshipOrderedSet] {
        let sets = eventOrderedSets
        eventOrderedSets = []
        return sets
    }

    /// The changes of the running event, which ends; those from outside stay.
    mutating func endEvent() -> EventObjects {
        EventObjects(
            inserted: eventInserted.removeAll(), updated: eventUpdated.removeAll(),
            deleted: eventDeleted.removeAll(), refreshed: eventRefreshed.removeAll(),
            forgotten: eventForgotten.removeAll())
    }

    // MARK: Saving

    /// Notes that new objects were saved.
    ///
    /// - Returns: objects to release.
    mutating func noteSavedInsertions(of objects: [NSManagedObject]) -> [NSManagedObject] {
        inserted.remove(all: objects)
    }

    /// Notes that the values of objects were saved.
    ///
    /// - Returns: objects to release.
    mutating func noteSavedUpdates(of objects: [NSManagedObject]) -> [NSManagedObject] {
        updated.remove(all: objects)
    }

    /// Notes that the deletions of objects were saved.
    ///
    /// - Returns: objects to release.
    mutating func noteSavedDeletions(of objects: [NSManagedObject]) -> [NSManagedObject] {
        deleted.remove(all: objects)
    }

    /// Notes that the values of an object were saved.
    mutating func noteSavedUpdate(of object: NSManagedObject) { updated.remove(object) }

    /// Notes that the deletion of an object was saved.
    mutating func noteSavedDeletion(of object: NSManagedObject) { deleted.remove(object) }

    /// Notes that all insertions and deletions were saved.
    ///
    /// - Returns: objects to release.
    mutating func noteSavedInsertionsAndDeletions() -> [NSManagedObject] {
        inserted.removeAll() + deleted.removeAll()
    }

    // MARK: Leaving

    /// The changes that observers are notified of when all changes are reverted. Insertions and deletions of the running event
    /// were not announced yet.
    var changesOfRollback: ContextChanges {
        let changed = updated.all.filter { !$0.isInserted }
        let removed = deleted.all
        return ContextChanges(
            inserted: removed.filter { !eventDeleted.contains($0) && !$0.state.contains(.inaccessible) },
            updated: changed + removed.filter(eventDeleted.contains),
            deleted: unstored.filter { !$0.state.contains(.madeInEvent) },
            refreshed: eventRefreshed.all.filter {
                !$0.isInserted && !$0.isUpdated && !$0.isDeleted && !$0.state.contains(.leaving)
            })
    }

    /// The new objects, also those that leave with the event.
    var unstored: [NSManagedObject] { inserted.all + eventForgotten.all }

    /// The stored objects with changes.
    var storedWithChanges: [NSManagedObject] { updated.all.filter { !$0.isInserted } + deleted.all }

    /// Forgets the changes of an object.
    mutating func remove(_ object: NSManagedObject) {
        inserted.remove(object)
        forgetUpdate(of: object)
        forgetDeletion(of: object)
        eventInserted.remove(object)
        eventRefreshed.remove(object)
        eventForgotten.remove(object)
        deletionsToPropagate.removeAll { $0 === object }
    }

    /// Reverts the running event's changes of an object that has a former state again.
    mutating func revert(_ object: NSManagedObject, to state: ObjectState) {
        eventInserted.remove(object)
        eventUpdated.remove(object)
        eventDeleted.remove(object)
        if state.contains(.inserted) { inserted.insert(object) } else { inserted.remove(object) }
        if state.contains(.updated) { updated.insert(object) } else { updated.remove(object) }
        if state.contains(.deleted) { deleted.insert(object) } else { deleted.remove(object) }
    }

    /// Forgets all changes that were made here, and which delete rules are to be applied.
    ///
    /// - Returns: objects to release.
    mutating func removeAll() -> [NSManagedObject] {
        let waiting = deletionsToPropagate
        deletionsToPropagate = []
        return inserted.removeAll() + updated.removeAll() + deleted.removeAll() + endEvent().all + waiting
    }
}
