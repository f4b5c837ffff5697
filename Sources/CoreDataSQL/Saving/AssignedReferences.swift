import ObjectGraph

/// The references that the new rows of a save get.
struct AssignedReferences {
    /// By the index of the insert.
    private let assigned: ReferenceList
    private let indexes: TemporaryReferences

    init(_ inserts: InsertList, _ assigned: ReferenceList) {
        self.assigned = assigned
        indexes = TemporaryReferences(count: inserts.count) { inserts.reference(at: $0) }
    }

    /// The reference of the row of an insert.
    subscript(index: Int) -> Int64 { assigned[index] }

    /// The reference that a temporary one stands for; a reference that is not one of a new row's is returned itself. O(1).
    func permanent(_ reference: Int64) -> Int64 {
        indexes.index(of: reference).map { assigned[$0] } ?? reference
    }
}
