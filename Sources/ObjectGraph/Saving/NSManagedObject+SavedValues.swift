import Foundation
import ManagedObjectModel

// The values of an object and those of the row that a save wrote.

extension NSManagedObject {
    /// Makes the present values the committed ones. Returns whether the store computed a new value.
    final func markSaved(_ row: Row?) -> Bool {
        touched.removeAll()
        if values.isEmpty, let row,
            layoutPointer._withUnsafeGuaranteedRef({ $0.derivedIndexes.isEmpty })
        {
            self.row = row
            return false
        }
        let layout = layout
        for slot in layout.toManyIndexes where slot < values.count {
            if case .toMany(let contents) = values[slot] { contents.markSaved() }
        }
        guard let row else { return false }
        for slot in outdatedSlots(layout, row) { values[slot] = .unloaded }
        return adoptDerivedValues(from: row)
    }

    /// The slots of values that are to be read from the row: a store may round a number, or count itself, and the object shows
    /// the stored value.
    private final func outdatedSlots(_ layout: EntityLayout, _ row: Row) -> PropertySet {
        var outdated = PropertySet()
        layout.traits.withUnsafeBufferPointer { traits in
            values.withUnsafeBufferPointer { values in
                for slot in 0..<min(traits.count, values.count) where traits[slot].isStored {
                    if values[slot].isUnloaded { continue }
                    let rowSlot = traits[slot].rowSlot
                    switch traits[slot].kind {
                    case .decimal, .double, .float, .date, .composite: outdated.insert(slot)
                    case .integer16, .integer32, .integer64, .boolean:
                        if case .integer(let number) = values[slot], !row.isNull(rowSlot),
                            row.integer(rowSlot) == number
                        {
                            continue
                        }
                        outdated.insert(slot)
                    // A link to a deleted object is not stored.
                    case .toOne: if row.isNull(rowSlot) { outdated.insert(slot) }
                    default: break
                    }
                }
            }
        }
        return outdated
    }

    /// Whether a row has all values of the object.
    @inline(__always)
    final var isWholeInRows: Bool {
        layoutPointer._withUnsafeGuaranteedRef { $0.isWholeInRows }
    }

    /// Forgets the values, which a row is about to replace.
    final func dropSetValues() { if !values.isEmpty { values = [] } }

    /// Removes the values of a new object, all of which its row has.
    final func takeSetValues() -> ContiguousArray<SlotValue> {
        assert(layout.isWholeInRows, "All values can be restored from the row.")
        var taken: ContiguousArray<SlotValue> = []
        swap(&taken, &values)
        return taken
    }

    /// Sets the values of a new object to those of a row, as they were set.
    final func restoreSetValues(from row: Row) {
        values = ContiguousArray(layout.slots.indices.map { row.value($0, layout.slots[$0]) })
    }

    /// Shows what the store computed. Returns whether anything is new.
    ///
    /// - Parameter counted: other attributes that triggers of the store keep.
    final func adoptDerivedValues(from row: Row, and counted: [Int] = []) -> Bool {
        if layout.derivedIndexes.isEmpty, counted.isEmpty {
            self.row = row
            return false
        }
        let old = self.row
        let changed = (layout.derivedIndexes + counted).filter { slot in
            let info = layout.slots[slot]
            if slot < values.count, !values[slot].isUnloaded {
                return !values[slot].isSame(as: row.value(slot, info))
            }
            return old.map { !$0.hasSameValue(as: row, slot, info) } ?? !row.isNull(slot)
        }
        for slot in changed { willChange(at: slot) }
        for slot in changed where slot < values.count {
            values[slot] = .unloaded
            touched.remove(slot)
        }
        self.row = row
        for slot in changed { didChange(at: slot) }
        return !changed.isEmpty
    }
}
