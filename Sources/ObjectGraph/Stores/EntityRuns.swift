import CocoaFoundation

/// The entity bindings of the elements of a list, such as objects or rows: one for each run of elements that share it. Objects of one
/// entity mostly come one after the other.
package struct EntityRuns: RandomAccessCollection, Sendable {
    package struct Run: Sendable {
        package let storedEntity: StoredEntity
        /// The indexes of the elements.
        package let indexes: Range<Int>
    }

    private var runs: [(storedEntity: StoredEntity, start: Int)] = []
    /// How many elements all runs have.
    package private(set) var elementCount = 0

    package init() {}

    package var startIndex: Int { 0 }
    package var endIndex: Int { runs.count }

    package subscript(position: Int) -> Run {
        let end = position + 1 < runs.count ? runs[position + 1].start : elementCount
        return Run(storedEntity: runs[position].storedEntity, indexes: runs[position].start..<end)
    }

    /// Adds the next elements, without counting references of their entity binding in a run.
    @inline(__always)
    mutating func append(_ storedEntity: Unmanaged<StoredEntity>, count: Int = 1) {
        if !isLast(storedEntity) { runs.append((storedEntity.takeUnretainedValue(), elementCount)) }
        elementCount += count
    }

    /// Adds an element to the last run, which there is.
    @inline(__always)
    mutating func extend() { elementCount += 1 }

    @inline(__always)
    private func isLast(_ storedEntity: Unmanaged<StoredEntity>) -> Bool {
        guard !runs.isEmpty else { return false }
        let last = runs.count - 1
        return Unmanaged.passUnretained(runs[last].storedEntity).toOpaque() == storedEntity.toOpaque()
    }

    /// The entity binding of the element with an index. O(log n) of the runs.
    package func storedEntity(at index: Int) -> StoredEntity {
        runs[runs.partitionIndex { $0.start > index } - 1].storedEntity
    }
}
