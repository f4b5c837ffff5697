import CSwiftRuntime

/// The rows that a query finds. They are in few blocks, which the list keeps, so that no references are counted for each row.
@usableFromInline
package struct RowList: RandomAccessCollection, ExpressibleByArrayLiteral, @unchecked Sendable {
    // Whatever reads a row by its place extends the life of the blocks: the compiler cannot know that the places need them.

    @usableFromInline var pointers: ContiguousArray<RowPointer> = []
    /// The block of the first row, since most requests for one object find one, and the others.
    @usableFromInline var firstBlock: RowBlock?
    @usableFromInline var blocks: ContiguousArray<RowBlock> = []
    @usableFromInline var lastBlock: UnsafeMutableRawPointer?
    /// The reference of the last row, and whether those of all rows ascend.
    @usableFromInline var lastReference = Int64.min
    @usableFromInline var isAscending = true
    /// The references of all rows, in their order as appended, as one number: lists with the same references have the same, and others
    /// practically never do. Of two such lists the row cache would forget the rows of the older one.
    @usableFromInline var fingerprint: UInt64 = 0

    package init() {}

    package init(_ rows: some Sequence<Row>) {
        for row in rows { withExtendedLifetime(row) { append(row.pointer) } }
    }

    @usableFromInline package init(arrayLiteral rows: Row...) { self.init(rows) }

    @inlinable package var startIndex: Int { 0 }
    @inlinable package var endIndex: Int { pointers.count }

    @usableFromInline package subscript(index: Int) -> Row {
        withExtendedLifetime(self) { pointers[index].row }
    }

    /// Calls `body` with the places of the rows, which can be used until it returns.
    @inline(__always)
    func withPointers<Value>(_ body: (UnsafeBufferPointer<RowPointer>) throws -> Value) rethrows -> Value {
        try withExtendedLifetime(self) { try pointers.withUnsafeBufferPointer(body) }
    }

    /// Whether all rows are of the first one's entity.
    var areOfOneEntity: Bool {
        withPointers { rows in rows.allSatisfy { $0.entityNumber == rows[0].entityNumber } }
    }

    /// Adds a row, which the caller keeps until now.
    @inlinable @inline(__always)
    package mutating func append(_ row: RowPointer) {
        let reference = row.reference
        if reference < lastReference { isAscending = false }
        lastReference = reference
        fingerprint = (fingerprint &+ UInt64(bitPattern: reference)) &* 0x9E37_79B9_7F4A_7C15
        pointers.append(row)
        if row.block.toOpaque() != lastBlock { keepBlock(of: row) }
    }

    @usableFromInline
    mutating func keepBlock(of row: RowPointer) {
        lastBlock = row.block.toOpaque()
        let block = row.block.takeUnretainedValue()
        if firstBlock == nil { firstBlock = block } else { blocks.append(block) }
    }

    /// About the memory that the rows take, in bytes: their blocks, with what these begin with and the allocator's own, and what a list
    /// or a table has of each row. O(blocks).
    var cost: Int {
        func cost(_ block: RowBlock) -> Int { 48 + 8 * block.capacity }
        return blocks.reduce(16 * count + (firstBlock.map(cost) ?? 0)) { $0 + cost($1) }
    }

    /// What lists have in common whose rows have the same references in the same order, as two readings of what has not changed.
    struct Form: Equatable {
        fileprivate let count: Int
        fileprivate let fingerprint: UInt64
    }

    var form: Form { Form(count: count, fingerprint: fingerprint) }

    /// Sorts the rows by their references.
    package mutating func sortByReference() {
        guard !isAscending else { return }
        let (firstBlock, blocks) = (firstBlock, blocks)
        pointers.sort { $0.reference < $1.reference }
        withExtendedLifetime((firstBlock, blocks)) {}
        lastReference = pointers.last?.reference ?? lastReference
        isAscending = true
    }
}

/// Counts references of the blocks of many rows, at once for those that come one after the other.
///
/// What keeps the rows otherwise does so until `end`.
struct BlockReferences {
    private var block: Unmanaged<RowBlock>?
    private var count: UInt32 = 0

    /// - Parameter apply: gets a block and how often a row in it was added.
    @inline(__always)
    mutating func add(_ row: RowPointer, _ apply: (Unmanaged<RowBlock>, UInt32) -> Void) {
        let next = row.block
        if next.toOpaque() != block?.toOpaque() {
            end(apply)
            block = next
        }
        count += 1
    }

    @inline(__always)
    mutating func end(_ apply: (Unmanaged<RowBlock>, UInt32) -> Void) {
        if let block, count > 0 { apply(block, count) }
        block = nil
        count = 0
    }
}

extension Unmanaged<RowBlock> {
    /// Counts references at once.
    func retain(_ count: UInt32) { swift_retain_n(toOpaque(), count) }

    /// Gives back references at once.
    func release(_ count: UInt32) { swift_release_n(toOpaque(), count) }
}
