import CoreData

// Models in few words, built in code.

extension NSManagedObjectModel {
    convenience init(of entities: NSEntityDescription...) {
        self.init()
        self.entities = entities
    }
}

extension NSEntityDescription {
    convenience init(
        _ name: String, _ properties: NSPropertyDescription..., subentities: [NSEntityDescription] = [],
        isAbstract: Bool = false
    ) {
        self.init()
        self.name = name
        self.properties = properties
        self.subentities = subentities
        self.isAbstract = isAbstract
    }

    /// Adds a relationship without inverse.
    @discardableResult
    func relate(
        _ name: String, to destination: NSEntityDescription, many: Bool = false, ordered: Bool = false,
        rule: NSDeleteRule = .nullifyDeleteRule
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.maxCount = many ? 0 : 1
        relationship.isOrdered = ordered
        relationship.deleteRule = rule
        properties.append(relationship)
        return relationship
    }

    /// Adds a property.
    func add(_ property: NSPropertyDescription) { properties.append(property) }
}

/// Makes two relationships each other's inverse.
func pair(_ one: NSRelationshipDescription, _ other: NSRelationshipDescription) {
    one.inverseRelationship = other
    other.inverseRelationship = one
}

func attribute(
    _ name: String, _ type: NSAttributeDescription.AttributeType, optional: Bool = true,
    defaultValue: Any? = nil
) -> NSAttributeDescription {
    Library.attribute(name, type, optional: optional, defaultValue: defaultValue)
}

func derived(
    _ name: String, _ type: NSAttributeDescription.AttributeType, _ expression: String, optional: Bool = true
) -> NSDerivedAttributeDescription {
    let attribute = Library.derived(name, type, expression)
    attribute.isOptional = optional
    return attribute
}

func composite(_ name: String, _ elements: NSAttributeDescription...) -> NSCompositeAttributeDescription {
    let attribute = NSCompositeAttributeDescription()
    attribute.name = name
    attribute.elements = elements
    return attribute
}

func transformable(_ name: String, _ transformer: String? = nil) -> NSAttributeDescription {
    let attribute = attribute(name, .transformable)
    attribute.valueTransformerName = transformer
    return attribute
}
