import CSwiftRuntime
import Foundation

/// Rows of one table of a store by their references: a hash table with open addressing, of eight bytes an entry, since a row has its
/// own reference.
///
/// Laid out as `ReferenceMap`: references come in runs, so the entries of eight consecutive ones stay together, in one line of the
/// processor's cache.
///
/// Invariants: for each row in the table there is a reference of its block, which goes with the table; at most half of the entries are
/// used or vacated. Not thread-safe: the owner has a lock.
final class RowTable {
    private typealias Entry = UnsafeMutablePointer<UInt64>?

    /// An entry whose row was removed while others followed it. No row is there.
    private static var vacated: UnsafeMutablePointer<UInt64>? { UnsafeMutablePointer(bitPattern: 8) }

    @exclusivity(unchecked) private var entries: UnsafeMutablePointer<Entry>
    /// A power of two.
    @exclusivity(unchecked) private var capacity = 16
    @exclusivity(unchecked) private var shift: UInt64 = 63
    @exclusivity(unchecked) private(set) var count = 0
    @exclusivity(unchecked) private var vacatedCount = 0
    private let multiplier = spreadingMultiplier

    init() {
        entries = .allocate(capacity: capacity)
        entries.initialize(repeating: nil, count: capacity)
    }

    deinit {
        var references = BlockReferences()
        for index in 0..<capacity {
            Self.approachRow(of: index, in: entries, capacity)
            guard let row = entries[index], row != Self.vacated else { continue }
            references.add(RowPointer(row)) { $0.release($1) }
        }
        references.end { $0.release($1) }
        entries.deallocate()
    }

    /// The index at which the search for a reference starts.
    @inline(__always)
    private func start(_ reference: Int64) -> Int {
        let run = (UInt64(bitPattern: reference >> 3) &* multiplier) &>> shift
        return Int(truncatingIfNeeded: run << 3 | UInt64(bitPattern: reference) & 7)
    }

    /// The index of the entry with a reference, or of the free one that it would use.
    @inline(__always)
    private func position(_ reference: Int64) -> Int {
        var position = start(reference)
        while let row = entries[position] {
            if row != Self.vacated, RowPointer(row).reference == reference { return position }
            position = (position &+ 1) & (capacity &- 1)
        }
        return position
    }

    /// The row with a reference. O(1).
    func row(_ reference: Int64) -> Row? { entries[position(reference)].map { RowPointer($0).row } }

    /// Adds a row, for which the caller counts a reference of its block. O(1).
    ///
    /// - Returns: the former row of its reference. The caller gives back the reference of that row's block, when it needs the row no
    ///   more.
    @inline(__always)
    func add(_ row: RowPointer) -> RowPointer? {
        if (count + vacatedCount + 1) * 2 > capacity {
            grow(to: (count + 1) * 4 > capacity ? capacity * 2 : capacity)
        }
        let position = position(row.reference)
        let former = entries[position]
        if former == nil { count += 1 }
        entries[position] = row.words
        return former.map(RowPointer.init)
    }

    /// Has the entry of a row brought near that will be added soon.
    @inline(__always)
    func approach(_ reference: Int64) { coredata_prefetch(entries + start(reference)) }

    /// Has the row brought near that one added soon will replace, whose entry is near.
    @inline(__always)
    func approachFormer(_ reference: Int64) { coredata_prefetch(entries[start(reference)]) }

    /// Has the rows brought near that have some references. O(n) of these.
    func approachRows(_ keys: [(entityNumber: Int32, reference: Int64)]) {
        // An entry is read once it is near.
        let distance = 8
        for index in 0..<keys.count + distance {
            if index < keys.count { approach(keys[index].reference) }
            // The entry may be free or vacated, or that of another row: any address will do.
            if index >= distance, let row = entries[start(keys[index - distance].reference)] {
                coredata_prefetch(row)
                coredata_prefetch(row + 8)
            }
        }
    }

    /// Removes a row. O(1).
    @discardableResult
    func remove(_ reference: Int64) -> Row? {
        let position = position(reference)
        guard let row = entries[position].map({ RowPointer($0).row }) else { return nil }
        row.pointer.block.release()
        count -= 1
        if entries[(position &+ 1) & (capacity &- 1)] == nil {
            entries[position] = nil
        } else {
            entries[position] = Self.vacated
            vacatedCount += 1
        }
        return row
    }

    /// Reserves capacity for more rows. O(n).
    func reserve(_ more: Int) {
        if let wanted = tableCapacity(for: more, count: count, vacatedCount: vacatedCount, capacity) {
            grow(to: wanted)
        }
    }

    /// Has the row brought near that is some entries behind one: neighbours in the table are far from each other in memory.
    @inline(__always)
    private static func approachRow(of index: Int, in entries: UnsafeMutablePointer<Entry>, _ capacity: Int) {
        let distance = 16
        if index + distance < capacity { coredata_prefetch(entries[index + distance]) }
    }

    private func grow(to newCapacity: Int) {
        let (old, oldCapacity) = (entries, capacity)
        capacity = newCapacity
        shift = UInt64(64 - (newCapacity >> 3).trailingZeroBitCount)
        entries = .allocate(capacity: newCapacity)
        entries.initialize(repeating: nil, count: newCapacity)
        vacatedCount = 0
        for index in 0..<oldCapacity {
            Self.approachRow(of: index, in: old, oldCapacity)
            guard let row = old[index], row != Self.vacated else { continue }
            entries[position(RowPointer(row).reference)] = row
        }
        old.deallocate()
    }
}
