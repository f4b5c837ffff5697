import Foundation

/// One row of a store, which is never changed after it was made, but for the key that the save of a new row assigns.
///
/// It is a part of a block of memory that the rows of one fetch share: a reference of the block and a place in it. A row is shared by
/// the row cache and by the objects of every context, on any thread.
///
/// A row is read and written by the layout of its own entity, that of `entityNumber`.
/// Code that has a row and a layout from different sources compares the two; as a last check, a slot that the row does not have
/// stops the program and touches no memory.
@usableFromInline
package struct Row: @unchecked Sendable {
    /// What keeps the row.
    @usableFromInline let block: RowBlock
    /// Where the row is in the block.
    @usableFromInline package let pointer: RowPointer

    @inlinable @inline(__always)
    init(block: RowBlock, pointer: RowPointer) {
        self.block = block
        self.pointer = pointer
    }

    /// Calls `body` with the place of the row, which the block keeps meanwhile.
    @inlinable @inline(__always)
    func reading<Value>(_ body: (RowPointer) -> Value) -> Value {
        withExtendedLifetime(block) { body(pointer) }
    }

    /// The primary key: `Z_PK` of a SQLite store.
    @inlinable package var reference: Int64 { reading { $0.reference } }
    /// The version counted by optimistic locking: `Z_OPT`.
    @inlinable package var version: Int64 { reading { $0.version } }
    /// The number of the entity in its store: `Z_ENT`.
    @inlinable package var entityNumber: Int32 { reading { $0.entityNumber } }
    /// When the values were read from the store or written to it, in seconds since 2001.
    @inlinable package var timestamp: Double { block.timestamp }
    @inlinable package var slotCount: Int { reading { $0.slotCount } }

    /// The least that `cost` can be.
    static let leastCost = RowPointer.leastCost

    /// An estimate of the memory the row takes, in bytes.
    package var cost: Int { reading { $0.cost } }

    /// Whether this is another one's place: the same values, read or written at the same moment.
    package func isSame(as other: Row?) -> Bool { pointer.words == other?.pointer.words }

    /// A copy as another version.
    ///
    /// - Parameter change: sets what differs; only numbers can.
    package func copy(version: Int64, timestamp: Double, _ change: (NumberSlots) -> Void) -> Row {
        var room = RowRoom(isShared: false)
        return room.copy(self, version: version, timestamp: timestamp, change)
    }

    /// Gives a new row the primary key that a save has assigned to it. Only the save has the row: nothing else can read it.
    package func assign(reference: Int64) {
        reading { $0.words[0] = UInt64(bitPattern: reference) }
    }
}

extension Row {
    /// Whether the slot holds no value. O(1), as is every accessor below but those that copy bytes.
    @inlinable @inline(__always)
    package func isNull(_ slot: Int) -> Bool { reading { $0.isNull(slot) } }

    @inlinable @inline(__always)
    package func integer(_ slot: Int) -> Int64 { reading { $0.integer(slot) } }

    @inlinable @inline(__always)
    package func double(_ slot: Int) -> Double { reading { $0.double(slot) } }

    /// Calls `body` with the bytes of a string or blob slot; they live as long as the row.
    @inlinable @inline(__always)
    package func withBytes<Result>(
        _ slot: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try withExtendedLifetime(block) { try pointer.withBytes(slot, body) }
    }

    /// Calls `body` with the bytes of all string and blob slots, one after the other.
    func withAllBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        reading { row in
            let start = UnsafeRawPointer(row.contents + row.nullWords + row.slotCount)
            body(UnsafeRawBufferPointer(start: start, count: row.byteCount))
        }
    }

    package func string(_ slot: Int) -> String { reading { $0.string(slot) } }

    package func data(_ slot: Int) -> Data { withBytes(slot) { Data($0) } }

    /// The identifier in a slot of 16 bytes.
    package func uuid(_ slot: Int) -> UUID { reading { $0.uuid(slot) } }

    /// The identifier of 16 bytes.
    static func uuid(_ bytes: UnsafeRawBufferPointer) -> UUID {
        var value: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        // Fewer bytes, which no decoder packs, leave zeros.
        withUnsafeMutableBytes(of: &value) {
            $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.prefix(16)))
        }
        return UUID(uuid: value)
    }

    /// The number in a slot that holds the bytes of a `Decimal`.
    package func decimal(_ slot: Int) -> Decimal {
        withBytes(slot) { $0.loadUnaligned(as: Decimal.self) }
    }
}

extension Row {
    /// What a row begins with.
    @usableFromInline
    struct Header {
        @usableFromInline let reference: Int64
        @usableFromInline let version: Int64
        @usableFromInline let entityNumber: Int32
        @usableFromInline let slotCount: Int
        @usableFromInline let byteCount: Int

        @inlinable @inline(__always)
        init(reference: Int64, version: Int64, entityNumber: Int32, slotCount: Int, byteCount: Int) {
            self.reference = reference
            self.version = version
            self.entityNumber = entityNumber
            self.slotCount = slotCount
            self.byteCount = byteCount
        }
    }

    /// The slots of a row that is being made.
    @usableFromInline
    package struct NumberSlots {
        @usableFromInline let words: UnsafeMutablePointer<UInt64>
        @usableFromInline let nullWords: Int
        @usableFromInline let slotCount: Int

        @inlinable @inline(__always)
        init(words: UnsafeMutablePointer<UInt64>, nullWords: Int, slotCount: Int) {
            self.words = words
            self.nullWords = nullWords
            self.slotCount = slotCount
        }

        @inlinable @inline(__always)
        package func set(_ slot: Int, integer value: Int64) { set(slot, UInt64(bitPattern: value)) }

        @inlinable @inline(__always)
        package func set(_ slot: Int, double value: Double) { set(slot, value.bitPattern) }

        /// Sets a slot that keeps numbers.
        @inlinable @inline(__always)
        func set(_ slot: Int, _ word: UInt64) {
            Row.check(slot, slotCount)
            words[nullWords + slot] = word
            words[slot >> 6] &= ~(1 << UInt64(slot & 63))
        }

        /// Removes the number of a slot.
        func setNull(_ slot: Int) {
            Row.check(slot, slotCount)
            words[nullWords + slot] = 0
            words[slot >> 6] |= 1 << UInt64(slot & 63)
        }
    }

    @inlinable @inline(__always)
    static func check(_ slot: Int, _ count: Int) {
        precondition(
            UInt(bitPattern: slot) < UInt(bitPattern: count),
            "A row does not have the slot: it is of another entity.")
    }
}

/// Assembles rows in memory that it reuses for the next one, and puts them into blocks.
///
/// Not thread-safe: one builder a fetch or save. Slots that are not set are null.
@usableFromInline
package struct RowBuilder: ~Copyable {
    /// The most bytes that the values of a row may take together: an offset and a length have 32 bits each.
    package static let maxBytes = Int(UInt32.max)

    /// Null bits and slots.
    @usableFromInline var words: UnsafeMutablePointer<UInt64>
    private var wordCapacity: Int
    @usableFromInline var bytes: UnsafeMutableRawPointer
    @usableFromInline var byteCapacity: Int
    @usableFromInline var byteCount = 0
    @usableFromInline var slotCount = 0
    @usableFromInline var nullWords = 0
    @usableFromInline let byteLimit: Int
    /// The first slot whose bytes did not fit into the row.
    @usableFromInline var excessSlot: Int?
    @usableFromInline var room: RowRoom

    /// - Parameters:
    ///   - byteLimit: the bytes that the values of a row may take together.
    ///   - sharingBlocks: whether rows that are made one after the other, and are used and released together, share blocks.
    package init(byteLimit: Int = Self.maxBytes, sharingBlocks: Bool = false) {
        self.byteLimit = min(byteLimit, Self.maxBytes)
        room = RowRoom(isShared: sharingBlocks)
        wordCapacity = 64
        words = .allocate(capacity: wordCapacity)
        byteCapacity = 1024
        bytes = .allocate(byteCount: byteCapacity, alignment: 8)
    }

    deinit {
        words.deallocate()
        bytes.deallocate()
    }

    /// Makes the next blocks so small that an allocator finds room for them where others have left so many bytes.
    mutating func fitBlocks(into bytes: Int) { room.fitBlocks(into: bytes) }

    /// Starts a row in which every slot is null.
    package mutating func begin(slotCount: Int) {
        self.slotCount = slotCount
        nullWords = (slotCount + 63) >> 6
        byteCount = 0
        excessSlot = nil
        if nullWords + slotCount > wordCapacity {
            words.deallocate()
            wordCapacity = nullWords + slotCount
            words = .allocate(capacity: wordCapacity)
        }
        for index in 0..<nullWords { words[index] = .max }
        (words + nullWords).update(repeating: 0, count: slotCount)
    }

    @inlinable @inline(__always)
    mutating func set(_ slot: Int, _ word: UInt64) {
        Row.check(slot, slotCount)
        words[nullWords + slot] = word
        words[slot >> 6] &= ~(1 << UInt64(slot & 63))
    }

    @inlinable @inline(__always)
    package mutating func set(_ slot: Int, integer value: Int64) { set(slot, UInt64(bitPattern: value)) }

    @inlinable @inline(__always)
    package mutating func set(_ slot: Int, double value: Double) { set(slot, value.bitPattern) }

    /// Copies bytes into the row. Bytes that would exceed its limit are left out, and `finish` throws.
    @inlinable @inline(__always)
    package mutating func set(_ slot: Int, bytes source: UnsafeRawBufferPointer) {
        guard source.count <= byteLimit - byteCount else {
            excessSlot = excessSlot ?? slot
            return
        }
        let end = byteCount + source.count
        if end > byteCapacity { growBytes(to: end) }
        if let base = source.baseAddress {
            (bytes + byteCount).copyMemory(from: base, byteCount: source.count)
        }
        set(slot, UInt64(byteCount) | UInt64(source.count) << 32)
        byteCount = end
    }

    @usableFromInline @inline(never)
    mutating func growBytes(to count: Int) {
        let capacity = max(count, byteCapacity * 2)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
        larger.copyMemory(from: bytes, byteCount: byteCount)
        bytes.deallocate()
        bytes = larger
        byteCapacity = capacity
    }

    package mutating func set(_ slot: Int, string value: String) {
        var value = value
        value.withUTF8 { set(slot, bytes: UnsafeRawBufferPointer($0)) }
    }

    package mutating func set(_ slot: Int, data value: Data) {
        value.withUnsafeBytes { set(slot, bytes: $0) }
    }

    package mutating func set(_ slot: Int, uuid value: UUID) {
        withUnsafeBytes(of: value.uuid) { set(slot, bytes: $0) }
    }

    package mutating func set(_ slot: Int, decimal value: Decimal) {
        withUnsafeBytes(of: value) { set(slot, bytes: $0) }
    }

    /// Copies a slot of another row of the same layout.
    package mutating func copy(_ slot: Int, from row: Row, hasBytes: Bool) {
        copy(slot, from: row, to: slot, hasBytes: hasBytes)
    }

    /// Copies a slot of any row to another slot, which keeps values of the same kind.
    package mutating func copy(_ slot: Int, from row: Row, to target: Int, hasBytes: Bool) {
        guard !row.isNull(slot) else { return }
        if hasBytes {
            row.withBytes(slot) { set(target, bytes: $0) }
        } else {
            set(target, integer: row.integer(slot))
        }
    }

    /// Makes the row. The builder can begin the next one.
    ///
    /// - Throws: `RowTooLarge` when the values take more bytes than a row can have.
    package mutating func finish(
        reference: Int64, version: Int64, entityNumber: Int32, timestamp: Double
    ) throws(RowTooLarge) -> Row {
        let pointer = try put(
            reference: reference, version: version, entityNumber: entityNumber, timestamp: timestamp)
        return room.row(at: pointer)
    }

    /// The row that was made last.
    package func row(at pointer: RowPointer) -> Row { room.row(at: pointer) }

    /// A copy of a row as another version.
    ///
    /// - Parameter change: sets what differs; only numbers can.
    mutating func copy(
        _ row: Row, version: Int64, timestamp: Double, _ change: (Row.NumberSlots) -> Void
    ) -> Row {
        room.copy(row, version: version, timestamp: timestamp, change)
    }

    /// As `finish`. The builder keeps the row only until it makes another one.
    ///
    /// - Throws: `RowTooLarge` when the values take more bytes than a row can have.
    package mutating func put(
        reference: Int64, version: Int64, entityNumber: Int32, timestamp: Double
    ) throws(RowTooLarge) -> RowPointer {
        if let excessSlot { throw RowTooLarge(rowSlot: excessSlot, byteLimit: byteLimit) }
        let header = Row.Header(
            reference: reference, version: version, entityNumber: entityNumber, slotCount: slotCount,
            byteCount: byteCount)
        let wordCount = nullWords + slotCount
        let row = room.put(header, words: wordCount + (byteCount + 7) >> 3, timestamp)
        row.contents.update(from: words, count: wordCount)
        UnsafeMutableRawPointer(row.contents + wordCount).copyMemory(from: bytes, byteCount: byteCount)
        return row
    }

    /// Makes a row without bytes, whose slots a closure sets in place. Those that it does not set are null. The builder keeps the
    /// row only until it makes another one.
    @inlinable @inline(__always)
    package mutating func putNumbers(
        reference: Int64, version: Int64, entityNumber: Int32, timestamp: Double, slotCount: Int,
        _ body: (Row.NumberSlots) -> Void
    ) -> RowPointer {
        let nullWords = (slotCount + 63) >> 6
        let row = room.put(
            Row.Header(
                reference: reference, version: version, entityNumber: entityNumber, slotCount: slotCount,
                byteCount: 0), words: nullWords + slotCount, timestamp)
        for index in 0..<nullWords { row.contents[index] = .max }
        (row.contents + nullWords).update(repeating: 0, count: slotCount)
        body(Row.NumberSlots(words: row.contents, nullWords: nullWords, slotCount: slotCount))
        return row
    }

    /// The same for a row of one to 64 slots, which is not cleared before.
    ///
    /// - Parameter body: gets the words of the slots and sets all of them, to zero for null; returns the null bits, of which those after
    ///   the last slot are one.
    @inlinable @inline(__always)
    package mutating func putFewNumbers(
        reference: Int64, version: Int64, entityNumber: Int32, timestamp: Double, slotCount: Int,
        _ body: (UnsafeMutablePointer<UInt64>) -> UInt64
    ) -> RowPointer {
        assert(1...64 ~= slotCount, "The null bits of the row are one word.")
        let row = room.put(
            Row.Header(
                reference: reference, version: version, entityNumber: entityNumber, slotCount: slotCount,
                byteCount: 0), words: 1 &+ slotCount, timestamp)
        row.contents[0] = body(row.contents + 1)
        return row
    }
}

/// The values of an object take more bytes than a row can have.
package struct RowTooLarge: Error, CustomNSError, LocalizedError {
    /// The slot of the first value that did not fit.
    let rowSlot: Int
    let byteLimit: Int

    package static var errorDomain: String { NSCocoaErrorDomain }
    package var errorCode: Int { CocoaError.Code.managedObjectValidation.rawValue }
    package var errorDescription: String? {
        "The strings and data of one object, external data included, may take at most \(byteLimit) bytes together."
    }
}
