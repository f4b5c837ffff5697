import CoreData

/// A model of one entity with attributes of these names and types, none optional but texts, dates and identifiers.
func model(
    _ name: String, _ attributes: [(name: String, type: NSAttributeDescription.AttributeType)],
    class objectClass: NSManagedObject.Type = NSManagedObject.self
) -> (NSManagedObjectModel, NSEntityDescription) {
    let entity = NSEntityDescription()
    entity.name = name
    if objectClass != NSManagedObject.self {
        NSManagedObjectModel.register(objectClass)
        entity.managedObjectClassName = name
    }
    entity.properties = attributes.map { name, type in
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.type = type
        if [.integer16, .integer32, .integer64, .double, .boolean].contains(type) {
            attribute.isOptional = false
            attribute.defaultValue = 0
        }
        return attribute
    }
    let model = NSManagedObjectModel()
    model.entities = [entity]
    return (model, entity)
}

extension NSPersistentStoreCoordinator {
    /// A coordinator with one SQLite store.
    static func opening(_ url: URL, _ model: NSManagedObjectModel) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(type: .sqlite, at: url)
        return coordinator
    }

    func newContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = self
        return context
    }

    /// Works in a new context and releases it.
    func inContext<Value>(_ body: (NSManagedObjectContext) throws -> Value) throws -> Value {
        let context = newContext()
        return try context.performAndWait { try body(context) }
    }

    /// The path of the only store, which is closed: for contestants that use the file alone.
    func closingOnlyStore() throws -> String {
        guard let store = persistentStores.first, let url = store.url else {
            throw Workload.Failure(description: "no store")
        }
        try remove(store)
        return url.path
    }
}
