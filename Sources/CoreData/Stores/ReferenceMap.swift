/// Values by the references of one table: a hash table with open addressing, several times as fast as `Dictionary` for
/// the one kind of key that every fetch, fault and release looks up.
///
/// Keys come in runs, so eight in a row stay beside each other. The runs are spread by a multiplier that each process
/// draws anew, so that no file can be made whose keys collide. Not thread-safe: the owner has a lock.
final class ReferenceMap<Value> {
    private struct Entry {
        var reference: Int64
        /// Nil for an entry that is free.
        var value: Value?
    }

    private var entries: UnsafeMutablePointer<Entry>
    /// A power of two; at most a half is taken.
    private var capacity: Int
    private var shift: UInt64
    private(set) var count = 0

    init() {
        capacity = 16
        shift = 63
        entries = .allocate(capacity: capacity)
        entries.initialize(repeating: Entry(reference: 0, value: nil), count: capacity)
    }

    deinit {
        entries.deinitialize(count: capacity)
        entries.deallocate()
    }

    /// Where the search for a reference begins.
    @inline(__always)
    private func home(_ reference: Int64) -> Int {
        let run = (UInt64(bitPattern: reference >> 3) &* spreadingMultiplier) >> shift
        return Int(truncatingIfNeeded: run << 3 | UInt64(bitPattern: reference) & 7)
    }

    /// The place of a reference, or the free one that it would take.
    @inline(__always)
    private func place(_ reference: Int64) -> Int {
        var place = home(reference)
        while entries[place].value != nil, entries[place].reference != reference {
            place = (place + 1) & (capacity - 1)
        }
        return place
    }

    /// The value for a reference. O(1).
    @inline(__always)
    func value(_ reference: Int64) -> Value? { entries[place(reference)].value }

    /// Sets the value for a reference; the one that was there before. O(1).
    @inline(__always)
    @discardableResult
    func set(_ value: Value, for reference: Int64) -> Value? {
        if (count + 1) * 2 > capacity { grow(to: capacity * 2) }
        let place = place(reference)
        let old = entries[place].value
        if old == nil { count += 1 }
        entries[place] = Entry(reference: reference, value: value)
        return old
    }

    /// Takes a value out. O(1).
    @discardableResult
    func remove(_ reference: Int64) -> Value? {
        var free = place(reference)
        guard let removed = entries[free].value else { return nil }
        count -= 1
        // Whoever was pushed past the free place by it moves back.
        var next = (free + 1) & (capacity - 1)
        while entries[next].value != nil {
            let distance = (next - home(entries[next].reference)) & (capacity - 1)
            if distance >= (next - free) & (capacity - 1) {
                entries[free] = entries[next]
                free = next
            }
            next = (next + 1) & (capacity - 1)
        }
        entries[free].value = nil
        return removed
    }

    /// Makes room for more values, so that they come in without growing the table. O(n).
    func reserve(_ more: Int) {
        var wanted = capacity
        while (count + more) * 2 > wanted { wanted *= 2 }
        if wanted > capacity { grow(to: wanted) }
    }

    private func grow(to newCapacity: Int) {
        let (old, oldCapacity) = (entries, capacity)
        capacity = newCapacity
        shift = UInt64(64 - (newCapacity >> 3).trailingZeroBitCount)
        entries = .allocate(capacity: newCapacity)
        entries.initialize(repeating: Entry(reference: 0, value: nil), count: newCapacity)
        for index in 0..<oldCapacity where old[index].value != nil {
            let place = place(old[index].reference)
            swap(&entries[place], &old[index])
        }
        old.deinitialize(count: oldCapacity)
        old.deallocate()
    }

    /// Calls `body` with each value, in no order.
    func forEach(_ body: (Value) -> Void) {
        for index in 0..<capacity { if let value = entries[index].value { body(value) } }
    }
}

/// Odd, so that no two references become one.
private let spreadingMultiplier = UInt64.random(in: .min ... .max) | 1
