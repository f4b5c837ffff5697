import CocoaFoundation

extension ModelBuilder {
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
        try check(parents)
        var children: [String: [NSEntityDescription]] = [:]
        for (_, entity) in built {
            if let parentName = parents[entity.name ?? ""] {
                children[parentName, default: []].append(entity)
            }
        }
        for (parentName, subentities) in children { entities[parentName]?.subentities = subentities }
    }

    private func check(_ parents: [String: String]) throws {
        let tree = InheritanceTree(
            parents: parents, propertyCounts: entities.mapValues(\.ownProperties.count))
        do {
            try tree.check(built.compactMap(\.entity.name))
        } catch let error as ModelFileError {
            let element = built.first { $0.entity.name == error.element }?.element
            throw ModelFileError(error.reason, error.detail, element: error.element, line: element?.line)
        }
    }
}
