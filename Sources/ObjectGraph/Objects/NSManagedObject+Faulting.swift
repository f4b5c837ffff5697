import CocoaFoundation
import Foundation
import ManagedObjectModel

extension NSManagedObject {
    /// Loads the values of a fault; does nothing for any other object.
    @inline(__always)
    final func fireFault() {
        if state.contains(.fault) { fireOrLoad() }
    }

    /// Uses the available row, else loads it through the context.
    ///
    /// - Parameter slot: the property that is read; nil for the object as a whole.
    private final func fireOrLoad(reading slot: Int? = nil) {
        // The context is not retained for the check, only for calls that may run code of the class.
        if rowPointer.map(isAcceptable) ?? false {
            fire()
        } else {
            context?.loadFault(self, reading: slot)
        }
    }

    /// Loads the object and notes the read: what every accessor does first. Debug builds check the queue.
    @inline(__always)
    final func beginAccess(_ slot: Int) {
        #if DEBUG
        assertOnContextQueue()
        #endif
        if state.contains(.fault) { fireFault(reading: slot) }
        trackAccess(slot)
    }

    final func beginAccess(_ key: String?) {
        context?.assertOnQueue()
        let slot = key.flatMap(layout.index)
        if let slot {
            beginAccess(slot)
        } else {
            fireFault()
        }
    }

    /// Loads what is needed to read one property: the object, unless the fetched part of its row has the property.
    private final func fireFault(reading slot: Int) {
        // The common case, kept small so that it needs no stack frame.
        if attachment.isNothing, rowPointer.map(isAcceptable) ?? false { return fire() }
        loadOrReadPart(slot)
    }

    @inline(never)
    private final func loadOrReadPart(_ slot: Int) {
        guard !attachment.isNothing, case .part(let part) = faultSource, part.has(slot), let context else {
            return fireOrLoad(reading: slot)
        }
        context.assertOnQueue()
        guard slot >= values.count || values[slot].isUnloaded else { return }
        ensureValues()
        values[slot] = value(at: slot, of: part.row)
    }

    /// Adopts the values of a row. The object stops being a fault.
    final func fire(with row: Row?) {
        self.row = row
        fire()
    }

    /// Adopts the values of its row. The object stops being a fault.
    private final func fire() {
        state.remove(.fault)
        rowPointer?.approachNext()
        if hasTransientDefaults { setTransientDefaults() }
        withoutChangeTracking { awakeFromFetch() }
    }

    /// Runs a hook whose setters are not changes.
    final func withoutChangeTracking(_ body: () -> Void) {
        let nested = state.contains(.unobservedChanges)
        state.insert(.unobservedChanges)
        body()
        if !nested { state.remove(.unobservedChanges) }
    }

    /// Discards all values, transient ones too.
    final func turnIntoFault(keeping row: Row?) {
        let wasFault = isFault
        if !wasFault { willTurnIntoFault() }
        dropValues()
        self.row = row
        state.insert(.fault)
        if !wasFault { didTurnIntoFault() }
    }

    /// Makes a new object a fault. No store has its values, so it keeps them until it is used.
    final func turnIntoFaultKeepingValues() {
        guard !isFault else { return }
        willTurnIntoFault()
        state.insert(.fault)
        didTurnIntoFault()
    }

    /// Ends being such a fault.
    final func fireUnsaved() { state.remove(.fault) }

    /// Ends being a fault for an object that its context has released: it has no values.
    final func fireWithoutContext() {
        if context == nil { state.remove(.fault) }
    }
}

extension NSManagedObject {
    /// Forgets what was set and decoded, so that the row's values count.
    final func dropValues() {
        ReleaseQueue.release(&values, layout)
        touched.removeAll()
        markOrderedSetsStale()
    }

    /// Forgets transient values.
    final func dropTransientValues() {
        for slot in layout.transientIndexes where slot < values.count {
            values[slot] = .unloaded
            touched.remove(slot)
        }
        setTransientDefaults()
    }

    /// Sets unset transient attributes to their defaults.
    final func setTransientDefaults() {
        guard !layout.transientDefaults.isEmpty else { return }
        ensureValues()
        for (slot, value) in layout.transientDefaults where values[slot].isUnloaded { values[slot] = value }
    }

    /// Forgets the destinations of all stored relationships, changed ones too, so that the keys in the rows count.
    final func dropRelationships() {
        markOrderedSetsStale()
        for slot in layout.relationshipIndexes where slot < values.count && layout.slots[slot].isStored {
            values[slot] = .unloaded
            touched.remove(slot)
        }
    }

    /// Forgets the destinations of relationships without changes, and what fetched properties found, so that they are read
    /// again.
    final func dropLoadedRelationships() {
        markOrderedSetsStale()
        for slot in layout.relationshipIndexes where slot < values.count && layout.slots[slot].isStored {
            if case .toMany(let contents) = values[slot], contents.hasChanges {
                if contents.isOrdered {
                    replaceStoredDestinations(of: contents, slot)
                } else {
                    contents.forgetStored()
                }
                continue
            }
            if !touched.contains(slot) || !differsFromRow(at: slot) { values[slot] = .unloaded }
        }
        for slot in layout.transientIndexes
        where slot < values.count && layout.slots[slot].kind == .fetched {
            values[slot] = .unloaded
        }
    }

    /// Merges the destinations that others have added into an ordered relationship with changes.
    private final func replaceStoredDestinations(of contents: ToManyContents, _ slot: Int) {
        guard contents.isLoaded, let stored = context?.storedDestinations(of: self, slot) else { return }
        contents.replaceStored(stored.objects)
    }

    /// Notifies the observers of what a newer row may change: to-many relationships, and unchanged properties with another
    /// value in it.
    final func changing(to newer: Row, _ body: () -> Void) {
        extras?.changeListener?.objectWillChange()
        guard extras?.observers != nil || extras?.registrar != nil else { return body() }
        let slots = layout.slots.indices.filter { slot in
            let info = layout.slots[slot]
            guard info.isStored else { return info.kind == .fetched }
            guard info.kind != .toMany, let row else { return true }
            return !(touched.contains(slot) && differsFromRow(at: slot))
                && !row.hasSameValue(as: newer, slot, info)
        }
        for slot in slots { notifyPropertyObservers(willChange: slot) }
        body()
        for slot in slots { didChange(at: slot) }
    }

    /// Notifies the observers that every property may change.
    final func willChangeAll() {
        extras?.changeListener?.objectWillChange()
        guard extras?.observers != nil || extras?.registrar != nil else { return }
        for slot in layout.slots.indices { notifyPropertyObservers(willChange: slot) }
    }

    /// Notifies the observers that every property may have changed.
    final func didChangeAll() {
        guard extras?.observers != nil || extras?.registrar != nil else { return }
        for slot in layout.slots.indices { didChange(at: slot) }
    }
}
