import CoreData
import Testing

/// An incremental store that counts the saves it is asked for.
private final class CountingStore: NSIncrementalStore, @unchecked Sendable {
    nonisolated(unsafe) static var saves: [NSSaveChangesRequest] = []

    override func loadMetadata() throws {
        metadata = [NSStoreUUIDKey: UUID().uuidString, NSStoreTypeKey: "Counting"]
    }

    override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws
        -> Any
    {
        if let save = request as? NSSaveChangesRequest { Self.saves.append(save) }
        return [Any]()
    }
}

/// Batch requests, asynchronous fetches, and stores.
@MainActor @Suite struct StoreRequestTests {
    private func folderAndUniqueStack() throws -> (TemporaryFolder, NSManagedObjectContext) {
        let folder = try TemporaryFolder()
        let model = CarStack.model()
        model.entitiesByName["Car"]?.uniquenessConstraints = [["number"]]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            type: .sqlite, at: folder.url.appendingPathComponent("Cars.sqlite"))
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return (folder, context)
    }

    private func makers(_ context: NSManagedObjectContext) throws -> [String] {
        context.reset()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Car")
        request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
        return try context.fetch(request).compactMap { $0.value(forKey: "maker") as? String }
    }

    @Test(
        "R28: A batch insertion leaves duplicate rows out under the default policy, and updates them under the object's"
    )
    func duplicatesInBatches() throws {
        let (folder, context) = try folderAndUniqueStack()
        defer { _ = folder }
        let first = NSBatchInsertRequest(entityName: "Car", objects: [["number": 1, "maker": "Fiat"]])
        try context.execute(first)
        let rows: [[String: Any]] = [["number": 1, "maker": "Alfa"], ["number": 2, "maker": "Lancia"]]
        let second = NSBatchInsertRequest(entityName: "Car", objects: rows)
        second.resultType = .count
        let result = try context.execute(second) as? NSBatchInsertResult
        #expect(result?.result as? Int == 1)
        #expect(try makers(context) == ["Fiat", "Lancia"])
        context.mergePolicy = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        try context.execute(NSBatchInsertRequest(entityName: "Car", objects: rows))
        #expect(try makers(context) == ["Alfa", "Lancia"])
    }

    @Test(
        "R30: A batch deletion that would leave a mandatory inverse empty fails with 134050 and deletes nothing"
    )
    func mandatoryInverses() throws {
        let folder = try TemporaryFolder()
        let model = CarStack.model()
        let owner = try #require(model.entitiesByName["Car"]?.relationshipsByName["owner"])
        owner.isOptional = false
        owner.inverseRelationship?.deleteRule = .nullifyDeleteRule
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            type: .sqlite, at: folder.url.appendingPathComponent("Cars.sqlite"))
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let person = NSEntityDescription.insertNewObject(forEntityName: "Owner", into: context)
        let car = NSEntityDescription.insertNewObject(forEntityName: "Car", into: context)
        car.setValue(person, forKey: "owner")
        _ = NSEntityDescription.insertNewObject(forEntityName: "Owner", into: context)
        try context.save()
        let request = NSBatchDeleteRequest(
            fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: "Owner"))
        let error = #expect(throws: NSError.self) { try context.execute(request) }
        #expect(error?.code == 134050)
        #expect(error?.localizedDescription.contains("Car/owner") == true)
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Owner")) == 2)
        context.delete(car)
        try context.save()
        try context.execute(request)
        context.reset()
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Owner")) == 0)
    }

    @Test(
        "R30: A batch deletion that would leave a mandatory many-to-many inverse empty fails with 134050 and MTM, and deletes nothing"
    )
    func mandatoryManyToMany() throws {
        let folder = try TemporaryFolder()
        let model = CarStack.model()
        let owners = try #require(model.entitiesByName["Car"]?.relationshipsByName["owner"])
        owners.maxCount = 0
        owners.minCount = 1
        owners.isOptional = false
        owners.inverseRelationship?.deleteRule = .nullifyDeleteRule
        let stack = try CarStack(storeAt: folder.url.appendingPathComponent("Cars.sqlite"), model: model)
        let people = ["Ada", "Bob", "Eva"].map { stack.insert("Owner", ["name": $0]) }
        stack.insert("Car", ["maker": "Fiat", "owner": Set([people[0], people[1]])])
        stack.insert("Car", ["maker": "Seat", "owner": Set([people[1]])])
        try stack.context.save()
        func deletion(_ names: [String]) -> NSBatchDeleteRequest {
            let owners = NSFetchRequest<any NSFetchRequestResult>(entityName: "Owner")
            owners.predicate = NSPredicate(format: "name IN %@", names)
            return NSBatchDeleteRequest(fetchRequest: owners)
        }
        func count() throws -> Int {
            try stack.context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Owner"))
        }
        for names in [["Bob"], ["Ada", "Bob"]] {
            let error = #expect(throws: NSError.self) { try stack.context.execute(deletion(names)) }
            #expect(error?.code == 134050)
            #expect(
                error?.localizedDescription.contains("mandatory MTM nullify inverse on Car/owner") == true)
            #expect(try count() == 3)
        }
        // The first car has another owner left, and the third owner no car.
        try stack.context.execute(deletion(["Ada", "Eva"]))
        #expect(try count() == 1)
        stack.context.reset()
        let cars = try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Car"))
        #expect(cars.map { ($0.value(forKey: "owner") as? NSSet)?.count } == [1, 1])
    }

    @Test("R31: A cancelled asynchronous fetch completes with an empty result and no error")
    func cancelledFetch() async throws {
        let stack = try CarStack()
        stack.insert("Car")
        try stack.context.save()
        let (count, error): (Int?, (any Error)?) = try await withCheckedThrowingContinuation { continuation in
            let request = NSAsynchronousFetchRequest(
                fetchRequest: NSFetchRequest<NSManagedObject>(entityName: "Car")
            ) { result in
                continuation.resume(returning: (result.finalResult?.count, result.operationError))
            }
            do {
                let result = try stack.context.execute(request)
                (result as? NSPersistentStoreAsynchronousResult)?.cancel()
            } catch {
                continuation.resume(throwing: error)
            }
        }
        #expect(count == 0)
        #expect(error == nil)
    }

    @Test("R27: A save without changes sends an incremental store one request with empty sets")
    func emptySaves() throws {
        let type = "Counting \(UUID().uuidString)"
        NSPersistentStoreCoordinator.registerStoreClass(CountingStore.self, forStoreType: type)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: CarStack.model())
        try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: nil)
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        CountingStore.saves = []
        try context.save()
        #expect(CountingStore.saves.count == 1)
        let save = try #require(CountingStore.saves.first)
        #expect(save.insertedObjects == [] && save.updatedObjects == [] && save.deletedObjects == [])
    }

    @Test("R14: An in-memory store takes a model with uniqueness constraints, and does not check them")
    func constraintsInMemory() throws {
        let model = CarStack.model()
        model.entitiesByName["Car"]?.uniquenessConstraints = [["number"]]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(type: .inMemory, at: URL(fileURLWithPath: "/dev/null"))
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        for _ in 0..<2 {
            let car = NSEntityDescription.insertNewObject(forEntityName: "Car", into: context)
            car.setValue(1, forKey: "number")
        }
        try context.save()
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Car")) == 2)
    }

    @Test(
        "A19: Unknown store options, a history token and a dictionary of history options are accepted"
    )
    func options() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Cars.sqlite")
        let stack = try CarStack(
            storeAt: url,
            options: [
                NSPersistentHistoryTokenKey: NSNumber(value: true),
                "NSFlyToTheMoonOption": NSNumber(value: 1),
                NSPersistentHistoryTrackingKey: NSDictionary(
                    dictionary: [NSPersistentHistoryTrackingKey: NSNumber(value: true)]),
            ])
        stack.insert("Car")
        try stack.context.save()
        let history = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let result = try stack.context.execute(history) as? NSPersistentHistoryResult
        #expect((result?.result as? [NSPersistentHistoryTransaction])?.count == 1)
    }
}
