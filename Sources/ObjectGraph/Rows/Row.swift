import Foundation

/// One row of a store, packed into a single allocation and never changed afterwards, but for the key that the save of a new row
/// assigns.
///
/// Memory after the header, in 8-byte words:
///
///     [null bits: one a slot][slots: one word each][bytes of strings and blobs]
///
/// A slot holds a number, or the offset and length of its bytes. The
/// first slots are the properties of the row's `EntityLayout`, by index; the
/// layout says what the rest are. A row is shared by the row cache and by the
/// objects of every context, on any thread.
///
/// A row is read and written by the layout of its own entity, that of `entityNumber`.
/// Code that has a row and a layout from different sources compares the two; as a last check, a slot that the row does not have
/// stops the program and touches no memory.
///
/// Invariant: offsets and lengths lie inside the allocation; `RowBuilder` is the
/// only writer.
@usableFromInline
package final class Row: ManagedBuffer<Row.Header, UInt64> {
    @usableFromInline
    package struct Header {
        /// The primary key: `Z_PK` of a SQLite store.
        @usableFromInline package var reference: Int64
        /// The version counted by optimistic locking: `Z_OPT`.
        @usableFromInline package var version: Int64
        /// When the values were read from the store or written to it, in seconds since 2001.
        @usableFromInline package var timestamp: Double
        /// The number of the entity in its store: `Z_ENT`.
        @usableFromInline package var entityNumber: Int32
        @usableFromInline fileprivate(set) var slotCount: Int32
        @usableFromInline fileprivate(set) var byteCount: Int

        @inlinable
        init(
            reference: Int64, version: Int64, timestamp: Double, entityNumber: Int32, slotCount: Int32,
            byteCount: Int
        ) {
            self.reference = reference
            self.version = version
            self.timestamp = timestamp
            self.entityNumber = entityNumber
            self.slotCount = slotCount
            self.byteCount = byteCount
        }
    }

    @inlinable package var reference: Int64 { head.reference }
    @inlinable package var version: Int64 { head.version }
    @inlinable package var timestamp: Double { head.timestamp }
    @inlinable package var entityNumber: Int32 { head.entityNumber }
    @inlinable package var slotCount: Int { Int(head.slotCount) }

    /// The header; `header` itself would check for writers each time.
    @inlinable @inline(__always)
    var head: Header { withUnsafeMutablePointerToHeader { $0.pointee } }

    /// The least that `cost` can be.
    static let leastCost = 72

    /// An estimate of the memory the row takes, in bytes.
    package var cost: Int { Self.leastCost + (nullWords + slotCount) * 8 + head.byteCount }

    private var nullWords: Int { (slotCount + 63) >> 6 }

    @inlinable @inline(__always)
    static func make(_ header: Header, words: Int) -> Row {
        unsafeDowncast(Row.create(minimumCapacity: words) { _ in header }, to: Row.self)
    }

    /// Makes a row without bytes, whose slots a closure sets in place. Those that it does not set are null.
    @inlinable @inline(__always)
    package static func ofNumbers(
        reference: Int64, version: Int64, entityNumber: Int32, timestamp: Double, slotCount: Int,
        _ body: (NumberSlots) -> Void
    ) -> Row {
        let nullWords = max((slotCount + 63) >> 6, 1)
        let row = make(
            Header(
                reference: reference, version: version, timestamp: timestamp, entityNumber: entityNumber,
                slotCount: Int32(slotCount), byteCount: 0), words: nullWords + slotCount)
        row.withUnsafeMutablePointerToElements { words in
            words[0] = .max
            if nullWords > 1 { (words + 1).initialize(repeating: .max, count: nullWords - 1) }
            (words + nullWords).initialize(repeating: 0, count: slotCount)
            body(NumberSlots(words: words, nullWords: nullWords, slotCount: slotCount))
        }
        return row
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

    /// A copy as another version.
    ///
    /// - Parameter change: sets what differs; only numbers can.
    package func copy(version: Int64, timestamp: Double, _ change: (NumberSlots) -> Void) -> Row {
        var header = head
        header.version = version
        header.timestamp = timestamp
        let slots = slotCount
        let words = nullWords + slots + (header.byteCount + 7) >> 3
        let row = Row.make(header, words: words)
        row.withUnsafeMutablePointerToElements { target in
            withUnsafeMutablePointerToElements { target.update(from: $0, count: words) }
            change(NumberSlots(words: target, nullWords: nullWords, slotCount: slots))
        }
        return row
    }

    /// Gives a new row the primary key that a save has assigned to it. Only the save has the row: nothing else can read it.
    package func assign(reference: Int64) {
        withUnsafeMutablePointerToHeader { $0.pointee.reference = reference }
    }
}

extension Row {
    /// Whether the slot holds no value. O(1), as is every accessor below but those that copy bytes.
    @inlinable @inline(__always)
    package func isNull(_ slot: Int) -> Bool {
        withUnsafeMutablePointers { header, words in
            Self.check(slot, Int(header.pointee.slotCount))
            return words[slot >> 6] & (1 << UInt64(slot & 63)) != 0
        }
    }

    @inlinable @inline(__always)
    func word(_ slot: Int) -> UInt64 {
        withUnsafeMutablePointers { header, words in
            let slots = Int(header.pointee.slotCount)
            Self.check(slot, slots)
            return words[(slots + 63) >> 6 + slot]
        }
    }

    @inlinable @inline(__always)
    static func check(_ slot: Int, _ count: Int) {
        precondition(
            UInt(bitPattern: slot) < UInt(bitPattern: count),
            "A row does not have the slot: it is of another entity.")
    }

    @inlinable @inline(__always)
    package func integer(_ slot: Int) -> Int64 { Int64(bitPattern: word(slot)) }

    @inlinable @inline(__always)
    package func double(_ slot: Int) -> Double { Double(bitPattern: word(slot)) }

    /// Calls `body` with the bytes of a string or blob slot; they live as long as the row.
    @inlinable @inline(__always)
    package func withBytes<Result>(
        _ slot: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        let packed = word(slot)
        let offset = Int(packed & 0xFFFF_FFFF)
        let length = Int(packed >> 32)
        return try withUnsafeMutablePointers { header, words in
            let slots = Int(header.pointee.slotCount)
            precondition(
                offset + length <= header.pointee.byteCount,
                "A row does not have the bytes: it is of another entity.")
            let start = UnsafeRawPointer(words + ((slots + 63) >> 6) + slots) + offset
            return try body(UnsafeRawBufferPointer(start: start, count: length))
        }
    }

    /// Calls `body` with the bytes of all string and blob slots, one after the other.
    func withAllBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        withUnsafeMutablePointers { header, words in
            let slots = Int(header.pointee.slotCount)
            let start = UnsafeRawPointer(words + ((slots + 63) >> 6) + slots)
            body(UnsafeRawBufferPointer(start: start, count: header.pointee.byteCount))
        }
    }

    package func string(_ slot: Int) -> String {
        withBytes(slot) { String(decoding: $0, as: UTF8.self) }
    }

    package func data(_ slot: Int) -> Data { withBytes(slot) { Data($0) } }

    /// The identifier in a slot of 16 bytes.
    package func uuid(_ slot: Int) -> UUID {
        withBytes(slot) { bytes in
            var value: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
            // Fewer bytes, which no decoder packs, leave zeros.
            withUnsafeMutableBytes(of: &value) {
                $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.prefix(16)))
            }
            return UUID(uuid: value)
        }
    }

    /// The number in a slot that holds the bytes of a `Decimal`.
    package func decimal(_ slot: Int) -> Decimal {
        withBytes(slot) { $0.loadUnaligned(as: Decimal.self) }
    }
}

/// Assembles rows in memory that it reuses for the next one.
///
/// Not thread-safe: one builder a fetch or save. Slots that are not set are null.
@usableFromInline
package struct RowBuilder: ~Copyable {
    /// The most bytes that the values of a row may take together: an offset and a length have 32 bits each.
    package static let maxBytes = Int(UInt32.max)

    /// Null bits and slots.
    @usableFromInline var words: UnsafeMutablePointer<UInt64>
    private var wordCapacity: Int
    private var bytes: UnsafeMutableRawPointer
    private var byteCapacity: Int
    private var byteCount = 0
    @usableFromInline var slotCount = 0
    @usableFromInline var nullWords = 0
    private let byteLimit: Int
    /// The first slot whose bytes did not fit into the row.
    private var excessSlot: Int?

    /// - Parameter byteLimit: the bytes that the values of a row may take together.
    package init(byteLimit: Int = Self.maxBytes) {
        self.byteLimit = min(byteLimit, Self.maxBytes)
        wordCapacity = 64
        words = .allocate(capacity: wordCapacity)
        byteCapacity = 1024
        bytes = .allocate(byteCount: byteCapacity, alignment: 8)
    }

    deinit {
        words.deallocate()
        bytes.deallocate()
    }

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
    package mutating func set(_ slot: Int, bytes source: UnsafeRawBufferPointer) {
        guard source.count <= byteLimit - byteCount else {
            excessSlot = excessSlot ?? slot
            return
        }
        let end = byteCount + source.count
        if end > byteCapacity {
            let capacity = max(end, byteCapacity * 2)
            let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
            larger.copyMemory(from: bytes, byteCount: byteCount)
            bytes.deallocate()
            bytes = larger
            byteCapacity = capacity
        }
        if let base = source.baseAddress {
            (bytes + byteCount).copyMemory(from: base, byteCount: source.count)
        }
        set(slot, UInt64(byteCount) | UInt64(source.count) << 32)
        byteCount = end
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
        if let excessSlot { throw RowTooLarge(rowSlot: excessSlot, byteLimit: byteLimit) }
        let header = Row.Header(
            reference: reference, version: version, timestamp: timestamp, entityNumber: entityNumber,
            slotCount: Int32(slotCount), byteCount: byteCount)
        let wordCount = nullWords + slotCount
        let row = Row.make(header, words: wordCount + (byteCount + 7) >> 3)
        row.withUnsafeMutablePointerToElements { destination in
            destination.update(from: words, count: wordCount)
            UnsafeMutableRawPointer(destination + wordCount).copyMemory(from: bytes, byteCount: byteCount)
        }
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
