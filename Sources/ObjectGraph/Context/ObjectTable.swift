import CSwiftRuntime
import Foundation

/// The objects of one table of a store that a context has, by their references: a hash table with open addressing, of eight bytes an
/// entry, since an object has its own reference.
///
/// Laid out as `ReferenceMap`: references come in runs, so the objects of eight consecutive ones stay together, in one line of the
/// processor's cache.
///
/// Invariants: an object in the table has the reference under which it was added; it is removed before its memory goes. At most half
/// of the entries are used or vacated. Not thread-safe: the owner has a lock.
final class ObjectTable {
    private typealias Entry = UnsafeMutableRawPointer?

    /// An entry whose object was removed while others followed it. No object is there.
    private static var vacated: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: 1) }

    @exclusivity(unchecked) private var entries: UnsafeMutablePointer<Entry>
    /// A power of two.
    @exclusivity(unchecked) private(set) var capacity: Int
    @exclusivity(unchecked) private var shift: UInt64
    @exclusivity(unchecked) private(set) var count = 0
    @exclusivity(unchecked) private var vacatedCount = 0
    private let multiplier = spreadingMultiplier

    init() {
        capacity = 16
        shift = 63
        entries = .allocate(capacity: capacity)
        entries.initialize(repeating: nil, count: capacity)
    }

    deinit { entries.deallocate() }

    /// The index at which the search for a reference starts.
    @inline(__always)
    private func start(_ reference: Int64) -> Int {
        let run = (UInt64(bitPattern: reference >> 3) &* multiplier) &>> shift
        return Int(truncatingIfNeeded: run << 3 | UInt64(bitPattern: reference) & 7)
    }

    @inline(__always)
    private static func reference(of object: UnsafeMutableRawPointer) -> Int64 {
        Unmanaged<NSManagedObject>.fromOpaque(object)._withUnsafeGuaranteedRef { $0.reference }
    }

    /// The index of the entry with a reference, or of the free one that it would use.
    @inline(__always)
    private func position(_ reference: Int64) -> Int {
        var position = start(reference)
        while let object = entries[position] {
            if object != Self.vacated, Self.reference(of: object) == reference { return position }
            position = (position &+ 1) & (capacity &- 1)
        }
        return position
    }

    /// The object with a reference. O(1).
    @inline(__always)
    func object(_ reference: Int64) -> UnsafeMutableRawPointer? { entries[position(reference)] }

    /// Adds an object under its reference and returns the former object with that. O(1).
    @inline(__always)
    func add(_ object: UnsafeMutableRawPointer, _ reference: Int64) -> UnsafeMutableRawPointer? {
        assert(Self.reference(of: object) == reference, "An object in the table has its reference.")
        if (count &+ vacatedCount &+ 1) &* 2 > capacity {
            grow(to: (count + 1) * 4 > capacity ? capacity * 2 : capacity)
        }
        let position = position(reference)
        let former = entries[position]
        if former == nil { count &+= 1 }
        entries[position] = object
        return former
    }

    /// Removes an object, if the table has it and not another one with its reference. O(1).
    @inline(__always)
    func remove(_ object: UnsafeMutableRawPointer, _ reference: Int64) {
        var position = start(reference)
        while let present = entries[position] {
            if present == object {
                approachNeighbour(of: position, reference)
                vacate(position)
                return
            }
            position = (position &+ 1) & (capacity &- 1)
        }
    }

    /// Has an object brought near that is probably released soon, since most are in the order of their references.
    ///
    /// It is in the same line of entries; the next one comes in time for its own objects.
    @inline(__always)
    private func approachNeighbour(of position: Int, _ reference: Int64) {
        let place = position & 7
        if place < 6, let neighbour = entries[position &+ 2] {
            coredata_prefetch(neighbour)
            coredata_prefetch(neighbour + 64)
        }
        if place == 4 { coredata_prefetch(entries + start(reference &+ 4)) }
    }

    /// Has the entry brought near of an object that will be added soon.
    @inline(__always)
    func approach(_ reference: Int64) { coredata_prefetch(entries + start(reference)) }

    @inline(__always)
    private func vacate(_ position: Int) {
        count &-= 1
        if entries[(position &+ 1) & (capacity &- 1)] == nil {
            entries[position] = nil
        } else {
            entries[position] = Self.vacated
            vacatedCount &+= 1
        }
    }

    /// Removes all objects. The capacity stays. O(n) of it.
    func removeAll() {
        entries.update(repeating: nil, count: capacity)
        (count, vacatedCount) = (0, 0)
    }

    /// Reserves capacity for more objects. O(n).
    func reserve(_ more: Int) {
        if let wanted = tableCapacity(for: more, count: count, vacatedCount: vacatedCount, capacity) {
            grow(to: wanted)
        }
    }

    private func grow(to newCapacity: Int) {
        let (old, oldCapacity) = (entries, capacity)
        capacity = newCapacity
        shift = UInt64(64 - (newCapacity >> 3).trailingZeroBitCount)
        entries = .allocate(capacity: newCapacity)
        entries.initialize(repeating: nil, count: newCapacity)
        vacatedCount = 0
        for index in 0..<oldCapacity {
            // Neighbours in the table are far from each other in memory.
            if index + 16 < oldCapacity { coredata_prefetch(old[index + 16]) }
            guard let object = old[index], object != Self.vacated else { continue }
            entries[position(Self.reference(of: object))] = object
        }
        old.deallocate()
    }

    /// Calls `body` with each object, in no order.
    func forEach(_ body: (UnsafeMutableRawPointer) -> Void) {
        for index in 0..<capacity {
            if let object = entries[index], object != Self.vacated { body(object) }
        }
    }
}
