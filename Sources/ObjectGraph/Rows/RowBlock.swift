import CSwiftRuntime
import Foundation

/// Memory that has rows, one after the other: those of a part of a fetch, or a single one. It lives as long as one of them is used.
///
/// In words of 8 bytes, a row is:
///
///     [full version, if it does not fit below]
///     [reference][entity number, number of slots][number of bytes, distance from the block, version]
///     [null bits: one a slot][slots: one word each][bytes of strings and blobs]
///
/// A slot holds a number, or the offset and length of its bytes. The first slots are the properties of the row's `EntityLayout`, by
/// index; the layout says what the rest are.
///
/// Invariants: a row lies in its block as a whole, and its distance is that from the block's own address; offsets and lengths of bytes
/// lie in the row; a slot without a value is zero. `RowRoom` and `RowBuilder` are the only writers, and write a row before anything else
/// can read it.
@usableFromInline
package final class RowBlock: ManagedBuffer<Double, UInt64> {
    /// When the values were read from the store or written to it, in seconds since 2001.
    @inlinable var timestamp: Double { withUnsafeMutablePointerToHeader { $0.pointee } }

    /// The memory of the rows, which the block keeps.
    @inlinable var words: UnsafeMutablePointer<UInt64> { withUnsafeMutablePointerToElements { $0 } }

    @inlinable
    static func make(words: Int, timestamp: Double) -> RowBlock {
        unsafeDowncast(RowBlock.create(minimumCapacity: words) { _ in timestamp }, to: RowBlock.self)
    }
}

/// The place of a row in a block, to read it without counting references: the code that uses it keeps the block meanwhile.
@usableFromInline
package struct RowPointer {
    @usableFromInline let words: UnsafeMutablePointer<UInt64>

    @inlinable @inline(__always)
    init(_ words: UnsafeMutablePointer<UInt64>) { self.words = words }

    @usableFromInline static let headerWords = 3
    /// In place of a version that does not fit into 16 bits.
    @usableFromInline static let largeVersion: UInt64 = 0xFFFF

    /// What keeps the row.
    @inlinable @inline(__always)
    var block: Unmanaged<RowBlock> {
        .fromOpaque(UnsafeRawPointer(words - Int((words[2] >> 32) & 0xFFFF)))
    }

    /// The row, with a reference of its block.
    @inlinable
    package var row: Row { Row(block: block.takeUnretainedValue(), pointer: self) }

    @inlinable @inline(__always)
    package var reference: Int64 { Int64(bitPattern: words[0]) }

    @inlinable @inline(__always)
    package var version: Int64 {
        let version = words[2] >> 48
        return Int64(bitPattern: version == Self.largeVersion ? words[-1] : version)
    }

    @inlinable @inline(__always)
    package var entityNumber: Int32 { Int32(truncatingIfNeeded: words[1]) }

    @inlinable @inline(__always)
    package var slotCount: Int { Int(words[1] >> 32) }

    @inlinable @inline(__always)
    var byteCount: Int { Int(words[2] & 0xFFFF_FFFF) }

    @inlinable @inline(__always)
    var nullWords: Int { (slotCount + 63) >> 6 }

    /// Null bits, slots and bytes.
    @inlinable @inline(__always)
    var contents: UnsafeMutablePointer<UInt64> { words + Self.headerWords }

    package var timestamp: Double { block._withUnsafeGuaranteedRef { $0.timestamp } }

    /// The least that `cost` can be.
    @usableFromInline static let leastCost = 56

    /// An estimate of the memory the row takes, in bytes.
    @inlinable @inline(__always)
    var cost: Int { Self.leastCost + (nullWords + slotCount) * 8 + byteCount }

    /// Has a row brought near that lies a few rows behind, if they are alike: rows of one fetch are mostly read and released in its order.
    @inline(__always)
    func approachNext() {
        let size = Self.headerWords + nullWords + slotCount + (byteCount + 7) >> 3
        coredata_prefetch(UnsafeRawPointer(words) + 8 * 4 * size)
    }

    @inlinable @inline(__always)
    package func isNull(_ slot: Int) -> Bool {
        Row.check(slot, slotCount)
        return contents[slot >> 6] & (1 << UInt64(slot & 63)) != 0
    }

    @inlinable @inline(__always)
    func word(_ slot: Int) -> UInt64 {
        Row.check(slot, slotCount)
        return contents[nullWords + slot]
    }

    @inlinable @inline(__always)
    package func integer(_ slot: Int) -> Int64 { Int64(bitPattern: word(slot)) }

    @inlinable @inline(__always)
    package func double(_ slot: Int) -> Double { Double(bitPattern: word(slot)) }

    /// The word of a slot with a number; zero for none.
    @inline(__always)
    func numberOrZero(_ slot: Int) -> UInt64 {
        let word = word(slot)
        assert(word == 0 || !isNull(slot), "A slot without a value is zero.")
        return word
    }

    /// Calls `body` with the bytes of a string or blob slot; they live as long as the row.
    @inlinable @inline(__always)
    package func withBytes<Result>(
        _ slot: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        let packed = word(slot)
        let offset = Int(packed & 0xFFFF_FFFF)
        let length = Int(packed >> 32)
        precondition(
            offset + length <= byteCount, "A row does not have the bytes: it is of another entity.")
        let start = UnsafeRawPointer(contents + nullWords + slotCount) + offset
        return try body(UnsafeRawBufferPointer(start: start, count: length))
    }

    package func string(_ slot: Int) -> String {
        withBytes(slot) { String(decoding: $0, as: UTF8.self) }
    }

    /// The identifier in a slot of 16 bytes.
    package func uuid(_ slot: Int) -> UUID { withBytes(slot) { Row.uuid($0) } }
}

/// Puts rows into blocks, which it keeps as long as it puts rows into them.
///
/// The first row gets a block of its own size, since most requests for one object find one, and the next block is as large as all
/// before it, up to `mostWords`: a row that is used longer than its neighbours keeps no more than these. A large row gets its own.
@usableFromInline
struct RowRoom: ~Copyable {
    /// The size of the largest shared block: a page less what a block begins with, and the allocator's own.
    private static let mostWords = (4096 - 48) >> 3

    private let isShared: Bool
    /// The most words of a block with several rows; nil unless blocks are to be small.
    private var mostSmallWords: Int?
    /// The block of the row that was made last.
    private var block: RowBlock?
    @usableFromInline var free: UnsafeMutablePointer<UInt64>?
    @usableFromInline var freeWords = 0
    @usableFromInline var timestamp = 0.0
    /// The distance of the free memory from the block, in words.
    @usableFromInline var distance = 0
    private var usedWords = 0

    init(isShared: Bool) { self.isShared = isShared }

    /// Makes the next blocks so small that an allocator finds room for them where others have left so many bytes.
    mutating func fitBlocks(into bytes: Int) {
        // The allocator's own, and what a block begins with.
        mostSmallWords = max(0, bytes - 32) >> 3
    }

    /// Makes a row, whose contents the caller sets: so many words of null bits, slots and bytes.
    @inlinable @inline(__always)
    mutating func put(_ header: Row.Header, words: Int, _ timestamp: Double) -> RowPointer {
        let isLarge = UInt64(bitPattern: header.version) >= RowPointer.largeVersion
        // Sums of what is in memory do not overflow.
        let needed = RowPointer.headerWords &+ words &+ (isLarge ? 1 : 0)
        var start: UnsafeMutablePointer<UInt64>
        if let free, needed <= freeWords, timestamp == self.timestamp {
            start = free
        } else {
            start = begin(needed, timestamp)
        }
        free = start + needed
        freeWords &-= needed
        var distance = distance
        self.distance = distance &+ needed
        if isLarge {
            start[0] = UInt64(bitPattern: header.version)
            start += 1
            distance += 1
        }
        start[0] = UInt64(bitPattern: header.reference)
        start[1] = UInt64(UInt32(bitPattern: header.entityNumber)) | UInt64(header.slotCount) << 32
        start[2] =
            UInt64(header.byteCount) | UInt64(distance) << 32
            | (isLarge ? RowPointer.largeVersion : UInt64(bitPattern: header.version)) << 48
        return RowPointer(start)
    }

    /// The row that was made last.
    func row(at pointer: RowPointer) -> Row {
        withExtendedLifetime(block) {
            assert(
                pointer.block.toOpaque() == block.map { Unmanaged.passUnretained($0).toOpaque() },
                "A row says in which block it is.")
            return pointer.row
        }
    }

    /// A copy of a row as another version.
    ///
    /// - Parameter change: sets what differs; only numbers can.
    mutating func copy(
        _ row: Row, version: Int64, timestamp: Double, _ change: (Row.NumberSlots) -> Void
    ) -> Row {
        withExtendedLifetime(row) {
            let old = row.pointer
            let words = old.nullWords + old.slotCount + (old.byteCount + 7) >> 3
            let copy = put(
                Row.Header(
                    reference: old.reference, version: version, entityNumber: old.entityNumber,
                    slotCount: old.slotCount, byteCount: old.byteCount), words: words, timestamp)
            copy.contents.update(from: old.contents, count: words)
            change(
                Row.NumberSlots(words: copy.contents, nullWords: old.nullWords, slotCount: old.slotCount))
            return self.row(at: copy)
        }
    }

    /// Makes a block for one row or more, and returns its memory.
    @usableFromInline
    mutating func begin(_ needed: Int, _ timestamp: Double) -> UnsafeMutablePointer<UInt64> {
        let size: Int
        if let mostSmallWords {
            size = needed * max(1, min(mostSmallWords, Self.mostWords) / needed)
        } else if isShared, needed <= Self.mostWords / 4 {
            // A row that takes more than a quarter of a block would leave much of one free.
            size = max(needed, min(usedWords, Self.mostWords))
        } else {
            size = needed
        }
        let block = RowBlock.make(words: size, timestamp: timestamp)
        self.block = block
        self.timestamp = timestamp
        usedWords += size
        let start = block.words
        freeWords = size
        distance =
            (UnsafeRawPointer(start) - UnsafeRawPointer(Unmanaged.passUnretained(block).toOpaque())) >> 3
        return start
    }
}
