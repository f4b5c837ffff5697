import CoreData
import Testing

/// Stores that other programs made or damaged, and what programs keep in them.
@MainActor @Suite struct AppleStoreTests {
    private func model(_ attributes: [(String, NSAttributeType)]) -> NSManagedObjectModel {
        let entity = NSEntityDescription()
        entity.name = "Item"
        entity.properties = attributes.map { name, type in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            return attribute
        }
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }

    private func open(
        _ model: NSManagedObjectModel, at url: URL? = nil, type: NSPersistentStore.StoreType = .sqlite
    ) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let url = url ?? URL(fileURLWithPath: "/dev/null")
        try coordinator.addPersistentStore(type: type, at: url)
        let context = NSManagedObjectContext(.mainQueue)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private func count(_ format: String, _ arguments: [Any], _ context: NSManagedObjectContext) throws -> Int
    {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.predicate = NSPredicate(format: format, argumentArray: arguments)
        return try context.count(for: request)
    }

    @Test("A decimal that is not a number is kept, found, sorted and read back", arguments: [true, false])
    func notANumber(isSaved: Bool) throws {
        let context = try open(model([("price", .decimalAttributeType)]))
        for price in [NSDecimalNumber(value: 3), .notANumber, NSDecimalNumber(value: -1)] {
            let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
            item.setValue(price, forKey: "price")
        }
        if isSaved {
            try context.save()
            context.reset()
        }
        let nan = NSDecimalNumber.notANumber
        #expect(try count("price == %@", [nan], context) == 1)
        #expect(try count("price != %@", [nan], context) == 2)
        #expect(try count("price == nil", [], context) == 0)
        #expect(try count("price > 5", [], context) == 1)
        #expect(try count("price < 5", [], context) == 2)
        #expect(try count("price IN %@", [[nan, NSDecimalNumber(value: 3)]], context) == 2)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.sortDescriptors = [NSSortDescriptor(key: "price", ascending: true)]
        let prices = try context.fetch(request).map { $0.value(forKey: "price") as? NSDecimalNumber }
        #expect(prices.map { $0?.description } == ["-1", "3", "NaN"])
        #expect(!context.hasChanges || !isSaved)
    }

    @Test("A decimal that is not a number is in dictionaries, and batch requests set it")
    func notANumberInRequests() throws {
        let context = try open(model([("price", .decimalAttributeType)]))
        try context.execute(
            NSBatchInsertRequest(entityName: "Item", objects: [["price": NSDecimalNumber.notANumber]]))
        let request = NSFetchRequest<NSDictionary>(entityName: "Item")
        request.resultType = .dictionaryResultType
        let price = try context.fetch(request).first?["price"] as? NSDecimalNumber
        #expect(price?.decimalValue.isNaN == true)
        let update = NSBatchUpdateRequest(entityName: "Item")
        update.propertiesToUpdate = ["price": NSDecimalNumber(value: 2)]
        try context.execute(update)
        #expect(try count("price == 2", [], context) == 1)
        update.propertiesToUpdate = ["price": NSDecimalNumber.notANumber]
        try context.execute(update)
        #expect(try count("price == %@", [NSDecimalNumber.notANumber], context) == 1)
    }

    @Test("A12: A store saves values whose transformer is not registered", arguments: [true, false])
    func unregisteredTransformer(isInMemory: Bool) throws {
        let model = model([("tags", .transformableAttributeType)])
        model.entities[0].attributesByName["tags"]?.valueTransformerName =
            "NSSecureUnarchiveFromDataTransformerName"
        let context = try open(model, type: isInMemory ? .inMemory : .sqlite)
        let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
        item.setValue(["a", "b"] as NSArray, forKey: "tags")
        try context.save()
        context.reset()
        let read = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item"))
        #expect(read.first?.value(forKey: "tags") as? [String] == ["a", "b"])
    }
}
