import CocoaFoundation
import Foundation
import ManagedObjectModel

// Setting slots, from the accessor (`set`) down to the bare value (`setSlot`):
//
//   set              loads the object, notifies observers, keeps inverses
//   assign           notes the old value for undo, marks the object as changed
//   setSlot          the value alone: what primitive setters do

extension NSManagedObject {
    /// Sets an attribute or to-one relationship as an accessor does.
    final func set(_ value: SlotValue, at slot: Int) {
        assertOnContextQueue()
        fireFault()
        if traits(at: slot).kind == .toOne {
            setToOne(value, at: slot)
            return
        }
        willChange(at: slot)
        assign(value, at: slot)
        didChange(at: slot)
    }

    /// Sets an attribute if nothing else is to be done: it is of this kind, the running event made the object, and there are no
    /// observers. Otherwise returns false and does nothing.
    @inline(__always)
    final func setFresh(_ value: SlotValue, at slot: Int, _ kind: SlotKind) -> Bool {
        guard state.contains(.madeInEvent), extras == nil else { return false }
        let traits = traits(at: slot)
        guard traits.kind == kind, !traits.isDerived else { return false }
        assertOnContextQueue()
        setSlot(slot, value)
        return true
    }

    /// Sets a value, notes the old one for the event and marks the object.
    final func assign(_ value: SlotValue, at slot: Int) {
        noteOld(at: slot)
        setSlot(slot, value)
        extras?.setUnnoticed.remove(slot)
        markChanged()
    }

    /// Sets the bare value, as primitive setters do.
    final func setSlotUnnoticed(_ slot: Int, _ value: SlotValue) {
        if row != nil, !touched.contains(slot), layout.slots[slot].isStored, layout.slots[slot].kind != .toOne
        {
            madeExtras.setUnnoticed.insert(slot)
        }
        setSlot(slot, value)
    }

    /// Sets the bare value.
    @inline(__always)
    final func setSlot(_ slot: Int, _ value: SlotValue) {
        ensureValues()
        values[slot] = value
        // A transient value that a hook such as `awakeFromFetch()` computes from the others does not count as a change.
        if state.contains(.unobservedChanges), layout.slots[slot].isTransient { return }
        noteTouched(slot)
    }

    /// Whether the values that the object has before it changes are kept for the running event. Those of an object
    /// that the event itself inserted are not: undoing takes the whole object back.
    @inline(__always)
    final var recordsChanges: Bool { state.isDisjoint(with: [.madeInEvent, .unobservedChanges]) }

    /// Keeps the value that a slot has now, if the event may have to be undone.
    final func noteOld(at slot: Int) {
        guard recordsChanges, contextPointer != nil else { return }
        if let old = number(at: slot) {
            withEvent { $0.note(old, at: slot) }
            return
        }
        let old = value(at: slot)
        let kept = old.isNull ? refusedArchive(at: slot) : nil
        withEvent { $0.note(kept ?? old, at: slot) }
    }

    /// The value of an attribute if it is a number, without counting references.
    @inline(__always)
    private final func number(at slot: Int) -> SlotValue? {
        if slot < values.count {
            switch values[slot] {
            case .integer(let number): return .integer(number)
            case .double(let number): return .double(number)
            case .unloaded: break
            default: return nil
            }
        }
        let traits = traits(at: slot)
        // Runs no code but this, so the object keeps its row.
        guard traits.isStored, let row = rowPointer, !row.isNull(slot) else { return nil }
        if traits.kind.isWholeNumber { return .integer(row.integer(slot)) }
        return traits.kind.isReal ? .double(row.double(slot)) : nil
    }

    /// The archive in the row of a transformable attribute that reads as nil because its transformer refused it. To undo
    /// its replacement, its bytes are needed.
    private final func refusedArchive(at slot: Int) -> SlotValue? {
        guard layout.slots[slot].kind == .transformable, !touched.contains(slot), let row, !row.isNull(slot)
        else { return nil }
        let reason = "The transformer of attribute '\(layout.slots[slot].name)' refused the stored value."
        return .boxed(ValueBox(OpaqueArchive(data: row.data(slot), reason: reason)))
    }

    final func withEvent(_ body: (inout EventChanges) -> Void) {
        madeExtras.withEvent(body)
    }

    /// Marks the object as changed in the running event.
    @inline(__always)
    final func markChanged() {
        guard state.isDisjoint(with: [.unobservedChanges, .madeInEvent]) else { return }
        // An object that was saved since it changed in this event has to be noted again.
        if state.contains(.eventUpdated), !state.isDisjoint(with: [.updated, .inserted]) { return }
        contextPointer?._withUnsafeGuaranteedRef { $0.noteUpdate(of: self) }
    }

    // MARK: Explicit changes: custom accessors

    final func beginChange(_ key: String, _ description: ChangeDescription = .whole) {
        context?.assertOnQueue()
        guard let slot = layout.index(of: key) else {
            extras?.changeListener?.objectWillChange()
            extras?.observers?.willChange(key, of: self, description)
            return
        }
        fireFault()
        let kind = layout.slots[slot].kind
        madeExtras.announced.append(
            (slot, kind == .toMany ? .boxed(ValueBox(loadedToMany(at: slot).ordered)) : value(at: slot)))
        willChange(at: slot, description)
    }

    final func endChange(_ key: String) {
        guard let slot = layout.index(of: key) else {
            extras?.observers?.didChange(key, of: self)
            if !Self.contextShouldIgnoreUnmodeledPropertyChanges, recordsChanges {
                context?.noteUpdate(of: self)
            }
            return
        }
        guard let position = extras?.announced.lastIndex(where: { $0.slot == slot }),
            let announced = extras?.announced.remove(at: position)
        else {
            fatalError(
                "didChangeValue(forKey: \"\(key)\") without willChangeValue(forKey:) before it.")
        }
        if !state.contains(.unobservedChanges) {
            let kind = layout.slots[slot].kind
            if kind == .toOne {
                let new = value(at: slot)
                // Put the old destination back, so that setting the new one keeps the inverses of both.
                setSlot(slot, announced.old)
                changeToOne(from: announced.old, to: new, at: slot)
            } else if kind == .toMany {
                applyMembers(since: announced.old, at: slot)
            } else {
                if recordsChanges, context != nil { withEvent { $0.note(announced.old, at: slot) } }
            }
            touched.insert(slot)
            extras?.setUnnoticed.remove(slot)
            markChanged()
        }
        didChange(at: slot)
    }

    // MARK: Observers

    /// - Parameter description: how a to-many relationship changes; evaluated only if there are observers.
    @inline(__always)
    final func willChange(
        at slot: Int, _ description: @autoclosure () -> ChangeDescription = .whole
    ) {
        if let extras, extras.hasObservers { notifyObservers(willChange: slot, description) }
    }

    @inline(__always)
    final func didChange(at slot: Int) {
        if let extras, extras.hasObservers { notifyObservers(didChange: slot) }
    }

    private final func notifyObservers(willChange slot: Int, _ description: () -> ChangeDescription) {
        guard !state.contains(.unobservedChanges) else { return }
        extras?.changeListener?.objectWillChange()
        notifyPropertyObservers(willChange: slot, description)
    }

    final func notifyPropertyObservers(
        willChange slot: Int, _ description: () -> ChangeDescription = { .whole }
    ) {
        guard !state.contains(.unobservedChanges) else { return }
        extras?.observers?.willChange(layout.slots[slot].name, of: self, description())
        registrarWillSet(slot)
    }

    private final func notifyObservers(didChange slot: Int) {
        guard !state.contains(.unobservedChanges) else { return }
        registrarDidSet(slot)
        extras?.observers?.didChange(layout.slots[slot].name, of: self)
    }

    // MARK: What changed

    /// The properties set since the last fetch or save, with their new values; nil as `NSNull`. Stored properties
    /// only; values that are equal to the old ones are left out, and so are those of saved objects that only primitive setters
    /// have set. Does not load relationships.
    public func changedValues() -> [String: Any] {
        var changed: [String: Any] = [:]
        let unnoticed = extras?.setUnnoticed
        for slot in persistentChanges() where !(unnoticed?.contains(slot) ?? false) {
            changed[layout.slots[slot].name] = anyValue(at: slot) ?? NSNull()
        }
        return changed
    }

    /// The stored properties changed since the last `NSManagedObjectContextObjectsDidChange` notification, with the
    /// values they had before; nil as `NSNull`. Observers of that notification find the changes that it reports.
    public func changedValuesForCurrentEvent() -> [String: Any] {
        guard let event = extras?.event ?? extras?.notifiedEvent else { return [:] }
        var changed: [String: Any] = [:]
        for (slot, old) in event.old where layout.slots[slot].isStored {
            changed[layout.slots[slot].name] = old.anyValue(layout.slots[slot].kind) ?? NSNull()
        }
        for (slot, change) in event.toMany where layout.slots[slot].isStored {
            let now = loadedToMany(at: slot)
            let old: Any =
                change.oldOrder.map { NSOrderedSet(array: $0) }
                ?? NSSet(set: now.members.subtracting(change.added).union(change.removed))
            changed[layout.slots[slot].name] = old
        }
        return changed
    }

    /// Whether a stored property has another value than the one last fetched or saved. Transient properties do not
    /// count; relationships are not loaded for it.
    public final var hasPersistentChangedValues: Bool {
        persistentChanges().next() != nil
    }

    /// The slots of stored properties whose value is not the row's. Derived attributes are the store's to change,
    /// also when a primitive setter gave one a first value.
    final func persistentChanges() -> AnyIterator<Int> {
        let layout = layout
        var indexes = touched.makeIterator()
        return AnyIterator { [self] in
            while let slot = indexes.next() {
                let info = layout.slots[slot]
                if info.isStored, !info.isDerived, differsFromRow(at: slot) { return slot }
            }
            return nil
        }
    }

    /// Whether the value of a stored slot is another than the committed one.
    final func differsFromRow(at slot: Int) -> Bool {
        guard slot < values.count else { return false }
        if case .integer(let number) = values[slot] {
            let kind = traits(at: slot).kind
            // Runs no code but this, so the object keeps its row.
            if kind.isWholeNumber {
                guard let row = rowPointer, !row.isNull(slot) else { return true }
                return row.integer(slot) != number
            }
        }
        let info = layout.slots[slot]
        switch values[slot] {
        case .unloaded: return false
        case .toMany(let contents): return contents.hasChanges
        case .object(let object):
            guard let row, !row.isNull(slot) else { return true }
            let reference = row.integer(slot)
            if reference < 0 {
                // The parent has not saved the destination, or had not when the row was made.
                guard object.reference != reference else { return false }
                let permanent = context?.identities.permanent(reference)
                return permanent?.storedEntity !== object.storedEntity
                    || permanent?.reference != object.reference
            }
            return object.storedEntity.isTemporary || object.reference != reference
                || (info.entitySlot >= 0
                    && row.integer(info.entitySlot) != Int64(object.storedEntity.entityNumber))
        case .null:
            guard let row else { return false }
            return info.kind == .composite ? !row.composite(info).isNull : !row.isNull(slot)
        case let value:
            guard let row else { return true }
            return !(stored(row, slot, info) ?? .null).isSame(as: value)
        }
    }

    /// The values last fetched or saved, by key; nil as `NSNull`. For `keys` nil: all stored properties but to-many
    /// relationships that are not loaded. Empty for an object that was never saved.
    public func committedValues(forKeys keys: [String]?) -> [String: Any] {
        fireFault()
        guard row != nil else { return [:] }
        var committed: [String: Any] = [:]
        for slot in keys.map({ $0.compactMap(layout.index(of:)) }) ?? Array(layout.slots.indices) {
            let info = layout.slots[slot]
            guard info.isStored else { continue }
            if info.kind == .toMany {
                let contents = toMany(at: slot)
                guard contents.isLoaded || keys != nil else { continue }
                let loaded = loadedToMany(at: slot)
                committed[info.name] =
                    info.isOrdered
                    ? NSOrderedSet(array: loaded.committedOrder) as Any
                    : NSSet(set: loaded.committedMembers) as Any
            } else {
                committed[info.name] = committedValue(at: slot).anyValue(info.kind) ?? NSNull()
            }
        }
        return committed
    }

    /// The row's value of an attribute or to-one relationship.
    final func committedValue(at slot: Int) -> SlotValue {
        row.map { value(at: slot, of: $0) } ?? .null
    }

    /// A row's value of an attribute or to-one relationship.
    final func value(at slot: Int, of row: Row) -> SlotValue {
        let info = layout.slots[slot]
        if info.kind == .toOne {
            return row.isNull(slot)
                ? .null : context?.destination(of: self, slot, row).map(SlotValue.object) ?? .null
        }
        return stored(row, slot, info) ?? .null
    }
}
