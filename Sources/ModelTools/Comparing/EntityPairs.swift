import ManagedObjectModel

/// Which entities and properties of an older and a newer model are the same.
///
/// The renaming identifier of something new is the name, or the renaming identifier, of what it was: both count, so
/// that a thing that is renamed twice can be matched with either of its older versions.
struct EntityPairs {
    /// The older entity of each newer one.
    private(set) var former: [ObjectIdentifier: NSEntityDescription] = [:]
    /// The newer entity of each older one.
    private(set) var latter: [ObjectIdentifier: NSEntityDescription] = [:]

    init(_ old: NSManagedObjectModel, _ new: NSManagedObjectModel) {
        let pairs = Self.pairs(
            old.entities.map { ($0, $0.name ?? "", $0.explicitRenamingIdentifier) },
            new.entities.map { ($0, $0.name ?? "", $0.explicitRenamingIdentifier) })
        for (before, after) in pairs {
            former[ObjectIdentifier(after)] = before
            latter[ObjectIdentifier(before)] = after
        }
        for (before, after) in pairs {
            let own = Self.pairs(
                before.ownProperties.map { ($0, $0.name, $0.explicitRenamingIdentifier) },
                after.ownProperties.map { ($0, $0.name, $0.explicitRenamingIdentifier) })
            // A property that has become one of another kind is another property.
            for (first, second) in own where first.kindName == second.kindName {
                ownFormer[ObjectIdentifier(second)] = first
            }
        }
    }

    private var ownFormer: [ObjectIdentifier: NSPropertyDescription] = [:]

    /// What a property of a newer entity was in the older entity.
    ///
    /// - Parameter isOwn: whether only the entity's own properties count, and not those that have moved to it from
    ///   an entity above or below.
    func formerProperty(
        of property: NSPropertyDescription, in old: NSEntityDescription, isOwn: Bool
    ) -> NSPropertyDescription? {
        if let own = ownFormer[ObjectIdentifier(property)], own.owner === old || !isOwn { return own }
        if isOwn { return nil }
        let byName = old.propertiesByName
        let candidates = [property.explicitRenamingIdentifier, property.name].compactMap { $0 }
        return candidates.lazy.compactMap { byName[$0] }.first { $0.kindName == property.kindName }
    }

    /// Pairs by renaming identifier first, then by name.
    private static func pairs<Thing: AnyObject>(
        _ old: [(thing: Thing, name: String, identifier: String?)],
        _ new: [(thing: Thing, name: String, identifier: String?)]
    ) -> [(Thing, Thing)] {
        let byName = Dictionary(old.map { ($0.name, $0.thing) }) { first, _ in first }
        let byIdentifier = Dictionary(
            old.compactMap { entry in entry.identifier.map { ($0, entry.thing) } }
        ) { first, _ in first }
        var taken: Set<ObjectIdentifier> = []
        var found: [(Thing, Thing)] = []
        var rest: [(thing: Thing, name: String)] = []
        for entry in new {
            if let identifier = entry.identifier,
                let match = byName[identifier] ?? byIdentifier[identifier],
                taken.insert(ObjectIdentifier(match)).inserted
            {
                found.append((match, entry.thing))
            } else {
                rest.append((entry.thing, entry.name))
            }
        }
        for entry in rest {
            let candidates = [byName[entry.name], byIdentifier[entry.name]].compactMap { $0 }
            if let match = candidates.first(where: { !taken.contains(ObjectIdentifier($0)) }) {
                taken.insert(ObjectIdentifier(match))
                found.append((match, entry.thing))
            }
        }
        return found
    }
}
