import CocoaFoundation

/// New objects with their entity bindings: one for each run of objects that share it.
struct AssignedObjects {
    struct Run {
        let storedEntity: StoredEntity
        /// The index after the last object.
        var end: Int
    }

    private(set) var objects: [NSManagedObject] = []
    private(set) var runs: [Run] = []

    init() {}

    /// - Parameter runs: cover the objects without a gap.
    init(objects: [NSManagedObject], runs: [Run]) {
        assert(runs.last?.end ?? 0 == objects.count, "Each object has an entity binding.")
        self.objects = objects
        self.runs = runs
    }

    mutating func append(_ more: some Collection<NSManagedObject>, _ storedEntity: StoredEntity) {
        objects.append(contentsOf: more)
        if let last = runs.last, last.storedEntity === storedEntity {
            runs[runs.count - 1].end = objects.count
        } else {
            runs.append(Run(storedEntity: storedEntity, end: objects.count))
        }
    }

    /// The entity binding of the object with an index. O(log n) of the runs.
    func storedEntity(at index: Int) -> StoredEntity {
        runs[runs.partitionIndex { $0.end > index }].storedEntity
    }
}
