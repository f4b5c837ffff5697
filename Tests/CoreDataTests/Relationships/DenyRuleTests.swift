import CoreData
import Testing

/// The delete rule Deny: an object stays as long as it leads to others.
@Suite(.onEveryStore) struct DenyRuleTests {
    private let stack: TestStack

    init() throws {
        stack = try TestStack(OwnerModel.model(.denyDeleteRule))
        try stack.inContext { context in
            _ = try context.owner("o", items: "a", "b")
            _ = try context.owner("empty")
            try context.save()
        }
    }

    @Test("Deny fails the save and nothing is written")
    func denyFailsTheSave() throws {
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

    @Test("validateForDelete throws for an owner with members")
    func validateForDelete() throws {
        try stack.inContext { context in
            let owner = try #require(try context.named("o", "Owner"))
            #expect(try error { try owner.validateForDelete() }.code == 1600)
            try #require(try context.named("empty", "Owner")).validateForDelete()
        }
    }

    @Test("Deny allows the deletion of an owner without members")
    func emptyOwnerIsDeleted() throws {
        try stack.inContext { context in
            context.delete(try #require(try context.named("empty", "Owner")))
            try context.save()
            #expect(try context.names("Owner") == ["o"])
        }
    }

    @Test("Deny allows the deletion of an owner together with its members")
    func ownerIsDeletedWithItsItems() throws {
        try stack.inContext { context in
            context.delete(try #require(try context.named("o", "Owner")))
            for item in try context.all("Item") { context.delete(item) }
            try context.save()
            #expect(try context.names("Owner") == ["empty"])
            #expect(try context.names("Item") == [])
        }
    }

    @Test("Deny allows the deletion of an owner whose members left")
    func ownerWhoseItemsLeft() throws {
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

    /// The owner's items are loaded late, when rows still say that they are its own.
    @Test(
        "Deny allows the deletion of an owner whose members moved to another owner", arguments: [false, true])
    func ownerWhoseItemsMoved(_ movedFirst: Bool) throws {
        try stack.inContext { context in
            let owner = try #require(try context.named("o", "Owner"))
            let successor = try context.owner("successor")
            let items = try context.all("Item")
            if !movedFirst { context.delete(owner) }
            for item in items { item.setValue(successor, forKey: "owner") }
            if movedFirst { context.delete(owner) }
            context.processPendingChanges()
            for object in [owner] + items { context.refresh(object, mergeChanges: true) }
            try owner.validateForDelete()
            try context.save()
            #expect(try context.names("Owner") == ["empty", "successor"])
            #expect(try context.names(of: "successor", "Owner", "items") == ["a", "b"])
        }
    }

    @Test("Two denied deletions give two errors")
    func twoOwnersAreTwoErrors() throws {
        try stack.inContext { context in
            let empty = try #require(try context.named("empty", "Owner"))
            try context.insert("Item", ["name": "c", "owner": empty])
            for owner in try context.all("Owner") { context.delete(owner) }
            let refusal = try error { try context.save() }
            #expect(refusal.code == 1560)
            #expect((refusal.userInfo[NSDetailedErrorsKey] as? [NSError])?.map(\.code) == [1600, 1600])
        }
    }

    // MARK: Circles

    /// Nodes of a ring: each may not go as long as it leads to another.
    private func ring(_ names: String...) throws -> TestStack {
        let node = NSEntityDescription.make("Node", [Library.attribute("name", .string)])
        let next = node.relate("next", to: node, rule: .denyDeleteRule)
        pair(next, node.relate("previous", to: node))
        let stack = try TestStack(.of(node))
        try stack.inContext { context in
            let nodes = try names.map { try context.insert("Node", ["name": $0]) }
            for (index, node) in nodes.enumerated() {
                node.setValue(nodes[(index + 1) % nodes.count], forKey: "next")
            }
            try context.save()
        }
        return stack
    }

    @Test("Deny allows the deletion of a cycle only as a whole")
    func ringIsDeletedAsAWhole() throws {
        try ring("a", "b", "c").inContext { context in
            let nodes = try context.all("Node", by: "name")
            context.delete(nodes[0])
            context.delete(nodes[1])
            let refusal = try error { try context.save() }
            #expect(refusal.code == 1600)
            #expect(refusal.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === nodes[1])
            #expect(refusal.userInfo[NSValidationKeyErrorKey] as? String == "next")
            context.delete(nodes[2])
            try context.save()
            #expect(try context.names("Node") == [])
        }
    }

    @Test("Deny allows the deletion of an object that refers to itself")
    func selfReferenceIsDeleted() throws {
        try ring("a").inContext { context in
            let node = try context.only("Node")
            #expect(node.one("next") === node && node.one("previous") === node)
            context.delete(node)
            try context.save()
            #expect(try context.names("Node") == [])
        }
    }

    /// Owners take their items with them, and items may not go without their owner.
    @Test("A cascading deletion is not denied by the inverse")
    func cascadeOverridesDeny() throws {
        let stack = try TestStack(OwnerModel.model(.cascadeDeleteRule, inverseRule: .denyDeleteRule))
        try stack.inContext { context in
            let owner = try context.owner("o", items: "a", "b")
            try context.save()
            let item = try #require(try context.named("a", "Item"))
            context.delete(item)
            let refusal = try error { try context.save() }
            #expect(refusal.code == 1600)
            #expect(refusal.userInfo[NSValidationKeyErrorKey] as? String == "owner")
            context.delete(owner)
            try context.save()
            #expect(try context.names("Owner") == [] && context.names("Item") == [])
        }
    }
}
