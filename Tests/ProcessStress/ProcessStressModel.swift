import CoreData

/// The model of the store that processes share.
///
/// A `Counter` is added to by all processes under optimistic locking; each addition inserts a `Receipt` in the same save,
/// so that the store itself tells which additions are in it. `Item`, `Record` and `Note` belong to one process each: items are
/// saved, records written by batch requests. The titles of notes are searched, by words and by parts; there are few of them, so that an
/// index is built anew in a moment.
enum ProcessStressModel {
    static let counterCount = 6
    static let boxCount = 4
    /// Data of this length is kept in a file of its own.
    static let payloadLength = 150_000

    static func make() -> NSManagedObjectModel {
        let counter = entity(
            "Counter",
            [
                attribute("name", .integer64), attribute("value", .integer64), attribute("saves", .integer64),
                derived("receiptCount", "receipts.@count"), derived("total", "receipts.amount.@sum"),
            ])
        let receipt = entity("Receipt", step + [attribute("amount", .integer64)])
        let box = entity("Box", [attribute("name", .integer64), derived("itemCount", "items.@count")])
        let payload = attribute("payload", .binaryData)
        payload.allowsExternalBinaryDataStorage = true
        let item = entity(
            "Item", step + [attribute("position", .integer64), attribute("edit", .integer64), payload])
        let record = entity(
            "Record", step + [attribute("position", .integer64), attribute("edit", .integer64)])
        let title = attribute("title", .string)
        title.isIndexedBySpotlight = true
        title.userInfo = ["OpenCoreDataTrigramIndex": "YES"]
        let note = entity(
            "Note", step + [attribute("position", .integer64), attribute("edit", .integer64), title])
        join("receipts", counter, "counter", receipt)
        join("items", box, "box", item)
        let model = NSManagedObjectModel()
        model.entities = [counter, receipt, box, item, record, note]
        return model
    }

    /// Which process made an object, and in which of its steps.
    private static var step: [NSAttributeDescription] {
        [
            attribute("worker", .integer64), attribute("generation", .integer64),
            attribute("serial", .integer64),
        ]
    }

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
        if type == .integer64 { attribute.defaultValue = 0 }
        return attribute
    }

    private static func derived(_ name: String, _ expression: String) -> NSAttributeDescription {
        let attribute = NSDerivedAttributeDescription()
        attribute.name = name
        attribute.type = .integer64
        attribute.isOptional = true
        attribute.derivationExpression = NSExpression(format: expression)
        return attribute
    }

    private static func join(
        _ many: String, _ owner: NSEntityDescription, _ one: String, _ destination: NSEntityDescription
    ) {
        let (toMany, toOne) = (NSRelationshipDescription(), NSRelationshipDescription())
        toMany.name = many
        toMany.destinationEntity = destination
        toMany.maxCount = 0
        toOne.name = one
        toOne.destinationEntity = owner
        toOne.maxCount = 1
        toMany.inverseRelationship = toOne
        toOne.inverseRelationship = toMany
        owner.properties.append(toMany)
        destination.properties.append(toOne)
    }

    /// Opens the store, or makes it.
    static func open(_ file: URL) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: make())
        try coordinator.addPersistentStore(
            type: .sqlite, at: file, options: [NSPersistentHistoryTrackingKey: true])
        return coordinator
    }

    /// Makes the store with its counters and boxes, in one save.
    static func makeStore(_ file: URL) throws {
        let coordinator = try open(file)
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            for (entity, count) in [("Counter", counterCount), ("Box", boxCount)] {
                for name in 0..<count {
                    NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
                        .setValue(name, forKey: "name")
                }
            }
            try context.save()
        }
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }
}
