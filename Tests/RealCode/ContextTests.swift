import CoreData
import Testing

private final class Depot: NSManagedObject {}

/// What contexts and objects do.
@MainActor @Suite struct ContextTests {
    @Test(
        "A2: A mandatory to-many relationship without a minimum count can be saved empty, and one with a minimum cannot"
    )
    func mandatoryToMany() throws {
        for (least, isSaved) in [(0, true), (1, false)] {
            let model = CarStack.model()
            let cars = try #require(model.entitiesByName["Owner"]?.relationshipsByName["cars"])
            cars.isOptional = false
            cars.minCount = least
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(type: .inMemory, at: URL(fileURLWithPath: "/dev/null"))
            let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            _ = NSEntityDescription.insertNewObject(forEntityName: "Owner", into: context)
            if isSaved {
                try context.save()
            } else {
                let error = #expect(throws: NSError.self) { try context.save() }
                #expect(error?.code == 1580)
            }
        }
    }

    @Test(
        "A7: After a save the main queue can wait for a private child that merges the save")
    func aMergingChildIsWaitedFor() throws {
        let stack = try CarStack()
        let car = stack.insert("Car", ["maker": "a"])
        try stack.context.save()
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = stack.context
        child.automaticallyMergesChangesFromParent = true
        let id = car.objectID
        nonisolated(unsafe) var own: NSManagedObject?
        try child.performAndWait {
            own = try child.existingObject(with: id)
            #expect(own?.value(forKey: "maker") as? String == "a")
        }
        for maker in ["b", "c", "d"] {
            try stack.context.performAndWait {
                car.setValue(maker, forKey: "maker")
                try stack.context.save()
            }
            child.performAndWait { #expect(own?.value(forKey: "maker") as? String == maker) }
        }
        _ = stack.insert("Car", ["maker": "e"])
        try stack.context.save()
        let makers = try child.performAndWait {
            try child.fetch(NSFetchRequest<NSManagedObject>(entityName: "Car")).compactMap {
                $0.value(forKey: "maker") as? String
            }.sorted()
        }
        #expect(makers == ["d", "e"])
    }

    @Test("A23: An inserted object becomes a fault by refreshing, and has its values when it is used")
    func anInsertedObjectBecomesAFault() throws {
        let stack = try CarStack()
        let car = stack.insert("Car", ["maker": "Fiat"])
        stack.context.refresh(car, mergeChanges: false)
        #expect(car.isFault && car.isInserted)
        #expect(car.value(forKey: "maker") as? String == "Fiat")
        #expect(!car.isFault)
        stack.context.refresh(car, mergeChanges: false)
        try stack.context.save()
        stack.context.reset()
        let found = try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Car"))
        #expect(found.first?.value(forKey: "maker") as? String == "Fiat")
    }

    @Test("A23: After a reset an object stops being a fault when a value is accessed")
    func anObjectAfterAReset() throws {
        let stack = try CarStack()
        let car = stack.insert("Car", ["maker": "Fiat"])
        try stack.context.save()
        stack.context.reset()
        #expect(car.isFault)
        car.willAccessValue(forKey: nil)
        #expect(!car.isFault)
    }

    @Test("B15: A primitive write of a saved object is not a changed value, but it is saved with the object")
    func primitiveWrites() throws {
        let stack = try CarStack()
        let car = stack.insert("Car", ["maker": "Fiat", "number": 1])
        try stack.context.save()
        car.setPrimitiveValue("Lancia", forKey: "maker")
        #expect(car.changedValues().isEmpty)
        #expect(!stack.context.hasChanges)
        car.setValue(2, forKey: "number")
        #expect(car.changedValues().keys.sorted() == ["number"])
        try stack.context.save()
        stack.context.reset()
        let found = try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Car")).first
        #expect(found?.value(forKey: "maker") as? String == "Lancia")
        found?.setPrimitiveValue("Alfa", forKey: "maker")
        found?.setValue("Alfa Romeo", forKey: "maker")
        #expect(found?.changedValues()["maker"] as? String == "Alfa Romeo")
    }

    @Test("A26: The entities of a configuration bring their subentities")
    func configurations() throws {
        let (vehicle, car, boat) = (NSEntityDescription(), NSEntityDescription(), NSEntityDescription())
        (vehicle.name, car.name, boat.name) = ("Vehicle", "Car", "Boat")
        vehicle.subentities = [car]
        let model = NSManagedObjectModel()
        model.entities = [vehicle, car, boat]
        model.setEntities([vehicle], forConfigurationName: "Roads")
        #expect(model.entities(forConfigurationName: "Roads")?.compactMap(\.name) == ["Vehicle", "Car"])
        let folder = try TemporaryFolder()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            type: .sqlite, configuration: "Roads", at: folder.url.appendingPathComponent("Roads.sqlite"))
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        _ = NSEntityDescription.insertNewObject(forEntityName: "Car", into: context)
        try context.save()
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Vehicle")) == 1)
    }

    @Test("A36: A managed object as an attribute's value is refused with the message for attributes")
    func wordsForAttributes() throws {
        let stack = try CarStack()
        let car = stack.insert("Car")
        let owner = stack.insert("Owner")
        let error = #expect(throws: NSError.self) { try car.setValue(checking: owner, forKey: "maker") }
        #expect(error?.localizedDescription.contains("Unacceptable type of value for attribute") == true)
    }

    @Test(
        "A36: A save refuses a managed object in a transformable attribute, with the message for attributes",
        arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
    func objectsInTransformableAttributes(_ type: String) throws {
        let model = CarStack.model()
        let extra = NSAttributeDescription()
        extra.name = "extra"
        extra.attributeType = .transformableAttributeType
        model.entitiesByName["Car"]?.properties.append(extra)
        let stack = try CarStack(type: type, model: model)
        let car = stack.insert("Car", ["maker": "Fiat"])
        let owner = stack.insert("Owner")
        // The attribute takes objects of any class, as Apple's does; whether they can be archived is known at the save.
        try car.setValue(checking: owner, forKey: "extra")
        #expect(car.value(forKey: "extra") as? NSManagedObject === owner)
        let error = #expect(throws: NSError.self) { try stack.context.save() }
        #expect(error?.code == 134060)
        #expect(error?.localizedDescription.contains("attribute 'extra'") == true)
        #expect(error?.localizedDescription.contains("relationship") == false)
        car.setValue(["a"] as NSArray, forKey: "extra")
        try stack.context.save()
        #expect(car.value(forKey: "extra") as? [String] == ["a"])
    }

    @Test("R23: An ordered relationship that is its own inverse keeps the order of each side")
    func ownInverse() throws {
        let person = NSEntityDescription()
        person.name = "Person"
        let name = NSAttributeDescription()
        name.name = "name"
        name.attributeType = .stringAttributeType
        let friends = NSRelationshipDescription()
        friends.name = "friends"
        friends.isOrdered = true
        friends.destinationEntity = person
        friends.inverseRelationship = friends
        person.properties = [name, friends]
        let model = NSManagedObjectModel()
        model.entities = [person]
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("People.sqlite")
        func open() throws -> NSManagedObjectContext {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(type: .sqlite, at: url)
            let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            return context
        }
        func read(_ context: NSManagedObjectContext) throws -> [String: [String]] {
            var found: [String: [String]] = [:]
            for person in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person")) {
                let friends = person.value(forKey: "friends") as? NSOrderedSet
                found[person.value(forKey: "name") as? String ?? ""] = friends?.array.compactMap {
                    ($0 as? NSManagedObject)?.value(forKey: "name") as? String
                }
            }
            return found
        }
        let context = try open()
        let people = ["a", "b", "c"].map { name in
            let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
            person.setValue(name, forKey: "name")
            return person
        }
        people[0].setValue(NSOrderedSet(array: [people[2], people[0], people[1]]), forKey: "friends")
        people[1].setValue(NSOrderedSet(array: [people[2], people[0]]), forKey: "friends")
        people[2].setValue(NSOrderedSet(array: [people[1], people[0]]), forKey: "friends")
        try context.save()
        let wanted = ["a": ["c", "a", "b"], "b": ["c", "a"], "c": ["b", "a"]]
        #expect(try read(context) == wanted)
        #expect(try read(open()) == wanted)
        people[2].setValue(NSOrderedSet(array: [people[0], people[1]]), forKey: "friends")
        people[1].setValue(NSOrderedSet(array: [people[0], people[2]]), forKey: "friends")
        try context.save()
        #expect(try read(open()) == ["a": ["c", "a", "b"], "b": ["a", "c"], "c": ["a", "b"]])
    }
}
