/// New objects with their entity bindings.
struct AssignedObjects {
    private(set) var objects: [NSManagedObject] = []
    private(set) var runs = EntityRuns()

    init() {}

    /// - Parameter runs: cover the objects without a gap.
    init(objects: [NSManagedObject], runs: EntityRuns) {
        assert(runs.elementCount == objects.count, "Each object has an entity binding.")
        self.objects = objects
        self.runs = runs
    }

    mutating func append(_ more: some Collection<NSManagedObject>, _ storedEntity: StoredEntity) {
        objects.append(contentsOf: more)
        runs.append(.passUnretained(storedEntity), count: more.count)
    }
}
