import CocoaFoundation

extension ModelWriter {
    /// Appends the entity's own properties: attributes, relationships, fetched properties, each by name.
    mutating func appendProperties(of entity: NSEntityDescription, to element: inout ModelElement) throws {
        let properties = Self.sorted(entity.ownProperties) { $0.name }
        for case let attribute as NSAttributeDescription in properties {
            element.children.append(try self.element(attribute, in: entity.name ?? ""))
        }
        for case let relationship as NSRelationshipDescription in properties {
            element.children.append(try self.element(relationship))
        }
        for case let property as NSFetchedPropertyDescription in properties {
            element.children.append(try self.element(property))
        }
        for property in properties
        where
            !(property is NSAttributeDescription || property is NSRelationshipDescription
            || property is NSFetchedPropertyDescription)
        {
            throw Self.inexpressible("a property of class \(type(of: property))", at: property.qualifiedName)
        }
    }

    /// The element of an attribute, which may be an element of a composite attribute.
    ///
    /// - Parameters:
    ///   - holder: the entity, or the path of the composite attribute, for errors.
    ///   - enclosing: the composite attributes around it.
    mutating func element(
        _ attribute: NSAttributeDescription, in holder: String,
        inside enclosing: [NSCompositeAttributeDescription] = []
    ) throws -> ModelElement {
        let location = "\(holder).\(attribute.name)"
        let name = try Self.name(attribute.name, of: "an attribute", at: holder)
        var element = ModelElement("attribute", attributes: [.init("name", name)])
        element.setFlag("optional", attribute.isOptional)
        element.setFlag("transient", attribute.isTransient)
        if attribute.attributeType != .undefinedAttributeType {
            element["attributeType"] = attribute.attributeType.displayName
        }
        if let composite = attribute as? NSCompositeAttributeDescription {
            element["composite"] = try typeName(of: composite, at: location, inside: enclosing)
        }
        element["valueTransformerName"] = attribute.valueTransformerName
        try AttributeLimits.write(attribute, into: &element, at: location)
        try DefaultValueText.write(attribute, into: &element, at: location)
        if let derived = attribute as? NSDerivedAttributeDescription {
            if let predicate = derived.filteringPredicate {
                throw Self.inexpressible("the filtering predicate '\(predicate.formatString)'", at: location)
            }
            element["derived"] = "YES"
            element["derivationExpression"] = try Self.derivationText(derived, at: location)
        }
        element["usesScalarValueType"] = attribute.usesScalarValueType.map { $0 ? "YES" : "NO" }
        element.setFlag("allowsExternalBinaryDataStorage", attribute.allowsExternalBinaryDataStorage)
        element.setFlag("allowsCloudEncryption", attribute.allowsCloudEncryption)
        element.setFlag("preserveAfterDeletion", attribute.preservesValueInHistoryOnDeletion)
        element["customClassName"] = try Self.customClassName(attribute, at: location)
        try finish(attribute, &element, isSyncable: attribute.isSyncable, at: location)
        return element
    }

    /// The class of the values, if it is not the one that goes with the type.
    private static func customClassName(
        _ attribute: NSAttributeDescription, at location: String
    ) throws -> String? {
        let usual = attribute.attributeType.valueClassName
        guard let name = attribute.attributeValueClassName, !name.isEmpty else {
            guard usual == nil else { throw inexpressible("values without a class", at: location) }
            return nil
        }
        return name == usual ? nil : name
    }

    /// The text of a derivation. An aggregate is written as the model editor has it: `pages.@count`.
    private static func derivationText(
        _ attribute: NSDerivedAttributeDescription, at location: String
    ) throws -> String {
        guard let expression = attribute.derivationExpression else {
            throw ModelFileError(.missingValue, "the derivation expression is missing", element: location)
        }
        if case .aggregate(let aggregate, let keyPath) = attribute.derivation {
            return try text(NSExpression(forKeyPath: "\(keyPath).\(aggregate.rawValue)"), at: location)
        }
        return try text(expression, at: location)
    }

    private mutating func typeName(
        of composite: NSCompositeAttributeDescription, at location: String,
        inside enclosing: [NSCompositeAttributeDescription]
    ) throws -> String {
        guard !enclosing.contains(where: { $0 === composite }) else {
            throw ModelFileError(.cycle, "the composite attribute contains itself", element: location)
        }
        guard enclosing.count < ModelElement.Limit.depth else {
            throw ModelFileError(.tooLarge, "composite attributes are nested too deeply", element: location)
        }
        var elements: [ModelElement] = []
        for element in composite.elements {
            elements.append(try self.element(element, in: location, inside: enclosing + [composite]))
        }
        return composites.name(
            of: elements,
            wanted: composite.typeName ?? composite.name.prefix(1).uppercased() + composite.name.dropFirst())
    }

    private mutating func element(_ relationship: NSRelationshipDescription) throws -> ModelElement {
        let location = relationship.qualifiedName
        let name = try Self.name(relationship.name, of: "a relationship", at: relationship.owner?.name)
        var element = ModelElement("relationship", attributes: [.init("name", name)])
        element.setFlag("optional", relationship.isOptional)
        element.setFlag("transient", relationship.isTransient)
        element.setFlag("toMany", relationship.isToMany)
        guard relationship.minCount >= 0, relationship.maxCount >= 0,
            max(relationship.minCount, relationship.maxCount) <= Int(Int32.max)
        else { throw Self.inexpressible("a count below 0 or above \(Int32.max)", at: location) }
        if relationship.minCount > 0 { element["minCount"] = "\(relationship.minCount)" }
        if relationship.maxCount > 0 { element["maxCount"] = "\(relationship.maxCount)" }
        element["deletionRule"] = Self.text(relationship.deleteRule)
        element.setFlag("ordered", relationship.isOrdered)
        guard let destination = relationship.destinationEntityName, !destination.isEmpty else {
            throw ModelFileError(.missingValue, "the destination is not set", element: location)
        }
        element["destinationEntity"] = destination
        if let inverse = relationship.inverseRelationshipName {
            element["inverseName"] = inverse
            element["inverseEntity"] = destination
        }
        try refuseValidation(relationship)
        try finish(relationship, &element, isSyncable: relationship.isSyncable, at: location)
        return element
    }

    private static func text(_ rule: NSDeleteRule) -> String {
        switch rule {
        case .noActionDeleteRule: "No Action"
        case .nullifyDeleteRule: "Nullify"
        case .cascadeDeleteRule: "Cascade"
        case .denyDeleteRule: "Deny"
        }
    }

    private mutating func element(_ property: NSFetchedPropertyDescription) throws -> ModelElement {
        let location = property.qualifiedName
        let name = try Self.name(property.name, of: "a fetched property", at: property.owner?.name)
        var element = ModelElement("fetchedProperty", attributes: [.init("name", name)])
        element.setFlag("optional", property.isOptional)
        if let request = property.fetchRequest {
            element.children.append(
                try self.element(request, name: "fetchedPropertyFetchRequest", location: location))
        }
        try refuseValidation(property)
        try finish(property, &element, isSyncable: property.isSyncable, at: location)
        return element
    }

    private func refuseValidation(_ property: NSPropertyDescription) throws {
        try AttributeLimits.checkWarnings(property, at: property.qualifiedName)
        guard let predicate = property.validationPredicates.first else { return }
        throw Self.inexpressible(
            "the validation predicate '\(predicate.formatString)' of a property that is not an attribute",
            at: property.qualifiedName)
    }

    /// Writes the settings that all kinds of properties share and that the editor has at the end.
    private func finish(
        _ property: NSPropertyDescription, _ element: inout ModelElement, isSyncable: Bool,
        at location: String
    ) throws {
        guard !property.isMarkedReadOnly else {
            throw Self.inexpressible("read-only properties", at: location)
        }
        element.setFlag("spotlightIndexingEnabled", property.isIndexedBySpotlight)
        element.setFlag("storedInTruthFile", property.isInExternalRecord)
        element.setFlag("indexed", property.isIndexedAlone)
        element["versionHashModifier"] = property.versionHashModifier
        element["elementID"] = property.explicitRenamingIdentifier
        element.setFlag("syncable", isSyncable)
        try Self.appendUserInfo(property.userInfo, to: &element, at: location)
    }
}

/// The composite types that a model file gets for the composite attributes of a model.
struct CompositeTypeTable {
    private var types: [String: [ModelElement]] = [:]
    /// The names of the types with given elements that were wanted under a name.
    private var known: [WantedType: String] = [:]
    /// For each wanted name the number that is to be tried next.
    private var nextNumbers: [String: Int] = [:]
    /// How often types have been compared with others of a name.
    private(set) var comparedCount = 0

    private struct WantedType: Hashable {
        let name: String
        let elements: [ModelElement]

        func hash(into hasher: inout Hasher) {
            hasher.combine(name)
            for element in elements { element.hashAttributes(into: &hasher) }
        }
    }

    /// The name of the type with the given elements: the wanted one, or one like it if it is another type's.
    mutating func name(of elements: [ModelElement], wanted: String) -> String {
        let type = WantedType(name: wanted, elements: elements)
        if let name = known[type] { return name }
        var name = wanted
        var number = nextNumbers[wanted] ?? 2
        while let present = types[name] {
            comparedCount += 1
            if present == elements { break }
            name = "\(wanted)\(number)"
            number += 1
        }
        nextNumbers[wanted] = number
        types[name] = elements
        known[type] = name
        return name
    }

    /// The elements of the types by name.
    func elements() -> [ModelElement] {
        ModelWriter.sorted(Array(types), by: { $0.key }).map {
            ModelElement("composite", attributes: [.init("name", $0.key)], children: $0.value)
        }
    }
}
