import CoreData
import Testing

/// Where a new object goes that was assigned to no store: to the first that takes it.
@Suite struct StoreChoiceTests {
    private static func model() -> NSManagedObjectModel {
        let one = NSEntityDescription("One", attribute("name", .string))
        let two = NSEntityDescription("Two", attribute("name", .string))
        let model = NSManagedObjectModel(of: one, two)
        model.setEntities([one], forConfigurationName: "Ones")
        model.setEntities([two], forConfigurationName: "Twos")
        return model
    }

    @Test("A new object is saved to the first writable store that has its entity")
    func firstWritableStore() throws {
        let folders = try (0..<4).map { _ in try StoreFolder() }
        let model = Self.model()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let twos = try coordinator.addPersistentStore(
            type: .sqlite, configuration: "Twos", at: folders[0].file)
        let readOnly = try coordinator.addPersistentStore(
            type: .sqlite, configuration: "Ones", at: folders[1].file)
        readOnly.isReadOnly = true
        let ones = try coordinator.addPersistentStore(
            type: .sqlite, configuration: "Ones", at: folders[2].file)
        _ = try coordinator.addPersistentStore(type: .sqlite, at: folders[3].file)
        try coordinator.inContext { context in
            let one = try context.insert("One")
            let two = try context.insert("Two")
            try context.save()
            #expect(one.objectID.persistentStore === ones)
            #expect(two.objectID.persistentStore === twos)
        }
    }
}
