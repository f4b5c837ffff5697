import CoreData
import Testing

/// External data that cannot be read for a while: nothing takes it for data that is not there.
@MainActor @Suite struct UnreadableDataTests {
    private let folder: TemporaryFolder
    private let model: NSManagedObjectModel
    private var file: URL { folder.url.appendingPathComponent("Photos.sqlite") }
    private var external: URL { folder.url.appendingPathComponent(".Photos_SUPPORT/_EXTERNAL_DATA") }
    private var away: URL { folder.url.appendingPathComponent("away") }

    init() throws {
        folder = try TemporaryFolder()
        let image = NSAttributeDescription()
        image.name = "image"
        image.attributeType = .binaryDataAttributeType
        image.allowsExternalBinaryDataStorage = true
        let photo = NSEntityDescription()
        photo.name = "Photo"
        photo.properties = [image]
        model = NSManagedObjectModel()
        model.entities = [photo]
        let context = try open()
        let object = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: context)
        object.setValue(Data(count: 200_000), forKey: "image")
        try context.save()
        try close(context)
    }

    private func open() throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(type: .sqlite, at: file)
        let context = NSManagedObjectContext(.mainQueue)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private func close(_ context: NSManagedObjectContext) throws {
        guard let coordinator = context.persistentStoreCoordinator else { return }
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    private func photo(_ context: NSManagedObjectContext) throws -> NSManagedObject {
        try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Photo")).first)
    }

    @Test("A value that could not be read once is read again")
    func aValueIsReadAgain() throws {
        let context = try open()
        let photo = try photo(context)
        try FileManager.default.moveItem(at: external, to: away)
        #expect(photo.value(forKey: "image") == nil)
        try FileManager.default.moveItem(at: away, to: external)
        #expect((photo.value(forKey: "image") as? Data)?.count == 200_000)
        // The save reports an error that its caller could not get.
        #expect(throws: NSError.self) { try context.save() }
        try context.save()
        try close(context)
    }

    @Test("A migration by a mapping model fails when it cannot read the source, and leaves nothing")
    func aMigrationFails() throws {
        try FileManager.default.moveItem(at: external, to: away)
        let place = folder.url.appendingPathComponent("New.sqlite")
        func migrate() throws {
            try NSMigrationManager(sourceModel: model, destinationModel: model).migrateStore(
                from: file, type: .sqlite,
                mapping: NSMappingModel.inferredMappingModel(forSourceModel: model, destinationModel: model),
                to: place, type: .sqlite)
        }
        let error = #expect(throws: NSError.self) { try migrate() }
        #expect(error?.code == 134110)
        #expect(!FileManager.default.fileExists(atPath: place.path))
        try FileManager.default.moveItem(at: away, to: external)
        try migrate()
        #expect(FileManager.default.fileExists(atPath: place.path))
    }
}
