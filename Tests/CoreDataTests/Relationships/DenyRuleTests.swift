import CoreData
import Testing

/// The delete rule Deny: an object stays as long as it leads to others.
@Suite struct DenyRuleTests {
    private let stack: TestStack

    init() throws {
        stack = try TestStack(OwnerModel.model(.denyDeleteRule))
        try stack.inContext { context in
            _ = try context.owner("o", items: "a", "b")
            _ = try context.owner("empty")
            try context.save()
        }
    }

    @Test func theSaveFailsAndNothingIsWritten() throws {
        try stack.inContext { context in
            let owner = try #require(try context.named("o", "Owner"))
            context.delete(owner)
            context.delete(try #require(try context.named("empty", "Owner")))
            try context.insert("Item", ["name": "new"])
            let refusal = try error { try context.save() }
            #expect(refusal.domain == NSCocoaErrorDomain && refusal.code == 1600)
            #expect(refusal.userInfo[NSValidationKeyErrorKey] as? String == "items")
            #expect(refusal.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === owner)
            #expect((refusal.userInfo[NSValidationValueErrorKey] as? NSSet)?.count == 2)
            #expect(owner.isDeleted && context.deletedObjects.count == 2 && context.hasChanges)
            context.rollback()
            #expect(!owner.isDeleted && owner.names("items") == ["a", "b"])
        }
        try stack.inContext { context throws in
            #expect(try context.names("Owner") == ["empty", "o"])
            #expect(try context.names("Item") == ["a", "b"])
        }
    }

    @Test func theObjectItselfSaysSo() throws {
        try stack.inContext { context in
            let owner = try #require(try context.named("o", "Owner"))
            #expect(try error { try owner.validateForDelete() }.code == 1600)
            try #require(try context.named("empty", "Owner")).validateForDelete()
        }
    }

    @Test func anEmptyOwnerGoes() throws {
        try stack.inContext { context in
            context.delete(try #require(try context.named("empty", "Owner")))
            try context.save()
            #expect(try context.names("Owner") == ["o"])
        }
    }

    @Test func theOwnerGoesWithItsItems() throws {
        try stack.inContext { context in
            context.delete(try #require(try context.named("o", "Owner")))
            for item in try context.all("Item") { context.delete(item) }
            try context.save()
            #expect(try context.names("Owner") == ["empty"])
            #expect(try context.names("Item") == [])
        }
    }

    @Test func theOwnerGoesWhenItsItemsHaveLeft() throws {
        try stack.inContext { context in
            let owner = try #require(try context.named("o", "Owner"))
            context.delete(owner)
            #expect(try error { try context.save() }.code == 1600)
            for item in try context.all("Item") { item.setValue(nil, forKey: "owner") }
            try context.save()
            #expect(try context.names("Owner") == ["empty"])
            #expect(try context.names("Item") == ["a", "b"])
        }
    }

    @Test func twoOwnersThatMayNotGoAreTwoErrors() throws {
        try stack.inContext { context in
            let empty = try #require(try context.named("empty", "Owner"))
            try context.insert("Item", ["name": "c", "owner": empty])
            for owner in try context.all("Owner") { context.delete(owner) }
            let refusal = try error { try context.save() }
            #expect(refusal.code == 1560)
            #expect((refusal.userInfo[NSDetailedErrorsKey] as? [NSError])?.map(\.code) == [1600, 1600])
        }
    }
}
