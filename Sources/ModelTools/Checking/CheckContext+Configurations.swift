import ManagedObjectModel

extension CheckContext {
    /// Configurations that could not be the content of a store.
    mutating func checkConfigurations() {
        var configurationsByEntity: [ObjectIdentifier: Set<String>] = [:]
        for name in model.configurations {
            let members = model.entities(forConfigurationName: name) ?? []
            if members.isEmpty {
                report(
                    .emptyConfiguration, nil, name, kind: "configuration", "the configuration has no entities"
                )
            }
            for entity in members {
                configurationsByEntity[ObjectIdentifier(entity), default: []].insert(name)
            }
        }
        guard !configurationsByEntity.isEmpty else { return }
        for entity in entities {
            guard let own = configurationsByEntity[ObjectIdentifier(entity)] else { continue }
            if let parent = entity.superentity, let above = configurationsByEntity[ObjectIdentifier(parent)],
                !own.isSubset(of: above)
            {
                report(
                    .splitHierarchy, entity.name, nil,
                    "the superentity '\(parent.name ?? "?")' is not in the configuration "
                        + "\(Self.list(own.subtracting(above))), but objects of both are in one table")
            }
            for relationship in entity.ownRelationships {
                guard let destination = relationship.destinationEntity,
                    let other = configurationsByEntity[ObjectIdentifier(destination)],
                    own.isDisjoint(with: other)
                else { continue }
                report(
                    .crossingRelationship, relationship,
                    "the destination '\(destination.name ?? "?")' is in the configuration \(Self.list(other)) only, "
                        + "and a relationship cannot lead into another store")
            }
        }
    }

    private static func list(_ names: Set<String>) -> String {
        names.sorted().map { "'\($0)'" }.joined(separator: ", ")
    }

    // MARK: CloudKit

    /// What a store that is kept in CloudKit too cannot have (documentation of `NSPersistentCloudKitContainer`:
    /// "Creating a Core Data Model for CloudKit").
    mutating func checkCloudKit(_ scope: CloudKitScope) {
        let subjects: [NSEntityDescription]
        switch scope {
        case .allEntities: subjects = entities
        case .configurations(let names):
            let members = names.flatMap { model.entities(forConfigurationName: $0) ?? [] }
            let included = Set(members.map(ObjectIdentifier.init))
            subjects = entities.filter { included.contains(ObjectIdentifier($0)) }
        }
        for entity in subjects {
            if !entity.uniquenessConstraints.isEmpty {
                report(.cloudConstraint, entity.name, nil, "CloudKit does not support uniqueness constraints")
            }
            for attribute in entity.ownAttributes where !attribute.isTransient { checkCloudKit(attribute) }
            for relationship in entity.ownRelationships where !relationship.isTransient {
                checkCloudKit(relationship)
            }
        }
    }

    private mutating func checkCloudKit(_ attribute: NSAttributeDescription) {
        if [.undefinedAttributeType, .objectIDAttributeType].contains(attribute.attributeType) {
            report(
                .cloudType, attribute,
                "CloudKit does not support attributes of type \(attribute.attributeType.displayName)")
        }
        if !attribute.isOptional, attribute.defaultValue == nil, !(attribute is NSDerivedAttributeDescription)
        {
            report(
                .cloudMandatoryAttribute, attribute,
                "with CloudKit an attribute must be optional or have a default value")
        }
    }

    private mutating func checkCloudKit(_ relationship: NSRelationshipDescription) {
        if !relationship.isOptional {
            report(.cloudMandatoryRelationship, relationship, "with CloudKit a relationship must be optional")
        }
        if relationship.inverseRelationshipName == nil {
            report(
                .cloudRelationshipWithoutInverse, relationship,
                "with CloudKit a relationship must have an inverse")
        }
        if relationship.isOrdered {
            report(.cloudOrderedRelationship, relationship, "CloudKit does not support ordered relationships")
        }
        if relationship.deleteRule == .denyDeleteRule {
            report(.cloudDenyRule, relationship, "CloudKit does not support the delete rule Deny")
        }
    }
}
