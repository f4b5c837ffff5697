import CocoaFoundation
import Observation

/// Optional state of an object besides its values. One word, so all payloads are references of classes; most objects have none.
enum ObjectAttachment {
    case nothing
    /// The object's ID, once it was requested, under the object's present identity or a former one.
    case id(NSManagedObjectID)
    /// For a fault without a row.
    case source(FaultSource)
    case extras(ObjectExtras)

    @inline(__always)
    var isNothing: Bool {
        if case .nothing = self { return true }
        return false
    }
}

/// Objects whose rows are read together, when a property of the first of them is read.
///
/// A class, whose references take one word; those of a protocol take two. By itself it has no rows.
class FaultNeighbours {
    /// Loads the rows of those objects that are still waiting.
    ///
    /// - Throws: an error of the store; they can be loaded again then.
    func load(in context: NSManagedObjectContext) throws {}

    /// The row that one of the objects had before it waited for one; nil for none.
    func olderRow(of object: NSManagedObject) -> Row? { nil }
}

/// The source of a fault's values, other than its own row.
enum FaultSource {
    /// With its neighbours in a result, by one request.
    case batch(FaultNeighbours)
    /// A row with some of the columns, for those properties.
    case part(PartialRow)
}

extension NSManagedObject {
    package final var extras: ObjectExtras? {
        if case .extras(let extras) = attachment { return extras }
        return nil
    }

    final var madeExtras: ObjectExtras {
        if case .extras(let extras) = attachment { return extras }
        let made = ObjectExtras()
        made.faultSource = faultSource
        if case .id(let id) = attachment { made.cachedID = id }
        attachment = .extras(made)
        return made
    }

    /// The source of the fault's values when it has no row.
    final var faultSource: FaultSource? {
        get {
            switch attachment {
            case .nothing, .id: nil
            case .source(let source): source
            case .extras(let extras): extras.faultSource
            }
        }
        set {
            if case .extras(let extras) = attachment {
                extras.faultSource = newValue
            } else if let newValue {
                attachment = .source(newValue)
            } else if case .source = attachment {
                attachment = .nothing
            }
        }
    }

    /// The ID that was made last; nil if there is none, or no room for it.
    final var cachedID: NSManagedObjectID? {
        get {
            switch attachment {
            case .id(let id): id
            case .extras(let extras): extras.cachedID
            case .nothing, .source: nil
            }
        }
        set {
            switch attachment {
            case .extras(let extras): extras.cachedID = newValue
            case .nothing, .id: attachment = newValue.map(ObjectAttachment.id) ?? .nothing
            // The source is released with the first read, and an ID is made quickly.
            case .source: break
            }
        }
    }

    /// Slots that were set since the last fetch or save.
    package final var touched: PropertySet {
        @inline(__always)
        get { PropertySet(low: touchedLow, high: hasManySlots ? extras?.touchedHigh ?? [] : []) }
        @inline(__always)
        set {
            touchedLow = newValue.low
            guard hasManySlots else { return }
            if !newValue.high.isEmpty || extras != nil { madeExtras.touchedHigh = newValue.high }
        }
    }

    /// Adds a slot to those that were set, without making a set of the others.
    @inline(__always)
    final func noteTouched(_ slot: Int) {
        if slot < UInt64.bitWidth {
            touchedLow |= 1 &<< UInt64(truncatingIfNeeded: slot)
        } else {
            touched.insert(slot)
        }
    }

    /// Forgets a source that a new row, or a request for one, makes obsolete.
    final func dropFaultSource() {
        switch faultSource {
        case nil: break
        case .batch: if row != nil { faultSource = nil }
        case .part:
            faultSource = nil
            // Its decoded values; not those set when the object could not be loaded.
            guard isFault else { break }
            for slot in values.indices where !touched.contains(slot) {
                if case .toMany(let contents) = values[slot], contents.hasChanges { continue }
                values[slot] = .unloaded
            }
        }
    }
}

/// What only a few objects need at a time.
package final class ObjectExtras {
    // As the object's own variables, these are used on one queue only.
    @exclusivity(unchecked) var cachedID: NSManagedObjectID?
    /// The words of `NSManagedObject.touched` after the first.
    @exclusivity(unchecked) var touchedHigh: [UInt64] = []
    /// Key-value observers.
    @exclusivity(unchecked) package var observers: ObservationCenter?
    /// Swift Observation; made when the object is first read under `withObservationTracking`.
    @exclusivity(unchecked) package var registrar: ObservationRegistrar?
    /// Notified before each change of a property.
    @exclusivity(unchecked) var changeListener: (any ObjectChangeListener)?
    /// The attributes of a saved object that only primitive setters have set: a save writes them when it writes the object, but
    /// they do not count as changed.
    @exclusivity(unchecked) var setUnnoticed = PropertySet()
    /// The changes of the running event; removed when the event is processed.
    @exclusivity(unchecked) package var event: EventChanges?
    /// The changes of the event that observers are being notified of.
    @exclusivity(unchecked) var notifiedEvent: EventChanges?
    /// What `mutableOrderedSetValue(forKey:)` returned.
    var orderedSets: [WeakOrderedSet] = []
    /// Values noted by `willChangeValue(forKey:)`, innermost last.
    package var announced: [(slot: Int, old: SlotValue)] = []
    /// See `NSManagedObject.observationInfo()`.
    var observationInfo: UnsafeMutableRawPointer?
    /// For a fault without a row.
    var faultSource: FaultSource?
    /// For a deleted object: the members that its relationships had lost, unsaved, before the deletion, by slot.
    var endedBeforeDeletion: [Int: Set<NSManagedObject>] = [:]
    /// The store that a new object was assigned to.
    weak var assignedStore: NSPersistentStore?

    package init() {}

    /// Whether anything is notified of changes of a property.
    @inline(__always)
    final var hasObservers: Bool { observers != nil || registrar != nil || changeListener != nil }

    /// Changes what the running event notes, in place: its arrays are not copied.
    ///
    /// - Parameter body: runs no code of a program, which might change the object.
    final func withEvent(_ body: (inout EventChanges) -> Void) {
        if event == nil { event = EventChanges() }
        event?.change(body)
    }

    /// Makes the changes of the running event those that observers are notified of, in place.
    final func beginNotifying() {
        notifiedEvent = nil
        swap(&event, &notifiedEvent)
    }
}

/// The changes of one event in one object, enough to undo them.
package struct EventChanges {
    /// The first of `old`: most events set one attribute of an object, and a list of one would be an allocation.
    private var first: (slot: Int, value: SlotValue)?
    private var others: [(slot: Int, value: SlotValue)] = []
    /// The value before the event's first change, by slot.
    package private(set) var old: [(slot: Int, value: SlotValue)] {
        get { first.map { [$0] + others } ?? [] }
        set {
            first = newValue.first
            others = Array(newValue.dropFirst())
        }
    }
    package private(set) var toMany: [(slot: Int, change: ToManyChange)] = []

    package var isEmpty: Bool { first == nil && toMany.isEmpty }

    fileprivate mutating func change(_ body: (inout EventChanges) -> Void) { body(&self) }

    /// Notes the value that a slot has before it is set; only the first of an event counts.
    package mutating func note(_ value: SlotValue, at slot: Int) {
        guard let first else {
            first = (slot, value)
            return
        }
        if first.slot != slot, !others.contains(where: { $0.slot == slot }) { others.append((slot, value)) }
    }

    /// The changes without those that were reverted.
    func effective(in object: NSManagedObject) -> EventChanges {
        var effective = EventChanges()
        effective.old = old.filter { !$0.value.isSame(as: object.value(at: $0.slot)) }
        effective.toMany = toMany.filter { slot, change in
            if !change.added.isEmpty || !change.removed.isEmpty { return true }
            return change.oldOrder.map { $0 != object.loadedToMany(at: slot).order } ?? false
        }
        return effective
    }

    /// The objects whose ended links are restored when the changes are undone.
    var formerDestinations: [NSManagedObject] {
        old.compactMap { change -> NSManagedObject? in
            if case .object(let destination) = change.value { destination } else { nil }
        } + toMany.flatMap(\.change.removed)
    }

    /// The changes without links to objects that were deleted meanwhile, to undo them.
    func leavingOutLinks(to isGone: (NSManagedObject) -> Bool) -> EventChanges {
        let ordered = toMany.flatMap { $0.change.oldOrder ?? [] }
        guard (formerDestinations + ordered).contains(where: isGone) else { return self }
        var changes = EventChanges()
        changes.old = old.map { slot, value in
            if case .object(let destination) = value, isGone(destination) { return (slot, .null) }
            return (slot, value)
        }
        changes.toMany = toMany.map { slot, change in
            var kept = ToManyChange(oldOrder: change.oldOrder?.filter { !isGone($0) })
            kept.added = change.added
            kept.removed = change.removed.filter { !isGone($0) }
            return (slot, kept)
        }
        return changes
    }

    /// Whether a to-many relationship was changed by the event.
    func hasChange(at slot: Int) -> Bool { toMany.contains { $0.slot == slot } }

    /// Notes the order of a relationship before its first change.
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

    /// Forgets the addition or removal of a member of an unordered relationship.
    mutating func removeRecordedChange(_ object: NSManagedObject, at slot: Int) {
        guard let index = toMany.firstIndex(where: { $0.slot == slot }) else { return }
        toMany[index].change.added.remove(object)
        toMany[index].change.removed.remove(object)
        let change = toMany[index].change
        if change.added.isEmpty, change.removed.isEmpty, change.oldOrder == nil { toMany.remove(at: index) }
    }

    /// The changes of the to-many relationships that a condition holds for; nil when there are none.
    func ofToMany(where isKept: (Int) -> Bool) -> EventChanges? {
        var kept = EventChanges()
        kept.toMany = toMany.filter { isKept($0.slot) }
        return kept.isEmpty ? nil : kept
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
