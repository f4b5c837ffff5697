import ManagedObjectModel

/// Whether Core Data can infer how to turn a store of an older model into one of a newer model.
///
/// The rules are those of Apple's "Using lightweight migration": properties and entities may come, go and be renamed
/// with a renaming identifier; optional may become mandatory if there is a default value; a relationship may change
/// its count and order; entities and properties may move along a hierarchy, but two hierarchies may not become one.
struct InferredMigration {
    private(set) var obstacles: [MigrationObstacle] = []

    init(_ pairs: EntityPairs, _ new: NSManagedObjectModel) {
        let entities = new.entities.sorted {
            ($0.name ?? "").utf8.lexicographicallyPrecedes(($1.name ?? "").utf8)
        }
        for entity in entities where entity.rootEntity.superentity == nil {
            guard let old = pairs.former[ObjectIdentifier(entity)] else { continue }
            checkProperties(entity, old, pairs)
        }
        checkHierarchies(entities, pairs)
    }

    private mutating func checkProperties(
        _ entity: NSEntityDescription, _ old: NSEntityDescription, _ pairs: EntityPairs
    ) {
        // Inherited properties are checked where they are declared, if the declaring entity has an older one.
        let inherited = entity.lineage.dropLast().filter { pairs.former[ObjectIdentifier($0)] == nil }
        let properties = inherited.flatMap(\.ownProperties) + entity.ownProperties
        for property in properties.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
        where !property.isTransient {
            let former = pairs.formerProperty(of: property, in: old, isOwn: false)
            switch property {
            case let attribute as NSAttributeDescription:
                check(attribute, former as? NSAttributeDescription, entity)
            case let relationship as NSRelationshipDescription:
                check(relationship, former as? NSRelationshipDescription, entity, pairs)
            default: break
            }
        }
    }

    private mutating func check(
        _ attribute: NSAttributeDescription, _ old: NSAttributeDescription?, _ entity: NSEntityDescription
    ) {
        if attribute is NSDerivedAttributeDescription { return }
        if let old, !old.isTransient, old.attributeType != attribute.attributeType {
            report(
                entity, attribute,
                "the type \(old.attributeType.displayName) cannot become \(attribute.attributeType.displayName)"
            )
            return
        }
        let wasMandatory = old.map { !$0.isOptional && !$0.isTransient } ?? false
        if !attribute.isOptional, !wasMandatory, attribute.defaultValue == nil,
            !(attribute is NSCompositeAttributeDescription)
        {
            let what = old == nil ? "the new attribute" : "the attribute that was optional"
            report(entity, attribute, "\(what) is mandatory and has no default value")
        }
    }

    private mutating func check(
        _ relationship: NSRelationshipDescription, _ old: NSRelationshipDescription?,
        _ entity: NSEntityDescription, _ pairs: EntityPairs
    ) {
        guard let old, !old.isTransient else {
            if !relationship.isOptional {
                report(
                    entity, relationship, "the new relationship is mandatory, and there are no objects for it"
                )
            }
            return
        }
        if !relationship.isOptional && old.isOptional {
            report(entity, relationship, "the relationship was optional and cannot become mandatory")
        }
        guard let destination = relationship.destinationEntity, let formerDestination = old.destinationEntity,
            let present = pairs.latter[ObjectIdentifier(formerDestination)]
        else {
            if old.destinationEntity != nil {
                report(
                    entity, relationship,
                    "the destination '\(old.destinationEntityName ?? "?")' is not in the newer model any more"
                )
            }
            return
        }
        let isRelated =
            present.lineage.contains { $0 === destination } || destination.lineage.contains { $0 === present }
        if !isRelated {
            report(
                entity, relationship,
                "the destination '\(formerDestination.name ?? "?")' cannot become '\(destination.name ?? "?")'"
            )
        }
    }

    /// Two entities with no common ancestor in the older model must have none in the newer one.
    private mutating func checkHierarchies(_ entities: [NSEntityDescription], _ pairs: EntityPairs) {
        var origins: [ObjectIdentifier: (root: NSEntityDescription, entity: NSEntityDescription)] = [:]
        // An entity at the top has no ancestor; it may get a subentity that was by itself.
        for entity in entities where entity.superentity != nil {
            guard let old = pairs.former[ObjectIdentifier(entity)] else { continue }
            let root = ObjectIdentifier(entity.rootEntity)
            guard let first = origins[root] else {
                origins[root] = (old.rootEntity, entity)
                continue
            }
            if first.root !== old.rootEntity {
                report(
                    entity, nil,
                    "it was in another hierarchy than '\(first.entity.name ?? "?")', and hierarchies cannot be merged"
                )
            }
        }
    }

    private mutating func report(
        _ entity: NSEntityDescription, _ property: NSPropertyDescription?, _ reason: String
    ) {
        obstacles.append(
            MigrationObstacle(entity: entity.name ?? "", property: property?.name, reason: reason))
    }
}
