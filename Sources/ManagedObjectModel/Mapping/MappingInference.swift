import CocoaFoundation

/// The differences between two models as entity mappings, where they are of the kinds that need no decision.
///
/// The rules are those of Apple's guide to lightweight migration. Entities and properties belong together that
/// have the same renaming identifier, which is the name unless it is set.
package struct MappingInference {
    /// Why there can be no mapping; empty if there is one. In the order of the destination's entities and properties.
    package private(set) var obstacles: [MigrationObstacle] = []
    /// The mandatory properties to which the mapping gives no value: the migration fails if there are objects of
    /// their entities.
    package private(set) var missingValues: [MigrationObstacle] = []
    /// The mappings: those of the destination's entities in their order, then those of the removed entities.
    ///
    /// The names are Apple's: `IEM_Copy_Book`, `IEM_Transform_Book`, `IEM_Add_Book`, `IEM_Remove_Book`, with the name of the
    /// source entity where there is one.
    private(set) var entityMappings: [NSEntityMapping] = []

    /// An entity of the destination with the one that its objects come from.
    private struct Pair {
        let source: NSEntityDescription?
        let destination: NSEntityDescription
    }

    /// The entities of the destination by the entities that their objects come from.
    private var destinations: [ObjectIdentifier: NSEntityDescription] = [:]
    private let hashes = VersionHashes()

    /// Compares two models.
    package init(from sourceModel: NSManagedObjectModel, to destinationModel: NSManagedObjectModel) {
        let names = Counterparts(
            sourceModel.entities, name: { $0.name ?? "" }, identifier: \.explicitRenamingIdentifier)
        var pairs: [Pair] = []
        for entity in destinationModel.entities {
            let source = names.counterpart(of: entity)
            pairs.append(Pair(source: source, destination: entity))
            guard let source, let other = destinations.updateValue(entity, forKey: ObjectIdentifier(source))
            else { continue }
            obstruct(
                "The entities '\(other.name ?? "?")' and '\(entity.name ?? "?")' both come from "
                    + "'\(source.name ?? "?")'", entity)
        }
        checkHierarchies(pairs)
        for pair in pairs { entityMappings.append(mapping(of: pair)) }
        for entity in sourceModel.entities where destinations[ObjectIdentifier(entity)] == nil {
            entityMappings.append(removal(of: entity))
        }
        obstacles = Self.withoutInherited(obstacles, destinationModel)
        missingValues = Self.withoutInherited(missingValues, destinationModel)
    }

    /// A reason against a property also holds in the entities that inherit it: it is reported once.
    private static func withoutInherited(
        _ obstacles: [MigrationObstacle], _ model: NSManagedObjectModel
    ) -> [MigrationObstacle] {
        let known = Set(obstacles)
        return obstacles.filter { obstacle in
            guard obstacle.property != nil else { return true }
            let ancestors = model.entitiesByName[obstacle.entity]?.lineage.compactMap(\.name) ?? []
            return !ancestors.contains {
                $0 != obstacle.entity
                    && known.contains(
                        MigrationObstacle(entity: $0, property: obstacle.property, reason: obstacle.reason))
            }
        }
    }

    // MARK: Entities

    private mutating func mapping(of pair: Pair) -> NSEntityMapping {
        let destination = pair.destination
        let mapping = NSEntityMapping()
        mapping.destinationEntityName = destination.name
        mapping.destinationEntityVersionHash = hashes.digest(of: destination)
        guard let source = pair.source else {
            mapping.mappingType = .addEntityMappingType
            mapping.name = "IEM_Add_\(destination.name ?? "")"
            mapping.attributeMappings = destination.attributesByName.values.map(newProperty).inNameOrder
            mapping.relationshipMappings = destination.relationshipsByName.values.map(newProperty).inNameOrder
            note([:], destination.propertiesByName, in: mapping)
            return mapping
        }
        mapping.sourceEntityName = source.name
        mapping.sourceEntityVersionHash = hashes.digest(of: source)
        mapping.sourceExpression = MappingExpression.sourceInstances(ofEntityNamed: source.name ?? "")
        mapping.attributeMappings = attributeMappings(source, destination)
        mapping.relationshipMappings = relationshipMappings(source, destination)
        if source.name == destination.name,
            mapping.sourceEntityVersionHash == mapping.destinationEntityVersionHash
        {
            mapping.mappingType = .copyEntityMappingType
            mapping.name = "IEM_Copy_\(destination.name ?? "")"
        } else {
            mapping.mappingType = .transformEntityMappingType
            mapping.name = "IEM_Transform_\(source.name ?? "")"
        }
        note(source.propertiesByName, destination.propertiesByName, in: mapping)
        return mapping
    }

    private func removal(of source: NSEntityDescription) -> NSEntityMapping {
        let mapping = NSEntityMapping()
        mapping.mappingType = .removeEntityMappingType
        mapping.name = "IEM_Remove_\(source.name ?? "")"
        mapping.sourceEntityName = source.name
        mapping.sourceEntityVersionHash = hashes.digest(of: source)
        mapping.sourceExpression = MappingExpression.sourceInstances(ofEntityNamed: source.name ?? "")
        mapping.attributeMappings = []
        mapping.relationshipMappings = []
        note(source.propertiesByName, [:], in: mapping)
        return mapping
    }

    /// Notes in a mapping which properties have a counterpart, and which are new or gone, as Apple's framework does.
    private func note(
        _ source: [String: NSPropertyDescription], _ destination: [String: NSPropertyDescription],
        in mapping: NSEntityMapping
    ) {
        func isModelled(_ property: NSPropertyDescription) -> Bool {
            !(property is NSFetchedPropertyDescription)
        }
        let origins = Self.counterparts(source.filter { isModelled($0.value) })
        var mapped: Set<String> = []
        var added: Set<String> = []
        var removed = Set(source.filter { isModelled($0.value) }.keys)
        for (name, property) in destination where isModelled(property) {
            let old = origins.counterpart(of: property)
            guard let old, (old is NSAttributeDescription) == (property is NSAttributeDescription) else {
                added.insert(name)
                continue
            }
            mapped.insert(name)
            removed.remove(old.name)
        }
        mapping.userInfo = [
            "mappedProperties": mapped, "addedProperties": added, "removedProperties": removed,
        ]
    }

    /// Hierarchies may be split but not merged: entities that have a common parent in the destination and are
    /// not new must have had one before. One without a parent may get children that were by themselves.
    private mutating func checkHierarchies(_ pairs: [Pair]) {
        var origins: [ObjectIdentifier: (root: NSEntityDescription, entity: NSEntityDescription)] = [:]
        for pair in pairs where pair.destination.superentity != nil {
            guard let source = pair.source else { continue }
            let root = source.rootEntity
            let key = ObjectIdentifier(pair.destination.rootEntity)
            guard let origin = origins[key] else {
                origins[key] = (root, pair.destination)
                continue
            }
            if origin.root !== root {
                obstruct(
                    "The entities '\(origin.entity.name ?? "?")' and '\(pair.destination.name ?? "?")' have a "
                        + "common parent now and had none before", pair.destination)
            }
        }
    }

    // MARK: Properties

    private func newProperty(_ property: NSPropertyDescription) -> NSPropertyMapping {
        let mapping = NSPropertyMapping()
        mapping.name = property.name
        return mapping
    }

    private mutating func attributeMappings(
        _ source: NSEntityDescription, _ destination: NSEntityDescription
    ) -> [NSPropertyMapping] {
        let counterparts = Self.counterparts(source.attributesByName)
        var origins: [String: NSPropertyDescription] = [:]
        return destination.attributesByName.values.inNameOrder.map { attribute in
            let mapping = newProperty(attribute)
            // The database computes derived values, and transient ones are in no store.
            guard !attribute.isTransient, !(attribute is NSDerivedAttributeDescription) else {
                return mapping
            }
            let old = counterparts.counterpart(of: attribute).flatMap { $0.isTransient ? nil : $0 }
            checkValue(of: attribute, old, in: destination)
            guard let old else { return mapping }
            checkOrigin(of: attribute, old, in: destination, &origins)
            if !Self.isCompatible(old, attribute) {
                obstruct(
                    "Source and destination attribute types are incompatible: '\(old.name)' was "
                        + "\(old.attributeType.displayName), '\(attribute.name)' is "
                        + attribute.attributeType.displayName, destination, attribute)
            }
            mapping.valueExpression = MappingExpression.sourceValue(old.name)
            return mapping
        }
    }

    private mutating func relationshipMappings(
        _ source: NSEntityDescription, _ destination: NSEntityDescription
    ) -> [NSPropertyMapping] {
        let counterparts = Self.counterparts(source.relationshipsByName)
        var origins: [String: NSPropertyDescription] = [:]
        return destination.relationshipsByName.values.inNameOrder.map { relationship in
            let mapping = newProperty(relationship)
            guard !relationship.isTransient else { return mapping }
            let old = counterparts.counterpart(of: relationship).flatMap { $0.isTransient ? nil : $0 }
            checkValue(of: relationship, old, in: destination)
            guard let old else { return mapping }
            checkOrigin(of: relationship, old, in: destination, &origins)
            if !relationship.isToMany, old.isToMany {
                obstruct(
                    "The to-many relationship '\(old.name)' cannot become to-one", destination, relationship)
            }
            checkDestination(of: relationship, old, in: destination)
            mapping.valueExpression = MappingExpression.destinationInstances(ofRelationshipNamed: old.name)
            return mapping
        }
    }

    /// Takes note of a mandatory property that may be left without a value.
    private mutating func checkValue(
        of property: NSPropertyDescription, _ old: NSPropertyDescription?, in entity: NSEntityDescription
    ) {
        guard !property.isOptional, old?.isOptional != false, !(property is NSCompositeAttributeDescription),
            (property as? NSAttributeDescription)?.defaultValue == nil
        else { return }
        let what = property is NSAttributeDescription ? "attribute" : "relationship"
        let history = old == nil ? "is new" : "was optional"
        let lackingDefault = property is NSAttributeDescription ? " and has no default value" : ""
        missingValues.append(
            MigrationObstacle(
                entity: entity.name ?? "?", property: property.name,
                reason: "The \(what) \(history), is mandatory\(lackingDefault)"))
    }

    /// Makes sure that what the old relationship led to is something that the new one can lead to.
    private mutating func checkDestination(
        of relationship: NSRelationshipDescription, _ old: NSRelationshipDescription,
        in entity: NSEntityDescription
    ) {
        guard let oldDestination = old.destinationEntity, let newDestination = relationship.destinationEntity
        else {
            obstruct("The relationship '\(relationship.name)' has no destination", entity, relationship)
            return
        }
        let migrated = oldDestination.selfAndDescendants.compactMap { destinations[ObjectIdentifier($0)] }
        let fits = migrated.allSatisfy { $0.lineage.contains { $0 === newDestination } }
        if !fits || migrated.isEmpty {
            obstruct(
                "Source and destination relationship entities are incompatible: '\(old.name)' led to "
                    + "'\(oldDestination.name ?? "?")', '\(relationship.name)' leads to "
                    + "'\(newDestination.name ?? "?")'", entity, relationship)
        }
    }

    private mutating func checkOrigin(
        of property: NSPropertyDescription, _ old: NSPropertyDescription, in entity: NSEntityDescription,
        _ origins: inout [String: NSPropertyDescription]
    ) {
        if let other = origins.updateValue(property, forKey: old.name) {
            obstruct(
                "The properties '\(other.name)' and '\(property.name)' both come from '\(old.name)'", entity,
                property)
        }
    }

    /// Whether the values of one attribute can be those of the other: the types are equal, or both are
    /// integers and the new one is not narrower.
    private static func isCompatible(_ old: NSAttributeDescription, _ new: NSAttributeDescription) -> Bool {
        let integers: [NSAttributeType] = [
            .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
        ]
        if let from = integers.firstIndex(of: old.attributeType),
            let to = integers.firstIndex(of: new.attributeType)
        {
            return from <= to
        }
        guard old.attributeType == new.attributeType else { return false }
        guard let old = old as? NSCompositeAttributeDescription,
            let new = new as? NSCompositeAttributeDescription
        else { return true }
        return old.elements.count == new.elements.count
            && zip(old.elements, new.elements).allSatisfy { $0.name == $1.name && isCompatible($0, $1) }
    }

    private static func counterparts<Property: NSPropertyDescription>(
        _ properties: [String: Property]
    ) -> Counterparts<Property> {
        Counterparts(properties.values.inNameOrder, name: \.name, identifier: \.explicitRenamingIdentifier)
    }

    private mutating func obstruct(
        _ reason: String, _ entity: NSEntityDescription, _ property: NSPropertyDescription? = nil
    ) {
        obstacles.append(
            MigrationObstacle(entity: entity.name ?? "?", property: property?.name, reason: reason))
    }
}

/// The entities or properties of a source model, found by those of a destination model.
private struct Counterparts<Element> {
    private let name: (Element) -> String
    private let identifier: (Element) -> String?
    private let byName: [String: Element]
    private let byIdentifier: [String: Element]

    /// - Parameters:
    ///   - name: the name of an element.
    ///   - identifier: the renaming identifier that was set for an element, if any.
    init(
        _ elements: [Element], name: @escaping (Element) -> String,
        identifier: @escaping (Element) -> String?
    ) {
        self.name = name
        self.identifier = identifier
        byName = Dictionary(elements.map { (name($0), $0) }) { first, _ in first }
        byIdentifier = Dictionary(
            elements.compactMap { element in identifier(element).map { ($0, element) } }
        ) { first, _ in first }
    }

    /// The element that another one comes from.
    ///
    /// An element with a renaming identifier comes from the one with the same identifier, or else from the
    /// one that the identifier names. Any other comes from the one of its name, or else from the one that
    /// has the name as its identifier.
    func counterpart(of element: Element) -> Element? {
        let name = name(element)
        if let identifier = identifier(element), identifier != name {
            return byIdentifier[identifier] ?? byName[identifier] ?? byName[name]
        }
        return byName[name] ?? byIdentifier[name]
    }
}

extension Collection where Element: NSPropertyDescription {
    fileprivate var inNameOrder: [Element] { sorted { $0.name.utf8Precedes($1.name) } }
}

extension Collection where Element == NSPropertyMapping {
    fileprivate var inNameOrder: [Element] { sorted { ($0.name ?? "").utf8Precedes($1.name ?? "") } }
}
