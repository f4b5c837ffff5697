@testable import ManagedObjectModel

// Short ways to build descriptions.

func makeModel(_ entities: NSEntityDescription...) -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    model.entities = entities
    return model
}

func entity(
    _ name: String, _ properties: [NSPropertyDescription], subentities: [NSEntityDescription] = []
) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.properties = properties
    entity.subentities = subentities
    return entity
}

func attribute(
    _ name: String, _ type: NSAttributeDescription.AttributeType, optional: Bool = true
) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.type = type
    attribute.isOptional = optional
    return attribute
}

func relationship(
    _ name: String, to destination: NSEntityDescription?, max: Int = 0
) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.destinationEntity = destination
    relationship.maxCount = max
    return relationship
}

/// The model in a text of model XML: the content of the `<model>` element.
func parse(_ content: String, attributes: String = "") throws -> NSManagedObjectModel {
    let text = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" \(attributes)>
        \(content)
        </model>
        """
    return try NSManagedObjectModel(tree: ModelElement(xml: Data(text.utf8)))
}

/// The property of the entity `E` in a text of model XML: the content of the `<entity>` element.
func parseProperty<Property: NSPropertyDescription>(
    _ element: String, more: String = "", as type: Property.Type = Property.self
) throws -> Property? {
    let model = try parse("<entity name=\"E\">\(element)</entity>\(more)")
    let property = model.entitiesByName["E"]?.properties.first as? Property
    return property
}

extension NSExpression {
    /// The expression as text: a key path, or a function with its arguments in parentheses.
    var text: String { DerivationText(self).text }
}
