/// Values by the references of one table: a hash table with open addressing, several times as fast as `Dictionary` for
/// the one kind of key that every fetch, fault and release looks up.
///
/// Keys come in runs, so eight consecutive ones stay together. A random multiplier of each process spreads the runs, so that no
/// file can be made whose keys collide; consecutive runs rarely share a place. Not thread-safe: the owner has a lock.
@usableFromInline
package final class ReferenceMap<Value> {
    @usableFromInline
    struct Entry {
        @usableFromInline var reference: Int64
        /// Nil for an entry that is free or was vacated.
        @usableFromInline var value: Value?

        @inlinable
        init(reference: Int64, value: Value?) {
            self.reference = reference
            self.value = value
        }

        /// Whether a search continues after the entry.
        @inlinable @inline(__always)
        var isLeft: Bool { value == nil && reference == .min }

        @inlinable static var free: Entry { Entry(reference: 0, value: nil) }
        /// An entry whose value was removed while others followed it.
        @inlinable static var left: Entry { Entry(reference: .min, value: nil) }
    }

    @exclusivity(unchecked) @usableFromInline var entries: UnsafeMutablePointer<Entry>
    /// A power of two; at most half of the entries are used or vacated.
    @exclusivity(unchecked) @usableFromInline var capacity: Int
    @exclusivity(unchecked) @usableFromInline var shift: UInt64
    @exclusivity(unchecked) @usableFromInline private(set) var count = 0
    @exclusivity(unchecked) @usableFromInline var leftCount = 0
    @usableFromInline let multiplier = spreadingMultiplier

    package init() {
        capacity = 16
        shift = 63
        entries = .allocate(capacity: capacity)
        entries.initialize(repeating: .free, count: capacity)
    }

    @inlinable
    deinit {
        entries.deinitialize(count: capacity)
        entries.deallocate()
    }

    /// The start index of the search for a reference.
    @inlinable @inline(__always)
    func slotIndex(_ reference: Int64) -> Int {
        let run = (UInt64(bitPattern: reference >> 3) &* multiplier) &>> shift
        return Int(truncatingIfNeeded: run << 3 | UInt64(bitPattern: reference) & 7)
    }

    /// The index of a reference, or the free one that it would use.
    @inlinable @inline(__always)
    func position(_ reference: Int64) -> Int {
        var position = slotIndex(reference)
        while true {
            if entries[position].value == nil {
                if entries[position].reference != .min { return position }
            } else if entries[position].reference == reference {
                return position
            }
            position = (position &+ 1) & (capacity &- 1)
        }
    }

    /// The value for a reference. O(1).
    @inlinable @inline(__always)
    package func value(_ reference: Int64) -> Value? { entries[position(reference)].value }

    /// Sets the value for a reference and returns the former one. O(1).
    @inlinable @inline(__always)
    @discardableResult
    package func set(_ value: Value, for reference: Int64) -> Value? {
        if (count + leftCount + 1) * 2 > capacity {
            grow(to: (count + 1) * 4 > capacity ? capacity * 2 : capacity)
        }
        let position = position(reference)
        let old = entries[position].value
        if old == nil { count += 1 }
        entries[position] = Entry(reference: reference, value: value)
        return old
    }

    /// Removes a value. O(1).
    @inlinable
    @discardableResult
    func remove(_ reference: Int64) -> Value? {
        let position = position(reference)
        guard let removed = entries[position].value else { return nil }
        count -= 1
        let next = (position &+ 1) & (capacity &- 1)
        if entries[next].value == nil, !entries[next].isLeft {
            entries[position] = .free
        } else {
            entries[position] = .left
            leftCount += 1
        }
        return removed
    }

    /// Reserves capacity for more values. O(n).
    @inlinable
    package func reserve(_ more: Int) {
        if let wanted = tableCapacity(for: more, count: count, vacatedCount: leftCount, capacity) {
            grow(to: wanted)
        }
    }

    @inlinable
    func grow(to newCapacity: Int) {
        let (old, oldCapacity) = (entries, capacity)
        capacity = newCapacity
        shift = UInt64(64 - (newCapacity >> 3).trailingZeroBitCount)
        entries = .allocate(capacity: newCapacity)
        entries.initialize(repeating: .free, count: newCapacity)
        leftCount = 0
        for index in 0..<oldCapacity where old[index].value != nil {
            let position = position(old[index].reference)
            swap(&entries[position], &old[index])
        }
        old.deinitialize(count: oldCapacity)
        old.deallocate()
    }

    /// Calls `body` with each value, in no order.
    @inlinable
    func forEach(_ body: (Value) -> Void) {
        for index in 0..<capacity { if let value = entries[index].value { body(value) } }
    }
}

/// How many entries a table with open addressing needs for more keys, if at most half of them are used or vacated.
///
/// Keys that come and go must not make it larger for ever: laid out anew, even in its present size, it has no vacated entries. That is
/// done when a quarter of the entries or more are vacated; otherwise the table is doubled, or it would soon be laid out again.
///
/// - Returns: nil if the present capacity is enough.
@usableFromInline
func tableCapacity(for more: Int, count: Int, vacatedCount: Int, _ capacity: Int) -> Int? {
    guard (count + vacatedCount + more) * 2 > capacity else { return nil }
    var wanted = capacity
    while (count + more) * 2 > wanted { wanted *= 2 }
    return wanted == capacity && vacatedCount * 4 < capacity ? wanted * 2 : wanted
}

/// What spreads runs of references over a table: odd, so that no two of them become one.
///
/// Multiples of a fraction whose continued fraction has small terms alone are spread more evenly than by chance, as those of the
/// golden ratio, where all terms are 1: hardly two of consecutive runs have one place. Here each term is 1 or 2 at random, so there are far
/// too many multipliers to try.
let spreadingMultiplier: UInt64 = {
    // The approximations of the fraction, as numerators and denominators.
    var (numerator, formerNumerator): (UInt64, UInt64) = (0, 1)
    var (denominator, formerDenominator): (UInt64, UInt64) = (1, 0)
    while denominator < 1 << 61 {
        let term = UInt64.random(in: 1...2)
        (numerator, formerNumerator) = (term * numerator + formerNumerator, numerator)
        (denominator, formerDenominator) = (term * denominator + formerDenominator, denominator)
    }
    return denominator.dividingFullWidth((high: numerator, low: 0)).quotient | 1
}()
