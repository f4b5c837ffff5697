/// Rows of the members of a to-many relationship, in an order in which those of an owner follow each other.
struct RowsByOwner {
    /// The rows in that order; nil where they came in such an order, as they do from an index of owners.
    private let rearranged: ContiguousArray<RowPointer>?
    /// Which rows each owner has, by the owner's index.
    let ranges: [Range<Int>]

    /// Rows of which only those of the given owners are wanted; nil if the entity of a row has no slot for the owner's key. O(rows + owners).
    ///
    /// - Parameters:
    ///   - owners: the indexes of the owners by their references, from 0 to less than `count`.
    ///   - slot: the slot with the owner's key in rows of an entity, by the entity's number.
    init?(
        _ rows: UnsafeBufferPointer<RowPointer>, owners: ReferenceMap<Int>, count: Int,
        slot: (Int32) -> Int?
    ) {
        // The owner of each row, and -1 for those of other owners.
        var indexes = [Int32](repeating: -1, count: rows.count)
        var starts = [Int](repeating: 0, count: count)
        var counts = [Int](repeating: 0, count: count)
        var isGrouped = true
        var slots: [Int32: Int] = [:]
        var last: (number: Int32, slot: Int, owner: Int64, index: Int)?
        for (position, row) in rows.enumerated() {
            let number = row.entityNumber
            let ownerSlot: Int
            if let last, last.number == number {
                ownerSlot = last.slot
            } else {
                guard let found = slots[number] ?? slot(number) else { return nil }
                slots[number] = found
                ownerSlot = found
            }
            let owner = row.integer(ownerSlot)
            let index = last?.owner == owner ? last?.index ?? -1 : owners.value(owner) ?? -1
            if index >= 0 {
                if counts[index] == 0 {
                    starts[index] = position
                } else if last?.index != index {
                    isGrouped = false
                }
                counts[index] += 1
            }
            indexes[position] = Int32(truncatingIfNeeded: index)
            last = (number, ownerSlot, owner, index)
        }
        if isGrouped {
            rearranged = nil
        } else {
            rearranged = Self.rearranged(rows, indexes, counts, &starts)
        }
        ranges = zip(starts, counts).map { $0..<$0 + $1 }
    }

    /// The rows of all owners, owner by owner, otherwise in the same order.
    ///
    /// - Parameter starts: gets where the rows of each owner begin.
    private static func rearranged(
        _ rows: UnsafeBufferPointer<RowPointer>, _ indexes: [Int32], _ counts: [Int], _ starts: inout [Int]
    ) -> ContiguousArray<RowPointer> {
        var total = 0
        for index in counts.indices {
            starts[index] = total
            total += counts[index]
        }
        var ends = starts
        return ContiguousArray(unsafeUninitializedCapacity: total) { rearranged, count in
            for (row, index) in zip(rows, indexes) where index >= 0 {
                rearranged.initializeElement(at: ends[Int(index)], to: row)
                ends[Int(index)] += 1
            }
            count = total
        }
    }

    /// Calls `body` with the rows that `ranges` are of, which were `rows`.
    func withRows<Value>(
        _ rows: UnsafeBufferPointer<RowPointer>, _ body: (UnsafeBufferPointer<RowPointer>) throws -> Value
    ) rethrows -> Value {
        guard let rearranged else { return try body(rows) }
        return try rearranged.withUnsafeBufferPointer(body)
    }
}
