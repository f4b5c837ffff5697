/// A list of values for the new objects of one save, found by the objects' temporary references.
///
/// Temporary references count down in the order in which objects are made, and a save has its objects in that order but for
/// rare cases. So the index of an object follows from its reference; only where it does not, a table is made.
package final class TemporaryReferences {
    private let count: Int
    private let reference: (Int) -> Int64
    @exclusivity(unchecked) private var indexes: ReferenceMap<Int>?

    /// - Parameter reference: the temporary reference of the object with an index; any other number for an object that has none.
    package init(count: Int, _ reference: @escaping (Int) -> Int64) {
        self.count = count
        self.reference = reference
    }

    /// The index of the object with a temporary reference; nil when it is not one of the save. O(1), but for the table.
    package func index(of temporary: Int64) -> Int? {
        guard count > 0, temporary < 0 else { return nil }
        let (expected, overflow) = reference(0).subtractingReportingOverflow(temporary)
        if !overflow, expected >= 0, expected < count, reference(Int(expected)) == temporary {
            return Int(expected)
        }
        return table.value(temporary)
    }

    private var table: ReferenceMap<Int> {
        if let indexes { return indexes }
        let made = ReferenceMap<Int>()
        made.reserve(count)
        for index in 0..<count where reference(index) < 0 { made.set(index, for: reference(index)) }
        indexes = made
        return made
    }
}
