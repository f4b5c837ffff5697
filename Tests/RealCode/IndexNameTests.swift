import CoreData
import Foundation
import Testing

@Suite("Indexes of old models")
struct IndexNameTests {
    @Test("R24: An attribute that is marked as indexed has an index of its name, ahead of the others")
    func markedAttribute() throws {
        let entity = Self.element()
        #expect(entity.indexes.map(\.name) == ["identifier", "byKind"])
        let model = NSManagedObjectModel()
        model.entities = [entity]
        _ = NSPersistentStoreCoordinator(managedObjectModel: model)
        #expect(entity.indexes.map(\.name) == ["identifier", "byKind"])
        #expect(entity.indexes.first?.elements.first?.property === entity.attributesByName["identifier"])
    }

    @Test("An index that was set under the attribute's name stays the only one")
    func indexOfSameName() {
        let entity = Self.element()
        let own = NSFetchIndexDescription(
            name: "identifier",
            elements: [
                NSFetchIndexElementDescription(property: entity.properties[1], collationType: .binary)
            ])
        entity.indexes = [own]
        #expect(entity.indexes == [own])
    }

    private static func element() -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = "Element"
        let attributes = ["identifier", "kind"].map { name in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = .stringAttributeType
            return attribute
        }
        entity.properties = attributes
        MarkedProperty.mark(attributes[0])
        entity.indexes = [
            NSFetchIndexDescription(
                name: "byKind",
                elements: [NSFetchIndexElementDescription(property: attributes[1], collationType: .binary)])
        ]
        return entity
    }
}

/// Calls the deprecated setter, as old code does, without a warning.
private enum MarkedProperty {
    static func mark(_ property: NSPropertyDescription) { (Marker() as any Marking).mark(property) }
}

private protocol Marking { func mark(_ property: NSPropertyDescription) }

private struct Marker: Marking {
    @available(*, deprecated) func mark(_ property: NSPropertyDescription) { property.isIndexed = true }
}
