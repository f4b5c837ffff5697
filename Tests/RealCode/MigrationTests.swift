import CoreData
import Testing

/// What a migrated store keeps, and how mapping models work.
@MainActor @Suite struct MigrationTests {
    /// A class of the program that a migration must not make objects of.
    final class Counted: NSManagedObject {
        nonisolated(unsafe) static var made = 0

        override func awakeFromInsert() {
            super.awakeFromInsert()
            Self.made += 1
        }
    }

    private let folder: TemporaryFolder
    private var url: URL { folder.url.appendingPathComponent("Cars.sqlite") }
    private var newURL: URL { folder.url.appendingPathComponent("New.sqlite") }
    private static let tracking: [String: NSObject] = [NSPersistentHistoryTrackingKey: NSNumber(value: true)]

    init() throws { folder = try TemporaryFolder() }

    private func model(_ attributes: String..., className: String? = nil) -> NSManagedObjectModel {
        let entity = NSEntityDescription()
        entity.name = "Car"
        if let className { entity.managedObjectClassName = className }
        entity.properties = attributes.map { name in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = .stringAttributeType
            return attribute
        }
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }

    private func open(
        _ model: NSManagedObjectModel, at url: URL, type: NSPersistentStore.StoreType = .sqlite,
        _ options: [String: NSObject] = [:]
    ) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(type: type, at: url, options: options)
        let context = NSManagedObjectContext(.mainQueue)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private func close(_ context: NSManagedObjectContext) throws {
        let coordinator = try #require(context.persistentStoreCoordinator)
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    @discardableResult
    private func insert(_ values: [String: Any], _ context: NSManagedObjectContext) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: "Car", into: context)
        object.setValuesForKeys(values)
        return object
    }

    private func changes(
        after token: NSPersistentHistoryToken?, _ context: NSManagedObjectContext
    ) throws -> [NSPersistentHistoryTransaction] {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        let result = try context.execute(request) as? NSPersistentHistoryResult
        return result?.result as? [NSPersistentHistoryTransaction] ?? []
    }

    /// A store with three transactions: two insertions, an update of `maker`, a deletion.
    private func makeStore(
        _ model: NSManagedObjectModel
    ) throws -> (identifier: String, first: NSPersistentHistoryToken) {
        let context = try open(model, at: url, Self.tracking)
        let coordinator = try #require(context.persistentStoreCoordinator)
        let store = try #require(coordinator.persistentStores.first)
        coordinator.setMetadata(
            (store.metadata ?? [:]).merging(["mine": "kept"]) { $1 }, for: store)
        let fiat = insert(["maker": "Fiat", "old": "x"], context)
        let opel = insert(["maker": "Opel"], context)
        try context.save()
        let token = try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
        fiat.setValue("Ford", forKey: "maker")
        try context.save()
        context.delete(opel)
        try context.save()
        let identifier = try #require(store.identifier)
        try close(context)
        return (identifier, token)
    }

    @Test("R2: A lightweight migration keeps identifier, metadata, history and tokens")
    func lightweightMigration() throws {
        let made = try makeStore(model("maker", "old"))
        var options = Self.tracking
        options[NSMigratePersistentStoresAutomaticallyOption] = NSNumber(value: true)
        options[NSInferMappingModelAutomaticallyOption] = NSNumber(value: true)
        let context = try open(model("maker", "before"), at: url, options)
        let store = try #require(context.persistentStoreCoordinator?.persistentStores.first)
        #expect(store.identifier == made.identifier)
        #expect(store.metadata["mine"] as? String == "kept")
        let later = try changes(after: made.first, context)
        #expect(later.map(\.transactionNumber) == [2, 3])
        #expect(later.first?.changes?.first?.updatedProperties?.map(\.name) == ["maker"])
        #expect(later.last?.changes?.first?.changeType == .delete)
        let all = try changes(after: nil, context)
        #expect(all.map(\.transactionNumber) == [1, 2, 3])
        let object = try #require(later.first?.changes?.first?.changedObjectID)
        #expect(try context.existingObject(with: object).value(forKey: "maker") as? String == "Ford")
        insert(["maker": "Audi"], context)
        try context.save()
        #expect(try changes(after: nil, context).last?.transactionNumber == 4)
        try close(context)
    }

    /// A mapping of cars to cars, whose maker becomes the brand.
    private func mapping(hasSource: Bool = true) throws -> NSMappingModel {
        let maker = NSPropertyMapping()
        maker.name = "brand"
        maker.valueExpression = try NSExpression(parsing: "$source.maker")
        let entity = NSEntityMapping()
        entity.name = "CarToCar"
        entity.mappingType = .transformEntityMappingType
        entity.sourceEntityName = "Car"
        entity.destinationEntityName = "Car"
        entity.attributeMappings = [maker]
        if hasSource {
            entity.sourceExpression = try NSExpression(
                parsing: """
                    FETCH(FUNCTION($manager, 'fetchRequestForSourceEntityNamed:predicateString:', 'Car', \
                    'TRUEPREDICATE'), $manager.sourceContext, NO)
                    """)
        }
        let mapping = NSMappingModel()
        mapping.entityMappings = [entity]
        return mapping
    }

    @Test(
        "R3, R19: A migration by a mapping model keeps identifier, metadata and history, and adds a transaction of its own"
    )
    func mappedMigration() throws {
        let old = model("maker", "old")
        let made = try makeStore(old)
        let new = model("brand")
        let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
        try manager.migrateStore(
            from: url, type: .sqlite, options: Self.tracking, mapping: mapping(), to: newURL, type: .sqlite,
            options: Self.tracking)
        #expect(manager.migrationProgress == 0)
        let context = try open(new, at: newURL, Self.tracking)
        let store = try #require(context.persistentStoreCoordinator?.persistentStores.first)
        #expect(store.identifier == made.identifier)
        #expect(store.metadata["mine"] as? String == "kept")
        let all = try changes(after: made.first, context)
        #expect(all.map(\.transactionNumber) == [2, 3, 4])
        #expect(all.last?.author?.hasPrefix("com.apple.coredata.schemamigrator") == true)
        #expect(all.last?.changes?.isEmpty ?? true)
        let update = try #require(all.first?.changes?.first)
        #expect(update.updatedProperties?.map(\.name) == ["brand"])
        #expect(
            try context.existingObject(with: update.changedObjectID).value(forKey: "brand") as? String
                == "Ford")
        let gone = try #require(all.dropFirst().first?.changes?.first)
        #expect(gone.changeType == .delete && gone.changedObjectID != update.changedObjectID)
        try close(context)
    }

    @Test("R18: An entity mapping without a source expression migrates no objects")
    func mappingWithoutSource() throws {
        let old = model("maker", "old")
        _ = try makeStore(old)
        let new = model("brand")
        try NSMigrationManager(sourceModel: old, destinationModel: new).migrateStore(
            from: url, type: .sqlite, options: Self.tracking, mapping: mapping(hasSource: false), to: newURL,
            type: .sqlite)
        let context = try open(new, at: newURL, Self.tracking)
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Car")) == 0)
        try close(context)
    }

    @Test("A6: A migration makes objects of no custom class")
    func plainObjects() throws {
        let name = "Counted"
        NSManagedObjectModel.register(Counted.self)
        let old = model("maker", "old", className: name)
        _ = try makeStore(old)
        let new = model("brand", className: name)
        Counted.made = 0
        try NSMigrationManager(sourceModel: old, destinationModel: new).migrateStore(
            from: url, type: .sqlite, options: Self.tracking, mapping: mapping(), to: newURL, type: .sqlite)
        #expect(Counted.made == 0)
        let context = try open(new, at: newURL, Self.tracking)
        insert(["brand": "Audi"], context)
        #expect(Counted.made == 1)
        try close(context)
    }

    @Test("R19, C39: A migrated XML store keeps identifier and metadata")
    func xmlStore() throws {
        let old = model("maker")
        let context = try open(old, at: url, type: .xml)
        let coordinator = try #require(context.persistentStoreCoordinator)
        let store = try #require(coordinator.persistentStores.first)
        coordinator.setMetadata((store.metadata ?? [:]).merging(["mine": "kept"]) { $1 }, for: store)
        insert(["maker": "Fiat"], context)
        try context.save()
        let identifier = store.identifier
        try close(context)
        let new = model("brand")
        try NSMigrationManager(sourceModel: old, destinationModel: new).migrateStore(
            from: url, type: .xml, mapping: mapping(), to: newURL, type: .xml)
        let again = try open(new, at: newURL, type: .xml)
        let migrated = try #require(again.persistentStoreCoordinator?.persistentStores.first)
        #expect(migrated.identifier == identifier)
        #expect(migrated.metadata["mine"] as? String == "kept")
        let cars = try again.fetch(NSFetchRequest<NSManagedObject>(entityName: "Car"))
        #expect(cars.map { $0.value(forKey: "brand") as? String } == ["Fiat"])
    }

    @Test("A25, A28, R16: Two inferred mapping models are equal, and name what they map")
    func inferredMappings() throws {
        func inferred() throws -> NSMappingModel {
            try NSMappingModel.inferredMappingModel(
                forSourceModel: model("maker", "old"), destinationModel: model("maker", "new"))
        }
        let mapping = try inferred()
        #expect(mapping == (try inferred()))
        let car = mapping.entityMappings.first
        #expect(car?.userInfo?["mappedProperties"] as? Set<String> == ["maker"])
        #expect(car?.userInfo?["addedProperties"] as? Set<String> == ["new"])
        #expect(car?.userInfo?["removedProperties"] as? Set<String> == ["old"])
    }
}
