import CocoaFoundation

/// The differences between two models as entity mappings, where they are of the kinds that need no decision.
///
/// The rules are those of Apple's guide to lightweight migration. Entities and properties belong together that
/// have the same renaming identifier, which is the name unless it is set.
struct MappingInference {
    /// An entity of the destination with the one that its objects come from.
    private struct Pair {
        let source: NSEntityDescription?
        let destination: NSEntityDescription
    }

    private let pairs: [Pair]
    private let removed: [NSEntityDescription]
    /// The entities of the destination by the entities that their objects come from.
    private let destinations: [ObjectIdentifier: NSEntityDescription]

    /// Finds out which entities belong together.
    ///
    /// - Throws: the error of `NSMappingModel.inferredMappingModel(forSourceModel:destinationModel:)`.
    init(from sourceModel: NSManagedObjectModel, to destinationModel: NSManagedObjectModel) throws {
        let names = Counterparts(
            sourceModel.entities, name: { $0.name ?? "" }, identifier: \.explicitRenamingIdentifier)
        var destinations: [ObjectIdentifier: NSEntityDescription] = [:]
        pairs = try destinationModel.entities.map { entity in
            let source = names.counterpart(of: entity)
            if let source {
                if let other = destinations.updateValue(entity, forKey: ObjectIdentifier(source)) {
                    throw Self.error(
                        "The entities '\(other.name ?? "?")' and '\(entity.name ?? "?")' both come from "
                            + "'\(source.name ?? "?")'", entity)
                }
            }
            return Pair(source: source, destination: entity)
        }
        self.destinations = destinations
        removed = sourceModel.entities.filter { destinations[ObjectIdentifier($0)] == nil }
        try Self.checkHierarchies(pairs)
    }

    /// The mappings: those of the destination's entities in their order, then those of the removed entities.
    ///
    /// The names are Apple's: `IEM_Copy_Book`, `IEM_Transform_Book`, `IEM_Add_Book`, `IEM_Remove_Book`.
    func entityMappings() throws -> [NSEntityMapping] {
        try pairs.map(mapping) + removed.map(removal)
    }

    // MARK: Entities

    private func mapping(of pair: Pair) throws -> NSEntityMapping {
        let destination = pair.destination
        let mapping = NSEntityMapping()
        mapping.destinationEntityName = destination.name
        mapping.destinationEntityVersionHash = destination.versionHash
        guard let source = pair.source else {
            mapping.mappingType = .addEntityMappingType
            mapping.name = "IEM_Add_\(destination.name ?? "")"
            mapping.attributeMappings = destination.attributesByName.values.map(newProperty).inNameOrder
            mapping.relationshipMappings = destination.relationshipsByName.values.map(newProperty).inNameOrder
            return mapping
        }
        mapping.sourceEntityName = source.name
        mapping.sourceEntityVersionHash = source.versionHash
        mapping.sourceExpression = MappingExpression.sourceInstances(ofEntityNamed: source.name ?? "")
        mapping.attributeMappings = try attributeMappings(source, destination)
        mapping.relationshipMappings = try relationshipMappings(source, destination)
        if source.name == destination.name, source.versionHash == destination.versionHash {
            mapping.mappingType = .copyEntityMappingType
            mapping.name = "IEM_Copy_\(destination.name ?? "")"
        } else {
            mapping.mappingType = .transformEntityMappingType
            mapping.name = "IEM_Transform_\(destination.name ?? "")"
        }
        return mapping
    }

    private func removal(of source: NSEntityDescription) -> NSEntityMapping {
        let mapping = NSEntityMapping()
        mapping.mappingType = .removeEntityMappingType
        mapping.name = "IEM_Remove_\(source.name ?? "")"
        mapping.sourceEntityName = source.name
        mapping.sourceEntityVersionHash = source.versionHash
        mapping.sourceExpression = MappingExpression.sourceInstances(ofEntityNamed: source.name ?? "")
        mapping.attributeMappings = []
        mapping.relationshipMappings = []
        return mapping
    }

    /// Hierarchies may be split but not merged: entities that have a common root in the destination and are
    /// not new must have had one before.
    private static func checkHierarchies(_ pairs: [Pair]) throws {
        var origins: [ObjectIdentifier: (root: NSEntityDescription, entity: NSEntityDescription)] = [:]
        for pair in pairs {
            guard let source = pair.source else { continue }
            let root = source.rootEntity
            let key = ObjectIdentifier(pair.destination.rootEntity)
            guard let origin = origins[key] else {
                origins[key] = (root, pair.destination)
                continue
            }
            guard origin.root === root else {
                throw error(
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

    private func attributeMappings(
        _ source: NSEntityDescription, _ destination: NSEntityDescription
    ) throws -> [NSPropertyMapping] {
        let counterparts = Self.counterparts(source.attributesByName)
        var origins: [String: NSPropertyDescription] = [:]
        return try destination.attributesByName.values.inNameOrder.map { attribute in
            let mapping = newProperty(attribute)
            // The database computes derived values, and transient ones are in no store.
            guard let old = counterparts.counterpart(of: attribute), !attribute.isTransient, !old.isTransient,
                !(attribute is NSDerivedAttributeDescription)
            else { return mapping }
            try Self.checkOrigin(of: attribute, old, in: destination, &origins)
            guard Self.isCompatible(old, attribute) else {
                throw Self.error(
                    "Source and destination attribute types are incompatible: '\(old.name)' was "
                        + "\(old.attributeType.displayName), '\(attribute.name)' is "
                        + attribute.attributeType.displayName, destination, attribute)
            }
            mapping.valueExpression = MappingExpression.sourceValue(old.name)
            return mapping
        }
    }

    private func relationshipMappings(
        _ source: NSEntityDescription, _ destination: NSEntityDescription
    ) throws -> [NSPropertyMapping] {
        let counterparts = Self.counterparts(source.relationshipsByName)
        var origins: [String: NSPropertyDescription] = [:]
        return try destination.relationshipsByName.values.inNameOrder.map { relationship in
            let mapping = newProperty(relationship)
            guard let old = counterparts.counterpart(of: relationship), !relationship.isTransient,
                !old.isTransient
            else { return mapping }
            try Self.checkOrigin(of: relationship, old, in: destination, &origins)
            guard relationship.isToMany || !old.isToMany else {
                throw Self.error(
                    "The to-many relationship '\(old.name)' cannot become to-one", destination, relationship)
            }
            try checkDestination(of: relationship, old, in: destination)
            mapping.valueExpression = MappingExpression.destinationInstances(ofRelationshipNamed: old.name)
            return mapping
        }
    }

    /// Makes sure that what the old relationship led to is something that the new one can lead to.
    private func checkDestination(
        of relationship: NSRelationshipDescription, _ old: NSRelationshipDescription,
        in entity: NSEntityDescription
    ) throws {
        guard let oldDestination = old.destinationEntity, let newDestination = relationship.destinationEntity
        else {
            throw Self.error(
                "The relationship '\(relationship.name)' has no destination", entity, relationship)
        }
        let migrated = oldDestination.selfAndDescendants.compactMap { destinations[ObjectIdentifier($0)] }
        let fits = migrated.allSatisfy { $0.lineage.contains { $0 === newDestination } }
        guard fits, !migrated.isEmpty else {
            throw Self.error(
                "Source and destination relationship entities are incompatible: '\(old.name)' led to "
                    + "'\(oldDestination.name ?? "?")', '\(relationship.name)' leads to "
                    + "'\(newDestination.name ?? "?")'", entity, relationship)
        }
    }

    private static func checkOrigin(
        of property: NSPropertyDescription, _ old: NSPropertyDescription, in entity: NSEntityDescription,
        _ origins: inout [String: NSPropertyDescription]
    ) throws {
        if let other = origins.updateValue(property, forKey: old.name) {
            throw error(
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

    // MARK: Errors

    /// The code of `NSInferredMappingModelError`, which the module above gives its name.
    private static let errorCode = CocoaError.Code(rawValue: 134190)

    private static func error(
        _ reason: String, _ entity: NSEntityDescription, _ property: NSPropertyDescription? = nil
    ) -> CocoaError {
        var userInfo: [String: Any] = [
            NSLocalizedDescriptionKey: "Can't find or automatically infer mapping model for migration. "
                + "\(reason).", "reason": reason, "entity": entity.name ?? "?",
        ]
        userInfo["property"] = property?.name
        return CocoaError(errorCode, userInfo: userInfo)
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
