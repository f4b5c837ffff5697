import CoreData

/// A stack for the model that the program brings along, with a store that keeps nothing.
enum Awkward {
    static func container() throws -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Awkward")
        container.persistentStoreDescriptions = [
            NSPersistentStoreDescription(url: URL(filePath: "/dev/null"))
        ]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        return container
    }

    /// Runs a block in a new context on its queue.
    static func inContext<Value>(_ body: (NSManagedObjectContext) throws -> Value) throws -> Value {
        let context = try container().newBackgroundContext()
        return try context.performAndWait { try body(context) }
    }
}
