import CocoaFoundation

/// The entity bindings of the elements of a list, such as objects or rows: one for each run of elements that share it. Objects of one
/// entity mostly come one after the other.
package struct EntityRuns: RandomAccessCollection, Sendable {
    package struct Run: Sendable {
        package let storedEntity: StoredEntity
        /// The indexes of the elements.
        package fileprivate(set) var indexes: Range<Int>
    }

    private var runs: [Run] = []

    package init() {}

    package var startIndex: Int { 0 }
    package var endIndex: Int { runs.count }
    package subscript(position: Int) -> Run { runs[position] }

    /// How many elements all runs have.
    package var elementCount: Int { runs.last?.indexes.upperBound ?? 0 }

    /// Adds the next elements, without counting references of their entity binding in a run.
    @inline(__always)
    mutating func append(_ storedEntity: Unmanaged<StoredEntity>, count: Int = 1) {
        if let last = runs.last,
            Unmanaged.passUnretained(last.storedEntity).toOpaque() == storedEntity.toOpaque()
        {
            extend(by: count)
        } else {
            let start = elementCount
            runs.append(Run(storedEntity: storedEntity.takeUnretainedValue(), indexes: start..<start + count))
        }
    }

    /// Adds elements to the last run, which there is.
    @inline(__always)
    mutating func extend(by count: Int = 1) {
        let last = runs.count - 1
        runs[last].indexes = runs[last].indexes.lowerBound..<runs[last].indexes.upperBound + count
    }

    /// The entity binding of the element with an index. O(log n) of the runs.
    package func storedEntity(at index: Int) -> StoredEntity {
        runs[runs.partitionIndex { $0.indexes.upperBound > index }].storedEntity
    }
}
