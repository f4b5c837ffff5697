import CocoaFoundation

/// The tree of entities of a model that is being read, by names.
struct InheritanceTree {
    /// The bounds of a tree, so that the time that a file takes is bounded as well.
    private enum Limit {
        /// Entities above each other.
        static let depth = 200
        /// Properties of all entities, each counted in every entity that has or inherits it.
        static let properties = 1_000_000
    }

    /// The superentity of each entity that has one.
    let parents: [String: String]
    /// How many properties each entity itself declares.
    let propertyCounts: [String: Int]

    /// Checks that no entity inherits from itself and that the tree is of a size that a model can have.
    ///
    /// - Parameter names: the entities, in the order in which mistakes are to be reported.
    /// - Throws: `ModelFileError` with the entity.
    /// - Complexity: O(entities).
    func check(_ names: [String]) throws {
        // For an entity whose way to the root is known: how long it is, and how many properties are on it.
        var known: [String: (depth: Int, properties: Int)] = [:]
        var total = 0
        for entity in names {
            var path: [String] = []
            var seen: Set<String> = []
            var next: String? = entity
            while let name = next, known[name] == nil {
                guard seen.insert(name).inserted else {
                    let circle = (path + [name]).suffix(5).joined(separator: " → ")
                    throw ModelFileError(
                        .cycle, "the entity inherits from itself: \(circle)", element: entity)
                }
                path.append(name)
                next = parents[name]
            }
            var (depth, properties) = next.flatMap { known[$0] } ?? (0, 0)
            for name in path.reversed() {
                depth += 1
                properties += propertyCounts[name] ?? 0
                known[name] = (depth, properties)
                total += properties
                guard depth <= Limit.depth, total <= Limit.properties else {
                    throw ModelFileError(
                        .tooLarge, "it has too many superentities", element: entity)
                }
            }
        }
    }
}
