import CoreDataMacros

/// Parts of models as code.
enum TestModel {
    static func entity(_ name: String) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.managedObjectClassName = name
        return entity
    }

    static func attribute(
        _ name: String, _ type: NSAttributeDescription.AttributeType
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.type = type
        attribute.isOptional = true
        return attribute
    }

    /// A to-many relationship, and a to-one relationship back.
    static func relationship(
        _ name: String, to destination: NSEntityDescription, inverse inverseName: String,
        to owner: NSEntityDescription
    ) -> (NSRelationshipDescription, NSRelationshipDescription) {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.deleteRule = .nullifyDeleteRule
        let inverse = NSRelationshipDescription()
        inverse.name = inverseName
        inverse.destinationEntity = owner
        inverse.maxCount = 1
        inverse.deleteRule = .nullifyDeleteRule
        relationship.inverseRelationship = inverse
        inverse.inverseRelationship = relationship
        return (relationship, inverse)
    }

    static func transformable(
        _ name: String, by transformer: NSValueTransformerName
    ) -> NSAttributeDescription {
        let attribute = attribute(name, .transformable)
        attribute.valueTransformerName = transformer.rawValue
        return attribute
    }
}

/// A coordinator with one SQLite store in a folder of its own, which is removed with it.
final class TestStack: Sendable {
    private let folder: URL
    let coordinator: NSPersistentStoreCoordinator

    init(_ model: NSManagedObjectModel) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("Macros-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            type: .sqlite, at: folder.appendingPathComponent("Store.sqlite"))
    }

    deinit {
        for store in coordinator.persistentStores { try? coordinator.remove(store) }
        try? FileManager.default.removeItem(at: folder)
    }

    /// Runs a block in a new context on its queue.
    func inContext<Value>(_ body: (NSManagedObjectContext) throws -> Value) throws -> Value {
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        return try context.performAndWait { try body(context) }
    }
}
