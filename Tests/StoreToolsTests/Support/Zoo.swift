import CoreData

/// A model with every kind of attribute and relationship.
enum Zoo {
    /// - Parameter plain: without what only SQLite stores take.
    static func model(derived: Bool = false, plain: Bool = false) -> NSManagedObjectModel {
        let item = entity("Item")
        let special = entity("Special")
        let tag = entity("Tag")
        let box = entity("Box")
        let kinds: [(String, NSAttributeType)] = [
            ("int16", .integer16AttributeType), ("int32", .integer32AttributeType),
            ("int64", .integer64AttributeType), ("flag", .booleanAttributeType),
            ("real", .doubleAttributeType), ("single", .floatAttributeType), ("date", .dateAttributeType),
            ("price", .decimalAttributeType), ("text", .stringAttributeType), ("link", .URIAttributeType),
            ("uuid", .UUIDAttributeType), ("bytes", .binaryDataAttributeType),
            ("opaque", .transformableAttributeType),
        ]
        let attributes = kinds.map { attribute($0, $1) }
        attributes.last?.valueTransformerName = "NoSuchTransformer"
        let external = attribute("external", .binaryDataAttributeType)
        external.allowsExternalBinaryDataStorage = true
        let count = attribute("count", .integer32AttributeType)
        count.defaultValue = NSNumber(value: 7)
        let place = NSCompositeAttributeDescription()
        place.name = "place"
        place.isOptional = true
        place.elements = [attribute("x", .doubleAttributeType), attribute("y", .stringAttributeType)]

        let (boxOfItem, items) = pair("box", false, "items", true, item, box)
        items.isOrdered = true
        let (tags, tagged) = pair("tags", true, "tagged", true, item, tag)
        tagged.isOrdered = true
        let (lid, lidOf) = pair("lid", false, "lidOf", false, box, item)
        let friends = relationship("friends", item, isToMany: true)
        friends.inverseRelationship = friends
        let notes = relationship("notes", tag, isToMany: true)

        item.properties = attributes + [external, count, place, boxOfItem, tags, friends, lidOf]
        special.properties = [attribute("extra", .stringAttributeType), notes]
        item.subentities = [special]
        tag.properties = [attribute("name", .stringAttributeType), tagged]
        tag.uniquenessConstraints = [["name"]]
        box.properties = [attribute("label", .stringAttributeType), items, lid]
        box.properties[0].isOptional = false
        if derived {
            let shout = NSDerivedAttributeDescription()
            shout.name = "shout"
            shout.attributeType = .stringAttributeType
            shout.isOptional = true
            shout.derivationExpression = NSExpression(format: "uppercase:(label)")
            let size = NSDerivedAttributeDescription()
            size.name = "size"
            size.attributeType = .integer64AttributeType
            size.isOptional = true
            size.derivationExpression = NSExpression(format: "items.@count")
            box.properties += [shout, size]
        }
        if plain {
            item.properties.removeAll { $0 is NSCompositeAttributeDescription }
            tag.uniquenessConstraints = []
        }
        let model = NSManagedObjectModel()
        model.entities = [item, special, tag, box]
        return model
    }

    private static func entity(_ name: String) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        return entity
    }

    private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        return attribute
    }

    private static func relationship(
        _ name: String, _ destination: NSEntityDescription, isToMany: Bool
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.maxCount = isToMany ? 0 : 1
        relationship.isOptional = true
        return relationship
    }

    private static func pair(
        _ name: String, _ isToMany: Bool, _ inverse: String, _ inverseIsToMany: Bool,
        _ owner: NSEntityDescription, _ destination: NSEntityDescription
    ) -> (NSRelationshipDescription, NSRelationshipDescription) {
        let one = relationship(name, destination, isToMany: isToMany)
        let other = relationship(inverse, owner, isToMany: inverseIsToMany)
        one.inverseRelationship = other
        other.inverseRelationship = one
        return (one, other)
    }
}
