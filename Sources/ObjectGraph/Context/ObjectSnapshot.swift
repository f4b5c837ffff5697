import CocoaFoundation
import Foundation

/// The resolutions of a running save's conflicts, kept to revert them if the save fails.
enum ResolutionStep {
    /// Changes that the policy made as an application makes them.
    case event(UndoStep)
    /// An object as it was before its conflict with a newer row was resolved, which no event notes.
    case object(ObjectSnapshot)
}

/// The complete state of an object in a context at one moment.
struct ObjectSnapshot {
    fileprivate let object: NSManagedObject
    fileprivate let storedEntity: StoredEntity
    fileprivate let reference: Int64
    fileprivate let row: Row?
    fileprivate let values: ContiguousArray<SlotValue>
    fileprivate let touched: PropertySet
    fileprivate let state: ObjectState

    init(_ object: NSManagedObject) {
        self.object = object
        storedEntity = object.storedEntity
        reference = object.reference
        row = object.row
        // Later changes modify the contents of relationships in place.
        values = ContiguousArray(
            object.values.map { value in
                if case .toMany(let contents) = value { .toMany(contents.copy()) } else { value }
            })
        touched = object.touched
        state = object.state
    }

    /// Whether the object now has another row, identity or status among the changes.
    fileprivate var isOutdated: Bool {
        let kept: ObjectState = [.fault, .inaccessible, .inserted, .updated, .deleted]
        return object.rowPointer?.words != row?.pointer.words || object.storedEntity !== storedEntity
            || object.reference != reference
            || object.context == nil || object.state.intersection(kept) != state.intersection(kept)
    }
}

extension NSManagedObjectContext {
    /// Restores an object. Its observers are notified, and those of the context at the end of the event.
    func restore(_ snapshot: ObjectSnapshot) {
        let object = snapshot.object
        guard snapshot.isOutdated, object.context === self || object.context == nil else { return }
        object.willChangeAll()
        if object.context == nil {
            object.context = self
            object.storedEntity = snapshot.storedEntity
            object.reference = snapshot.reference
            IdentityChanges.note()
            register(object)
            retained?[ObjectIdentifier(object)] = object
            tracker.noteExternalInsertion(of: object)
        } else {
            if object.storedEntity !== snapshot.storedEntity || object.reference != snapshot.reference {
                rename(object, storedEntity: snapshot.storedEntity, reference: snapshot.reference)
            }
            tracker.noteExternalRefresh(of: object)
        }
        object.markOrderedSetsStale()
        object.row = snapshot.row
        object.values = snapshot.values
        object.touched = snapshot.touched
        object.extras?.event = nil
        for flag in [ObjectState.fault, .inaccessible] {
            if snapshot.state.contains(flag) { object.state.insert(flag) } else { object.state.remove(flag) }
        }
        tracker.revert(object, to: snapshot.state)
        object.didChangeAll()
        scheduleEventEnd()
    }
}
