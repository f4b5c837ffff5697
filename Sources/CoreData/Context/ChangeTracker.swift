/// What is changed in a context and not saved, and of that what the running event has changed.
///
/// No method calls code of a program while it changes the tracker, which may be asked from there: what objects are let go of is
/// returned, for the caller to let go of.
struct ChangeTracker {
    var inserted = PendingObjects(flag: .inserted)
    var updated = PendingObjects(flag: .updated)
    var deleted = PendingObjects(flag: .deleted)

    // Changes of the event that has not been processed yet.
    var eventInserted = PendingObjects(flag: .eventInserted)
    var eventUpdated = PendingObjects(flag: .eventUpdated)
    var eventDeleted = PendingObjects(flag: .eventDeleted)
    var eventRefreshed = PendingObjects(flag: .eventRefreshed)
    /// Objects that the event took out again and that no store knows: deleted ones that were never saved.
    var eventForgotten = PendingObjects(flag: .leaving)
    /// What `mutableOrderedSetValue(forKey:)` gave out in this event.
    var eventOrderedSets: [RelationshipOrderedSet] = []
    /// What came from outside since the last notification: merged, refreshed by a conflict.
    var external = ContextChanges()
    /// Deleted objects whose delete rules were not applied yet.
    var deletionsToPropagate: [NSManagedObject] = []
    /// How deep in blocks of the context the queue is: an event ends with the outermost one.
    var blockDepth = 0
    /// Whether the end of the event has been asked for on the main queue.
    var isEventEndScheduled = false

    // MARK: Noticing

    mutating func noteInsertion(of object: NSManagedObject) {
        inserted.insert(object)
        eventInserted.insert(object)
        object.state.insert(.madeInEvent)
    }

    /// Notes that a property of an object was set, which is not deleted.
    mutating func noteUpdate(of object: NSManagedObject) {
        if !object.isInserted { updated.insert(object) }
        if !object.state.contains(.eventInserted) { eventUpdated.insert(object) }
    }

    /// Notes a deletion; an object that no store knows leaves with the event.
    mutating func noteDeletion(of object: NSManagedObject) {
        if object.isInserted {
            forget(object)
        } else {
            updated.remove(object)
            eventUpdated.remove(object)
            deleted.insert(object)
            eventDeleted.insert(object)
        }
    }

    /// Makes an object that no store knows leave with the event.
    mutating func forget(_ object: NSManagedObject) {
        inserted.remove(object)
        eventInserted.remove(object)
        eventUpdated.remove(object)
        eventForgotten.insert(object)
    }

    /// Takes the mark of deletion off an object.
    ///
    /// - Parameter isChanged: whether it has values to save.
    mutating func restore(_ object: NSManagedObject, isChanged: Bool) {
        let isOfThisEvent = eventForgotten.contains(object) || eventDeleted.contains(object)
        if object.state.contains(.leaving) {
            eventForgotten.remove(object)
            inserted.insert(object)
        } else {
            deleted.remove(object)
            eventDeleted.remove(object)
            if isChanged { updated.insert(object) }
        }
        // Deleted and put back by one event, it is what it was before: new to those who look on only if it is new.
        if !isOfThisEvent || object.state.contains(.madeInEvent) {
            eventInserted.insert(object)
        } else {
            eventUpdated.insert(object)
        }
    }

    // MARK: Events

    var hasEventChanges: Bool {
        !eventInserted.isEmpty || !eventUpdated.isEmpty || !eventDeleted.isEmpty || !eventRefreshed.isEmpty
            || !eventForgotten.isEmpty || !external.isEmpty || !eventOrderedSets.isEmpty
    }

    /// The changes of the running event, which ends; those from outside stay.
    mutating func endEvent() -> EventObjects {
        EventObjects(
            inserted: eventInserted.removeAll(), updated: eventUpdated.removeAll(),
            deleted: eventDeleted.removeAll(), refreshed: eventRefreshed.removeAll(),
            forgotten: eventForgotten.removeAll())
    }

    // MARK: Leaving

    /// Forgets the changes of an object.
    mutating func remove(_ object: NSManagedObject) {
        inserted.remove(object)
        updated.remove(object)
        deleted.remove(object)
        eventInserted.remove(object)
        eventUpdated.remove(object)
        eventDeleted.remove(object)
        eventRefreshed.remove(object)
        eventForgotten.remove(object)
        deletionsToPropagate.removeAll { $0 === object }
    }

    /// Takes back what the running event has changed of an object, which has a former state again.
    mutating func takeBack(_ object: NSManagedObject, to state: ObjectState) {
        eventInserted.remove(object)
        eventUpdated.remove(object)
        eventDeleted.remove(object)
        if state.contains(.inserted) { inserted.insert(object) } else { inserted.remove(object) }
        if state.contains(.updated) { updated.insert(object) } else { updated.remove(object) }
        if state.contains(.deleted) { deleted.insert(object) } else { deleted.remove(object) }
    }

    /// Forgets all changes of objects.
    ///
    /// - Returns: the objects.
    mutating func removeAll() -> [NSManagedObject] {
        inserted.removeAll() + updated.removeAll() + deleted.removeAll() + endEvent().all
    }
}
