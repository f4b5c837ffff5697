import Foundation
import ManagedObjectModel

/// The rows of some snapshots of one entity, in one piece of memory, which never change.
///
/// A row, in words of eight bytes:
///
///     [shape: a pointer][key][null bits: one a slot][slots: one word each]
///
/// A slot holds a number, or the offset of its bytes in the block and their length. The slots are those of the entity's
/// `EntityLayout`, as in a `Row`. A snapshot has a reference of the block and the address of its row: it is read without counting
/// references, and finds what it needs by the shape in its row.
///
/// Invariants: each row is of `schema`, whose shape it names, and the block keeps the schema; what a slot of bytes names lies inside
/// the block's bytes. `SnapshotRowBuilder` is the only writer.
final class SnapshotRows: SnapshotPart, @unchecked Sendable {
    let schema: SnapshotSchema
    private let words: UnsafeMutablePointer<UInt64>
    private let bytes: UnsafeMutableRawPointer?
    private let byteCount: Int

    /// The block adopts the memory.
    init(
        _ schema: SnapshotSchema, words: UnsafeMutablePointer<UInt64>, bytes: UnsafeMutableRawPointer?,
        byteCount: Int
    ) {
        self.schema = schema
        self.words = words
        self.bytes = bytes
        self.byteCount = byteCount
    }

    deinit {
        words.deallocate()
        bytes?.deallocate()
    }

    /// The bytes of a slot that has some; they live as long as the block.
    func withBytes<Result>(_ word: UInt64, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let offset = Int(word & 0xFFFF_FFFF)
        let length = Int(word >> 32)
        precondition(offset + length <= byteCount, "A snapshot does not have the bytes.")
        return body(UnsafeRawBufferPointer(start: bytes.map { $0 + offset }, count: length))
    }
}

/// What the rows of one schema have in common, in plain memory that the schema owns.
struct SnapshotShape {
    /// How a value is read.
    enum Form: UInt8 {
        /// Snapshots do not have the property.
        case missing
        case integer, real, string, other
    }

    /// For each slot, the number of the layout that introduced it; see `ManagedKey`.
    let declarations: Declarations
    let forms: UnsafeMutablePointer<Form>
    let slotCount: Int
    /// The word of a row at which its slots begin.
    let firstSlot: Int

    /// The words of a row before its null bits.
    static let headWords = 2

    init(_ layout: EntityLayout, _ form: (Int) -> Form) {
        slotCount = layout.slots.count
        declarations = layout.declarations
        forms = .allocate(capacity: max(slotCount, 1))
        for slot in 0..<slotCount {
            (forms + slot).initialize(to: form(slot))
        }
        firstSlot = Self.headWords + (layout.rowSlotCount + 63) >> 6
    }

    func deallocate() {
        forms.deallocate()
    }
}

/// The row of a snapshot, in the memory of a block that its reader keeps.
struct SnapshotRow {
    private let words: UnsafePointer<UInt64>

    @inline(__always)
    init(_ words: UnsafePointer<UInt64>) { self.words = words }

    @inline(__always)
    var shape: UnsafePointer<SnapshotShape> {
        // The first word of each row; see `SnapshotRows`.
        UnsafePointer(bitPattern: UInt(words[0])).unsafelyUnwrapped
    }

    @inline(__always)
    var reference: Int64 { Int64(bitPattern: words[1]) }

    /// Whether a slot, which the shape has, holds no value.
    @inline(__always)
    func isNull(_ slot: Int) -> Bool {
        words[SnapshotShape.headWords + slot >> 6] & (1 << UInt64(slot & 63)) != 0
    }

    /// The word of a slot, which the shape has.
    @inline(__always)
    func word(_ slot: Int) -> UInt64 { words[shape.pointee.firstSlot + slot] }

    /// The word of a key's property where it is of a form; nil for another form, or no value.
    ///
    /// - Parameter missing: is called where snapshots do not have the property.
    @inline(__always)
    func word<Value>(
        _ key: ManagedKey<Value>, _ form: SnapshotShape.Form, _ part: SnapshotPart, missing: () -> Never
    ) -> UInt64? {
        let shape = shape
        let known = key.indexIfKnown(shape.pointee.declarations)
        guard let slot = known ?? Self.find(key, part) else { missing() }
        let present = shape.pointee.forms[slot]
        if present != form {
            if present == .missing { missing() }
            return nil
        }
        return isNull(slot) ? nil : words[shape.pointee.firstSlot + slot]
    }

    @inline(never)
    private static func find<Value>(_ key: ManagedKey<Value>, _ part: SnapshotPart) -> Int? {
        unsafeDowncast(part, to: SnapshotRows.self).schema.storedEntity.layoutPointer
            ._withUnsafeGuaranteedRef { key.indexIfFound(in: $0) }
    }
}

/// Packs rows into blocks, and makes a snapshot of each.
///
/// A block has few rows: a program may keep one of many snapshots, and with it its block.
@usableFromInline
package struct SnapshotRowBuilder: ~Copyable {
    private static var rowsInBlock: Int { 64 }
    /// A block with as many bytes gets no further row.
    private static var bytesInBlock: Int { 32 << 10 }

    private let schema: SnapshotSchema
    private var snapshots: [ManagedObjectSnapshot] = []
    /// Memory for the rows of one block, of which `rowCount` are begun.
    private var words: UnsafeMutablePointer<UInt64>
    private var rowCount = 0
    private let stride: Int
    /// The row that was begun last.
    @usableFromInline var row: UnsafeMutablePointer<UInt64>
    @usableFromInline let firstSlot: Int
    @usableFromInline let slotCount: Int
    private var bytes: UnsafeMutableRawPointer?
    private var byteCapacity = 0
    private var byteCount = 0
    private var last = Int64.min
    private var isAscending = true

    package init(_ schema: SnapshotSchema) {
        self.schema = schema
        slotCount = schema.storedEntity.layout.rowSlotCount
        firstSlot = schema.shape.pointee.firstSlot
        stride = firstSlot + slotCount
        words = .allocate(capacity: Self.rowsInBlock * stride)
        row = words
    }

    deinit {
        words.deallocate()
        bytes?.deallocate()
    }

    /// Starts a row in which every slot is null.
    package mutating func begin(reference: Int64) {
        if rowCount == Self.rowsInBlock || byteCount >= Self.bytesInBlock { endBlock() }
        row = words + rowCount * stride
        rowCount += 1
        row[0] = UInt64(UInt(bitPattern: schema.shape))
        row[1] = UInt64(bitPattern: reference)
        for word in SnapshotShape.headWords..<firstSlot { row[word] = .max }
        isAscending = isAscending && reference >= last
        last = reference
    }

    @inlinable @inline(__always)
    mutating func set(_ slot: Int, _ word: UInt64) {
        Row.check(slot, slotCount)
        row[firstSlot + slot] = word
        // After the two words of the head.
        row[2 + slot >> 6] &= ~(1 << UInt64(slot & 63))
    }

    @inlinable @inline(__always)
    package mutating func set(_ slot: Int, integer value: Int64) { set(slot, UInt64(bitPattern: value)) }

    @inlinable @inline(__always)
    package mutating func set(_ slot: Int, double value: Double) { set(slot, value.bitPattern) }

    /// Sets all slots of a row that has at most 64 of them in place.
    ///
    /// - Parameters:
    ///   - count: how many there are, as the caller knows.
    ///   - body: sets words of slots, and returns the null bits: those of slots that it has not set are one.
    @inlinable @inline(__always)
    package mutating func setNumbers(
        count: Int, _ body: (UnsafeMutablePointer<UInt64>) -> UInt64
    ) {
        precondition(
            count == slotCount && count <= 64, "A row does not have the slots: it is of another entity.")
        guard count > 0 else { return }
        row[2] = body(row + firstSlot)
    }

    /// Copies bytes into the block.
    ///
    /// - Throws: `RowTooLarge` when they take more than a slot can say.
    package mutating func set(_ slot: Int, bytes source: UnsafeRawBufferPointer) throws {
        let end = byteCount + source.count
        guard end <= Int(UInt32.max) else {
            throw RowTooLarge(rowSlot: slot, byteLimit: RowBuilder.maxBytes)
        }
        if end > byteCapacity || bytes == nil {
            let capacity = max(end, byteCapacity * 2, 1024)
            let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
            if let bytes {
                larger.copyMemory(from: bytes, byteCount: byteCount)
                bytes.deallocate()
            }
            bytes = larger
            byteCapacity = capacity
        }
        if let base = source.baseAddress, let bytes {
            (bytes + byteCount).copyMemory(from: base, byteCount: source.count)
        }
        set(slot, UInt64(byteCount) | UInt64(source.count) << 32)
        byteCount = end
    }

    package mutating func set(_ slot: Int, decimal value: Decimal) throws {
        try Swift.withUnsafeBytes(of: value) { try set(slot, bytes: $0) }
    }

    /// Adds a copy of what snapshots have of a row.
    mutating func append(_ row: Row) throws {
        assert(
            row.entityNumber == schema.storedEntity.entityNumber,
            "A row is read by the layout of its own entity.")
        begin(reference: row.reference)
        for (slot, hasBytes) in schema.slots where !row.isNull(slot) {
            if hasBytes {
                try row.withBytes(slot) { try set(slot, bytes: $0) }
            } else {
                set(slot, integer: row.integer(slot))
            }
        }
    }

    /// Makes snapshots of the rows of the present block. Full ones keep the memory; that of others is copied.
    private mutating func endBlock() {
        guard rowCount > 0 else { return }
        let isFull = rowCount == Self.rowsInBlock
        let kept = isFull ? words : .allocate(capacity: rowCount * stride)
        if !isFull { kept.initialize(from: words, count: rowCount * stride) }
        var keptBytes: UnsafeMutableRawPointer?
        if byteCount > 0, let bytes {
            let exact = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 8)
            exact.copyMemory(from: bytes, byteCount: byteCount)
            keptBytes = exact
        }
        let block = SnapshotRows(schema, words: kept, bytes: keptBytes, byteCount: byteCount)
        for index in 0..<rowCount {
            snapshots.append(ManagedObjectSnapshot(block, UnsafePointer(kept + index * stride)))
        }
        if isFull { words = .allocate(capacity: Self.rowsInBlock * stride) }
        rowCount = 0
        byteCount = 0
    }

    /// The snapshots of all rows, in their order. The builder can begin with others.
    ///
    /// - Parameter sortsByKey: whether they are sorted by their keys, unless they are in that order.
    package mutating func finish(sortsByKey: Bool = false) -> [ManagedObjectSnapshot] {
        endBlock()
        if sortsByKey, !isAscending { snapshots.sort { $0.key < $1.key } }
        defer {
            snapshots = []
            last = .min
            isAscending = true
        }
        return snapshots
    }
}

/// A store that makes snapshots of its rows itself.
package protocol SnapshotStore: ObjectStore {
    /// Snapshots of the objects that a query finds; nil where they are to be made of their rows.
    ///
    /// - Parameters:
    ///   - slots: the properties that they have.
    ///   - schema: how these are read.
    func snapshots(
        for query: FetchQuery, of slots: PropertySet, _ schema: SnapshotSchema
    ) throws -> [ManagedObjectSnapshot]?
}
