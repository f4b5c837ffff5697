import CoreData
import Testing

/// Stores that are destroyed and replaced while they are open.
@MainActor @Suite struct ReplacingTests {
    private func count(_ context: NSManagedObjectContext) throws -> Int {
        try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Car"))
    }

    @Test("A5: A store is destroyed while it is open, and added again")
    func destroyAndAdd() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Cars.sqlite")
        let stack = try CarStack(storeAt: url)
        stack.insert("Car")
        try stack.context.save()
        let coordinator = stack.container.persistentStoreCoordinator
        stack.context.reset()
        try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
        #expect(coordinator.persistentStores.isEmpty)
        try coordinator.addPersistentStore(type: .sqlite, at: url)
        #expect(try count(stack.context) == 0)
        stack.insert("Car")
        try stack.context.save()
        #expect(try count(stack.context) == 1)
    }

    @Test("A11: A destroyed SQLite store leaves an empty file, which can be removed; its log is gone")
    func whatIsLeft() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Cars.sqlite")
        let stack = try CarStack(storeAt: url)
        stack.insert("Car")
        try stack.context.save()
        let other = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
        try other.destroyPersistentStore(at: url, type: .sqlite)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["Cars.sqlite"])
        #expect(try Data(contentsOf: url).isEmpty)
        // The store was open in another coordinator, which has lost it.
        #expect(stack.container.persistentStoreCoordinator.persistentStores.isEmpty)
        try FileManager.default.removeItem(at: url)
        try other.destroyPersistentStore(at: url, type: .sqlite)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    @Test("A store can be copied to the URL of a destroyed one")
    func aDestroyedPlaceIsFree() throws {
        let folder = try TemporaryFolder()
        let place = folder.url.appendingPathComponent("Copy.sqlite")
        let old = try CarStack(storeAt: place)
        try old.container.persistentStoreCoordinator.destroyPersistentStore(at: place, type: .sqlite)
        let stack = try CarStack(storeAt: folder.url.appendingPathComponent("Cars.sqlite"))
        stack.insert("Car")
        try stack.context.save()
        let coordinator = stack.container.persistentStoreCoordinator
        try coordinator.migratePersistentStore(coordinator.persistentStores[0], to: place, type: .sqlite)
        #expect(try count(stack.context) == 1)
        #expect(coordinator.persistentStores[0].url == place)
    }

    @Test("A5: A store is replaced while it is open, in this coordinator and in another one")
    func replaceOpenStore() throws {
        let folder = try TemporaryFolder()
        let (url, backup) = (
            folder.url.appendingPathComponent("Cars.sqlite"),
            folder.url.appendingPathComponent("Backup.sqlite")
        )
        let source = try CarStack(storeAt: backup)
        for _ in 0..<3 { source.insert("Car") }
        try source.context.save()
        let stack = try CarStack(storeAt: url)
        let other = try CarStack(storeAt: url)
        stack.insert("Car")
        try stack.context.save()
        #expect(try count(other.context) == 1)
        let coordinator = stack.container.persistentStoreCoordinator
        try coordinator.replacePersistentStore(
            at: url, withPersistentStoreFrom: backup, ofType: NSSQLiteStoreType)
        #expect(try count(stack.context) == 3)
        #expect(try count(other.context) == 3)
        #expect(
            coordinator.persistentStores.map(\.identifier)
                == source.container.persistentStoreCoordinator.persistentStores.map(\.identifier))
        stack.insert("Car")
        try stack.context.save()
        #expect(try count(other.context) == 4)
        #expect(try count(source.context) == 3)
    }

    @Test("A store whose model is not that of the new file leaves its coordinator")
    func replaceByAnotherModel() throws {
        let folder = try TemporaryFolder()
        let (url, backup) = (
            folder.url.appendingPathComponent("Cars.sqlite"),
            folder.url.appendingPathComponent("Backup.sqlite")
        )
        let boat = NSEntityDescription()
        boat.name = "Boat"
        let model = NSManagedObjectModel()
        model.entities = [boat]
        let source = NSPersistentStoreCoordinator(managedObjectModel: model)
        try source.remove(source.addPersistentStore(type: .sqlite, at: backup))
        let stack = try CarStack(storeAt: url)
        let coordinator = stack.container.persistentStoreCoordinator
        try coordinator.replacePersistentStore(
            at: url, withPersistentStoreFrom: backup, ofType: NSSQLiteStoreType)
        #expect(coordinator.persistentStores.isEmpty)
    }

    @Test(
        "R21: Two stores at the null device cannot be in one coordinator: 134081; a destroyed one can be added again"
    )
    func nullDevices() throws {
        let stack = try CarStack()
        let coordinator = stack.container.persistentStoreCoordinator
        let url = URL(fileURLWithPath: "/dev/null")
        let error = #expect(throws: NSError.self) {
            try coordinator.addPersistentStore(type: .sqlite, at: url)
        }
        #expect(error?.code == 134081)
        stack.insert("Car")
        try stack.context.save()
        stack.context.reset()
        // A store in memory alone goes: nothing at the place itself is touched.
        try coordinator.remove(coordinator.persistentStores[0])
        try coordinator.addPersistentStore(type: .sqlite, at: url)
        #expect(try count(stack.context) == 0)
        let memory = NSPersistentStoreCoordinator(managedObjectModel: CarStack.model())
        for _ in 0..<2 { try memory.addPersistentStore(type: .inMemory, at: url) }
        #expect(memory.persistentStores.count == 2)
    }

    @Test("A22, R20: The notification of a migrated store has the objects' old and new IDs")
    func migratedIDs() throws {
        let folder = try TemporaryFolder()
        let stack = try CarStack(storeAt: folder.url.appendingPathComponent("Cars.sqlite"))
        let car = stack.insert("Car")
        try stack.context.save()
        let before = car.objectID.uriRepresentation()
        let coordinator = stack.container.persistentStoreCoordinator
        let received = SavingTests.Received(.NSPersistentStoreCoordinatorStoresDidChange, from: coordinator)
        let old = try #require(coordinator.persistentStores.first)
        let new = try coordinator.migratePersistentStore(
            old, to: folder.url.appendingPathComponent("Moved.sqlite"), type: .sqlite)
        let changed = try #require(received.all.first?[NSUUIDChangedPersistentStoresKey] as? [Any])
        #expect(changed[0] as? NSPersistentStore === old)
        #expect(changed[1] as? NSPersistentStore === new)
        let ids = try #require(changed[2] as? [NSManagedObjectID])
        #expect(ids.map { $0.uriRepresentation() } == [before, car.objectID.uriRepresentation()])
        #expect(ids[1] == car.objectID)
        #expect(ids[0].uriRepresentation() != ids[1].uriRepresentation())
    }
}
