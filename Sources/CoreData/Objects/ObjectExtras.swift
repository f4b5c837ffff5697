import CocoaFoundation
import Observation

/// What only a few objects need at a time.
package final class ObjectExtras {
    /// Key-value observers.
    package var observers: ObservationCenter?
    /// Swift Observation; made when the object is first read under `withObservationTracking`.
    package var registrar: ObservationRegistrar?
    /// The changes of the running event; taken away when the event is processed.
    package var event: EventChanges?
    /// What `mutableOrderedSetValue(forKey:)` gave out.
    var orderedSets: [WeakOrderedSet] = []
    /// Values noted by `willChangeValue(forKey:)`, innermost last.
    package var announced: [(slot: Int, old: SlotValue)] = []
    /// The store that a new object was assigned to.
    weak var assignedStore: NSPersistentStore?

    package init() {}
}

/// What one event changed in one object: enough to take it back.
package struct EventChanges {
    /// The value before the event's first change, by slot.
    package private(set) var old: [(slot: Int, value: SlotValue)] = []
    package private(set) var toMany: [(slot: Int, change: ToManyChange)] = []

    package var isEmpty: Bool { old.isEmpty && toMany.isEmpty }

    /// Notes the value that a slot has before it is set; only the first of an event counts.
    package mutating func note(_ value: SlotValue, at slot: Int) {
        if !old.contains(where: { $0.slot == slot }) { old.append((slot, value)) }
    }

    /// The changes that are left when what was changed back is taken out.
    func effective(in object: NSManagedObject) -> EventChanges {
        var effective = EventChanges()
        effective.old = old.filter { !$0.value.isSame(as: object.value(at: $0.slot)) }
        effective.toMany = toMany.filter { slot, change in
            if !change.added.isEmpty || !change.removed.isEmpty { return true }
            return change.oldOrder.map { $0 != object.loadedToMany(at: slot).order } ?? false
        }
        return effective
    }

    /// Whether a to-many relationship was changed by the event.
    func hasChange(at slot: Int) -> Bool { toMany.contains { $0.slot == slot } }

    /// Notes the order that a relationship has before its first change.
    mutating func noteOrder(_ order: [NSManagedObject], at slot: Int) {
        toMany.append((slot, ToManyChange(oldOrder: order)))
    }

    mutating func noteInsertion(of object: NSManagedObject, at slot: Int) {
        withChange(at: slot) { change in
            if change.removed.remove(object) == nil { change.added.insert(object) }
        }
    }

    mutating func noteRemoval(of object: NSManagedObject, at slot: Int) {
        withChange(at: slot) { change in
            if change.added.remove(object) == nil { change.removed.insert(object) }
        }
    }

    private mutating func withChange(at slot: Int, _ body: (inout ToManyChange) -> Void) {
        if let index = toMany.firstIndex(where: { $0.slot == slot }) {
            body(&toMany[index].change)
            return
        }
        var change = ToManyChange(oldOrder: nil)
        body(&change)
        toMany.append((slot, change))
    }
}

/// How an event changed a to-many relationship.
package struct ToManyChange {
    package var added: Set<NSManagedObject> = []
    package var removed: Set<NSManagedObject> = []
    /// The order before the event, of an ordered relationship.
    package let oldOrder: [NSManagedObject]?
}
