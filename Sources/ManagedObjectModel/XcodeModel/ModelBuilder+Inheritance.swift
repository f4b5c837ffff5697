import CocoaFoundation

extension ModelBuilder {
    /// The bounds of a tree of entities, so that the time that a file takes is bounded as well.
    private enum InheritanceLimit {
        /// Entities above each other.
        static let depth = 200
        /// Properties of all entities, each counted in every entity that has or inherits it.
        static let properties = 1_000_000
    }

    /// Connects entities with their superentities.
    func connectInheritance() throws {
        var parents: [String: String] = [:]
        for (element, entity) in built {
            let settings = ElementSettings(element)
            guard let name = entity.name, let parentName = settings.text("parentEntity") else { continue }
            guard entities[parentName] != nil else {
                throw settings.error(.unknownName, "the parent entity '\(parentName)' is not in the model")
            }
            parents[name] = parentName
        }
        try checkTree(parents)
        var children: [String: [NSEntityDescription]] = [:]
        for (_, entity) in built {
            if let parentName = parents[entity.name ?? ""] {
                children[parentName, default: []].append(entity)
            }
        }
        for (parentName, subentities) in children { entities[parentName]?.subentities = subentities }
    }

    /// Checks that no entity inherits from itself and that the tree is of a size that a model can have.
    private func checkTree(_ parents: [String: String]) throws {
        // For an entity whose way to the root is known: how long it is, and how many properties are on it.
        var known: [String: (depth: Int, properties: Int)] = [:]
        var total = 0
        for (element, entity) in built {
            let settings = ElementSettings(element)
            var path: [String] = []
            var seen: Set<String> = []
            var next = entity.name
            while let name = next, known[name] == nil {
                guard seen.insert(name).inserted else {
                    let circle = (path + [name]).suffix(5).joined(separator: " → ")
                    throw settings.error(.cycle, "the entity inherits from itself: \(circle)")
                }
                path.append(name)
                next = parents[name]
            }
            var (depth, properties) = next.flatMap { known[$0] } ?? (0, 0)
            for name in path.reversed() {
                depth += 1
                properties += entities[name]?.ownProperties.count ?? 0
                known[name] = (depth, properties)
                total += properties
                guard depth <= InheritanceLimit.depth, total <= InheritanceLimit.properties else {
                    throw settings.error(.tooLarge, "the tree of entities above it is too large")
                }
            }
        }
    }
}
