import CoreData
import GRDB
import Testing

/// Constraints that an entity sets on what it inherits: the index covers all rows of the table.
@Suite struct InheritedConstraintTests {
    private static let model: NSManagedObjectModel = {
        let car = NSEntityDescription("Car", attribute("doors", .integer16))
        car.uniquenessConstraints = [["plate"]]
        let cart = NSEntityDescription("Cart")
        let vehicle = NSEntityDescription(
            "Vehicle", attribute("plate", .string), attribute("owner", .string), subentities: [car, cart])
        return NSManagedObjectModel(of: vehicle, car, cart)
    }()

    private let folder: StoreFolder
    private let coordinator: NSPersistentStoreCoordinator

    init() throws {
        folder = try StoreFolder()
        coordinator = try folder.open(Self.model)
        try coordinator.inContext { context in
            try context.insert("Cart", ["plate": "A", "owner": "Ada"])
            try context.insert("Car", ["plate": "B", "owner": "Bea", "doors": 3])
            try context.save()
        }
    }

    private func rows() throws -> [String] {
        try folder.rows("SELECT ZPLATE || ' ' || ZOWNER FROM ZVEHICLE ORDER BY ZPLATE").map {
            String.fromDatabaseValue($0[0]) ?? "?"
        }
    }

    @Test("An inherited constraint covers rows of sibling entities", arguments: ["Vehicle", "Car", "Cart"])
    func rowOfAnotherEntityConflicts(_ entity: String) throws {
        try coordinator.inContext { context in
            let new = try context.insert(entity, ["plate": "A", "owner": "new"])
            let refusal = try error { try context.save() }
            #expect(refusal.code == 133021)
            let conflict = try #require((refusal.userInfo["conflictList"] as? [NSConstraintConflict])?.first)
            #expect(conflict.constraint == ["plate"] && conflict.conflictingObjects == [new])
            #expect(conflict.databaseObject?.entity.name == "Cart")
            #expect(conflict.databaseSnapshot?["owner"] as? String == "Ada")
            context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
            try context.save()
        }
        #expect(try rows() == ["A Ada", "B Bea"])
    }

    @Test("Under object trump, a new object of a sibling entity replaces the stored one")
    func newObjectOfAnotherEntityWins() throws {
        try coordinator.inContext { context in
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try context.insert("Car", ["plate": "A", "owner": "new"])
            try context.save()
        }
        #expect(try rows() == ["A new", "B Bea"])
    }

    @Test("Objects of two entities may exchange their unique values")
    func swappedValuesOfTwoEntities() throws {
        try coordinator.inContext { context in
            let (cart, car) = (try context.only("Cart"), try context.only("Car"))
            cart.setValue("B", forKey: "plate")
            car.setValue("A", forKey: "plate")
            try context.save()
        }
        #expect(try rows() == ["A Bea", "B Ada"])
    }
}
