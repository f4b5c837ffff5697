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
    /// Values noted by `willChangeValue(forKey:)`, innermost last.
    package var announced: [(slot: Int, old: SlotValue)] = []

    package init() {}
}

/// What one event changed in one object: enough to take it back.
package struct EventChanges {
    /// The value before the event's first change, by slot.
    package private(set) var old: [(slot: Int, value: SlotValue)] = []
    package private(set) var toMany: [(slot: Int, change: ToManyChange)] = []

    package var isEmpty: Bool { old.isEmpty && toMany.isEmpty }

    package func old(at slot: Int) -> SlotValue? { old.first { $0.slot == slot }?.value }

    /// Notes the value that a slot has before it is set; only the first of an event counts.
    package mutating func note(_ value: SlotValue, at slot: Int) {
        if !old.contains(where: { $0.slot == slot }) { old.append((slot, value)) }
    }

    package func toManyChange(at slot: Int) -> ToManyChange? { toMany.first { $0.slot == slot }?.change }

    package mutating func noteInsertion(of object: NSManagedObject, at slot: Int, order: [NSManagedObject]?) {
        withChange(at: slot, order: order) { change in
            if change.removed.remove(object) == nil { change.added.insert(object) }
        }
    }

    package mutating func noteRemoval(of object: NSManagedObject, at slot: Int, order: [NSManagedObject]?) {
        withChange(at: slot, order: order) { change in
            if change.added.remove(object) == nil { change.removed.insert(object) }
        }
    }

    package mutating func noteReordering(at slot: Int, order: [NSManagedObject]) {
        withChange(at: slot, order: order) { _ in }
    }

    private mutating func withChange(
        at slot: Int, order: [NSManagedObject]?, _ body: (inout ToManyChange) -> Void
    ) {
        let index =
            toMany.firstIndex { $0.slot == slot }
            ?? {
                toMany.append((slot, ToManyChange(oldOrder: order)))
                return toMany.count - 1
            }()
        body(&toMany[index].change)
    }
}

/// How an event changed a to-many relationship.
package struct ToManyChange {
    package var added: Set<NSManagedObject> = []
    package var removed: Set<NSManagedObject> = []
    /// The order before the event, of an ordered relationship.
    package let oldOrder: [NSManagedObject]?
}
