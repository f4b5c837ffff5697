import CoreData
import Testing

/// How libraries set their stacks up.
@MainActor @Suite struct StackTests {
    @Test("B4: A description without a URL describes a SQLite store in memory")
    func aDescriptionDefaultsToTheNullDevice() throws {
        #expect(NSPersistentStoreDescription().url == URL(fileURLWithPath: "/dev/null"))
        let stack = try CarStack()
        stack.insert("Car", ["maker": "Fiat"])
        try stack.context.save()
        #expect(try stack.context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Car")) == 1)
        #expect(stack.container.persistentStoreCoordinator.persistentStores.first?.type == NSSQLiteStoreType)
    }

    @Test("R21: Adding a store twice fails with 134081")
    func aStoreIsAddedOnce() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Cars.sqlite")
        let stack = try CarStack(storeAt: url)
        let error = #expect(throws: NSError.self) {
            try stack.container.persistentStoreCoordinator.addPersistentStore(type: .sqlite, at: url)
        }
        #expect(error?.code == 134081)
    }

    @Test("A8: The user info of a new property is empty and can be filled, also while the model is in use")
    func userInfoCanBeFilled() throws {
        let attribute = NSAttributeDescription()
        attribute.userInfo?["search"] = "great"
        #expect(attribute.userInfo as? [String: String] == ["search": "great"])
        let stack = try CarStack()
        let entity = try #require(stack.container.managedObjectModel.entitiesByName["Car"])
        entity.userInfo?["color"] = "red"
        entity.attributesByName["maker"]?.userInfo?["limit"] = 3
        #expect(entity.userInfo?["color"] as? String == "red")
        #expect(entity.attributesByName["maker"]?.userInfo?["limit"] as? Int == 3)
    }
}
