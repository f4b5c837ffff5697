/// The new rows of a unit of work, in order, with an entity binding for each run of rows that share it.
///
/// A save may have very many: a list of structures would take twice the memory, and what a save returns is mostly this list of rows.
package struct InsertList: RandomAccessCollection {
    package private(set) var rows: [Row] = []
    package private(set) var runs = EntityRuns()
    private var references = ReferenceList()

    package init() {}

    package var startIndex: Int { 0 }
    package var endIndex: Int { rows.count }

    package subscript(index: Int) -> UnitOfWork.Insert {
        UnitOfWork.Insert(
            storedEntity: storedEntity(at: index), row: rows[index], reference: references[index])
    }

    /// The entity binding of the row with an index. O(log n) of the runs.
    package func storedEntity(at index: Int) -> StoredEntity { runs.storedEntity(at: index) }

    /// The reference that a row has before the save: a temporary one, or its own. O(1).
    package func reference(at index: Int) -> Int64 { references[index] }

    package mutating func reserveCapacity(_ count: Int) { rows.reserveCapacity(count) }

    package mutating func append(_ insert: UnitOfWork.Insert) { append(insert.row, of: insert.storedEntity) }

    package mutating func append(_ row: Row, of storedEntity: StoredEntity) {
        references.append(row.reference)
        rows.append(row)
        runs.append(.passUnretained(storedEntity))
    }

    /// Puts another row of the same object in the place of one.
    package mutating func replaceRow(at index: Int, with row: Row) {
        assert(row.reference == rows[index].reference, "The rows are of one object.")
        rows[index] = row
    }
}
