import CocoaFoundation

extension NSManagedObjectModel {
    /// The name that Apple's framework gives to the configuration of all entities.
    package static let defaultConfigurationName = "PF_DEFAULT_CONFIGURATION_NAME"

    /// The names of the configurations, sorted. The configuration of all entities has no name and is not
    /// among them.
    public var configurations: [String] { configurationMembers.keys.sorted() }

    /// The entities of a configuration.
    ///
    /// - Parameter configuration: a name; `nil` means all entities of the model.
    /// - Returns: `nil` if the model has no such configuration.
    public func entities(forConfigurationName configuration: String?) -> [NSEntityDescription]? {
        guard let configuration, configuration != Self.defaultConfigurationName else { return entities }
        return configurationMembers[configuration]
    }

    /// Sets the entities of a configuration, which is created if need be. Their subentities, whose objects are in the same
    /// table, come along.
    ///
    /// An entity that is not in the model stops the program.
    public func setEntities(_ entities: [NSEntityDescription], forConfigurationName configuration: String) {
        var seen: Set<ObjectIdentifier> = []
        var members: [NSEntityDescription] = []
        var rest = entities.reversed() as [NSEntityDescription]
        while let next = rest.popLast() {
            guard seen.insert(ObjectIdentifier(next)).inserted else { continue }
            members.append(next)
            rest.append(contentsOf: next.subentities.reversed())
        }
        setMembers(members, ofConfiguration: configuration)
    }

    /// Sets the entities of a configuration to those that a file lists, and no others.
    package func setMembers(_ entities: [NSEntityDescription], ofConfiguration configuration: String) {
        willChange("configurations")
        for entity in entities where entity.model !== self {
            fatalError(
                "Entity '\(entity.name ?? "?")' is not in the model: add it to 'entities' before it becomes a member "
                    + "of configuration '\(configuration)'")
        }
        configurationMembers[configuration] = entities
    }

    /// The entities in the order in which a store numbers them from 1: each tree of entities from its root,
    /// an entity before its subentities, siblings by name without regard to case.
    ///
    /// - Parameter configuration: a name; `nil` means all entities. An entity above a member is included
    ///   even if it is not a member itself, because the rows of the whole tree are in its table.
    package func entitiesInPreorder(configuration: String? = nil) -> [NSEntityDescription] {
        if configuration == nil, let tables { return tables.entitiesInPreorder }
        guard let members = entities(forConfigurationName: configuration) else { return [] }
        var included: Set<ObjectIdentifier> = []
        var roots: [NSEntityDescription] = []
        for member in members {
            var next: NSEntityDescription? = member
            while let entity = next, included.insert(ObjectIdentifier(entity)).inserted {
                next = entity.superentity
                if next == nil { roots.append(entity) }
            }
        }
        var ordered: [NSEntityDescription] = []
        var rest = Self.siblingOrder(roots).reversed() as [NSEntityDescription]
        while let next = rest.popLast() {
            ordered.append(next)
            let children = next.subentities.filter { included.contains(ObjectIdentifier($0)) }
            rest.append(contentsOf: Self.siblingOrder(children).reversed())
        }
        return ordered
    }

    private static func siblingOrder(_ entities: [NSEntityDescription]) -> [NSEntityDescription] {
        entities.sorted { a, b in
            let (nameA, nameB) = (a.name ?? "", b.name ?? "")
            let (foldedA, foldedB) = (nameA.lowercased(), nameB.lowercased())
            return foldedA == foldedB ? nameA.utf8Precedes(nameB) : foldedA.utf8Precedes(foldedB)
        }
    }
}
