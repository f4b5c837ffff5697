import CoreData

/// The model of a stress: items in groups (one to many), with tags (many to many) and lines (ordered, which go with
/// their item).
enum StressModel {
    static func make() -> NSManagedObjectModel {
        let item = entity("Item", [attribute("name", .string), attribute("number", .integer64)])
        let group = entity("Group", [attribute("name", .string)])
        let tag = entity("Tag", [attribute("name", .string)])
        let line = entity("Line", [attribute("text", .string)])
        join(relationship("group", item, to: group), relationship("items", group, to: item, many: true))
        join(
            relationship("tags", item, to: tag, many: true), relationship("items", tag, to: item, many: true))
        let lines = relationship("lines", item, to: line, many: true)
        lines.isOrdered = true
        lines.deleteRule = .cascadeDeleteRule
        join(lines, relationship("item", line, to: item))
        let model = NSManagedObjectModel()
        model.entities = [item, group, tag, line]
        return model
    }

    static let entities = ["Group", "Item", "Line", "Tag"]

    private static func entity(_ name: String, _ properties: [NSPropertyDescription]) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = properties
        return entity
    }

    private static func attribute(
        _ name: String, _ type: NSAttributeDescription.AttributeType
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.type = type
        attribute.isOptional = true
        return attribute
    }

    private static func relationship(
        _ name: String, _ owner: NSEntityDescription, to destination: NSEntityDescription, many: Bool = false
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.maxCount = many ? 0 : 1
        relationship.isOptional = true
        owner.properties.append(relationship)
        return relationship
    }

    private static func join(_ one: NSRelationshipDescription, _ other: NSRelationshipDescription) {
        one.inverseRelationship = other
        other.inverseRelationship = one
    }
}
