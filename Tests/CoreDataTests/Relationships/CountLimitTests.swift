import CoreData
import Testing

/// How many objects a to-many relationship leads to.
@Suite(.onEveryStore) struct CountLimitTests {
    private func save(
        _ count: Int, optional: Bool = true, ordered: Bool = false, min: Int = 0, max: Int = 0
    ) throws -> NSError? {
        let model = OwnerModel.model(optionalItems: optional, ordered: ordered, min: min, max: max)
        return try TestStack(model).inContext { context in
            let owner = try context.insert("Owner", ["name": "o"])
            for number in 0..<count { try context.insert("Item", ["name": "\(number)", "owner": owner]) }
            do {
                try context.save()
            } catch {
                let error = error as NSError
                #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "items")
                #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === owner)
                let value = error.userInfo[NSValidationValueErrorKey]
                #expect(((value as? NSSet)?.count ?? (value as? NSOrderedSet)?.count) == count)
                #expect(try storedOwners(context) == 0)
                return error
            }
            return nil
        }
    }

    /// How many owners the store has, whatever the context says.
    private func storedOwners(_ context: NSManagedObjectContext) throws -> Int? {
        try context.persistentStoreCoordinator?.inContext { try $0.all("Owner").count }
    }

    @Test("A relationship whose count is within its limits can be saved", arguments: [false, true])
    func countsWithinTheLimits(_ ordered: Bool) throws {
        for count in 2...3 { #expect(try save(count, ordered: ordered, min: 2, max: 3) == nil) }
    }

    @Test("A relationship with too few or too many members fails the save", arguments: [false, true])
    func countsOutsideOfTheLimits(_ ordered: Bool) throws {
        #expect(try save(1, ordered: ordered, min: 2, max: 3)?.code == 1580)
        #expect(try save(4, ordered: ordered, min: 2, max: 3)?.code == 1590)
    }

    @Test("An optional relationship may be empty although it has a minimum count")
    func emptyOptionalRelationship() throws {
        #expect(try save(0, min: 2, max: 3) == nil)
        #expect(try save(0, optional: false, min: 2, max: 3)?.code == 1580)
        // Without a least number, a mandatory relationship may be empty, as with Apple's framework.
        #expect(try save(0, optional: false) == nil)
        #expect(try save(1, optional: false) == nil)
    }

    @Test("A minimum count and a maximum count apply independently")
    func singleLimits() throws {
        #expect(try save(9, min: 2) == nil)
        #expect(try save(1, max: 3) == nil)
        #expect(try save(4, max: 3)?.code == 1590)
    }

    @Test("A change by the inverse counts towards the limits")
    func changeByTheInverseIsCounted() throws {
        let stack = try TestStack(OwnerModel.model(min: 1, max: 2))
        try stack.inContext { context in
            _ = try context.owner("o", items: "a", "b")
            try context.save()
        }
        try stack.inContext { context in
            let owner = try context.only("Owner")
            let third = try context.insert("Item", ["name": "c", "owner": owner])
            #expect(try error { try context.save() }.code == 1590)
            context.delete(third)
            try context.save()
            let a = try #require(try context.named("a", "Item"))
            a.setValue(nil, forKey: "owner")
            try context.save()
            #expect(owner.names("items") == ["b"])
        }
    }

    @Test("A deletion that leaves too few members fails the save")
    func deletionThatLeavesTooFew() throws {
        let stack = try TestStack(OwnerModel.model(min: 2))
        try stack.inContext { context in
            let owner = try context.owner("o", items: "a", "b")
            try context.save()
            context.delete(try #require(try context.named("a", "Item")))
            let refusal = try error { try context.save() }
            #expect(refusal.code == 1580)
            #expect(refusal.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === owner)
            try context.insert("Item", ["name": "c", "owner": owner])
            try context.save()
            #expect(owner.names("items") == ["b", "c"])
        }
    }

    @Test("A mandatory to-one relationship without a destination fails the save")
    func mandatoryToOne() throws {
        let stack = try TestStack(OwnerModel.model(optionalOwner: false))
        try stack.inContext { context in
            let item = try context.insert("Item", ["name": "a"])
            let refusal = try error { try context.save() }
            #expect(refusal.code == 1570)
            #expect(refusal.userInfo[NSValidationKeyErrorKey] as? String == "owner")
            #expect(refusal.userInfo[NSValidationValueErrorKey] == nil)
            item.setValue(try context.insert("Owner"), forKey: "owner")
            try context.save()
            item.setValue(nil, forKey: "owner")
            #expect(try error { try context.save() }.code == 1570)
        }
    }
}
