import CoreData
import Testing

/// What becomes of the objects that a deleted one leads to.
@Suite(.onEveryStore) struct DeleteRuleTests {
    private func stack(_ rule: NSDeleteRule, optionalOwner: Bool = true) throws -> TestStack {
        try TestStack(OwnerModel.model(rule, optionalOwner: optionalOwner))
    }

    /// A stack with a stored owner "o" of the items "a" and "b".
    private func filled(_ rule: NSDeleteRule, optionalOwner: Bool = true) throws -> TestStack {
        let stack = try stack(rule, optionalOwner: optionalOwner)
        try stack.inContext { context in
            _ = try context.owner("o", items: "a", "b")
            try context.save()
        }
        return stack
    }

    // MARK: Nullify

    @Test("Nullify sets the destinations' inverse to nil")
    func nullifyClearsTheInverse() throws {
        let stack = try filled(.nullifyDeleteRule)
        try stack.inContext { context in
            let items = try context.all("Item", by: "name")
            context.delete(try context.only("Owner"))
            context.processPendingChanges()
            #expect(items.map { $0.one("owner") } == [nil, nil])
            #expect(context.updatedObjects == Set(items) && context.deletedObjects.count == 1)
            try context.save()
        }
        try stack.inContext { context in
            #expect(try context.names("Owner") == [])
            #expect(try context.names("Item") == ["a", "b"])
            let owners = try context.all("Item").map { $0.one("owner") }
            #expect(owners == [nil, nil])
        }
    }

    @Test("Nullify removes a deleted object from its owner's set")
    func nullifyRemovesFromTheOwner() throws {
        let stack = try filled(.nullifyDeleteRule)
        try stack.inContext { context in
            let owner = try context.only("Owner")
            context.delete(try #require(try context.named("a", "Item")))
            context.processPendingChanges()
            #expect(owner.names("items") == ["b"])
            try context.save()
            #expect(owner.names("items") == ["b"])
        }
    }

    @Test("Nullifying a mandatory inverse fails the save")
    func nullifiedMandatoryInverse() throws {
        let stack = try filled(.nullifyDeleteRule, optionalOwner: false)
        try stack.inContext { context in
            let item = try #require(try context.named("a", "Item"))
            let other = try #require(try context.named("b", "Item"))
            context.delete(try context.only("Owner"))
            let refusal = try error { try context.save() }
            #expect(refusal.domain == NSCocoaErrorDomain && refusal.code == 1560)
            let details = refusal.userInfo[NSDetailedErrorsKey] as? [NSError] ?? []
            #expect(details.map(\.code) == [1570, 1570])
            #expect(
                Set(details.compactMap { $0.userInfo[NSValidationObjectErrorKey] as? NSManagedObject })
                    == [item, other])
            #expect(details.allSatisfy { $0.userInfo[NSValidationKeyErrorKey] as? String == "owner" })
            // Without the items, the owner goes.
            context.delete(other)
            #expect(try error { try context.save() }.code == 1570)
            context.delete(item)
            try context.save()
        }
        try stack.inContext { context throws in #expect(try context.names("Item") == []) }
    }

    // MARK: Cascade

    @Test("Cascade deletes all destinations, loaded or not")
    func cascadeDeletesAll() throws {
        let stack = try filled(.cascadeDeleteRule, optionalOwner: false)
        try stack.inContext { context in
            // Nothing but the owner is known to the context yet.
            context.delete(try context.only("Owner"))
            context.processPendingChanges()
            #expect(context.deletedObjects.count == 3)
            try context.save()
            #expect(context.registeredObjects.isEmpty)
        }
        try stack.inContext { context throws in
            #expect(try context.names("Owner") == [])
            #expect(try context.names("Item") == [])
        }
    }

    @Test("Cascade deletes unsaved destinations")
    func cascadeDeletesUnsavedObjects() throws {
        let stack = try filled(.cascadeDeleteRule)
        try stack.inContext { context in
            let owner = try context.only("Owner")
            let new = try context.insert("Item", ["name": "new", "owner": owner])
            context.processPendingChanges()
            context.delete(owner)
            context.processPendingChanges()
            #expect(context.insertedObjects.isEmpty && new.managedObjectContext == nil)
            try context.save()
        }
        try stack.inContext { context throws in #expect(try context.names("Item") == []) }
    }

    @Test("Cascade spares objects that left the relationship before")
    func cascadeSparesFormerMembers() throws {
        let stack = try filled(.cascadeDeleteRule)
        try stack.inContext { context in
            let item = try #require(try context.named("a", "Item"))
            item.setValue(nil, forKey: "owner")
            context.delete(try context.only("Owner"))
            try context.save()
            #expect(try context.names("Item") == ["a"])
        }
    }

    @Test("Cascade deletes a chain of 500 objects")
    func cascadeGoesDeep() throws {
        let diary = try HookStack()
        try diary.event { context in
            var last: Entry?
            for number in 0..<500 {
                let entry = Entry(context: context)
                entry.title = "\(number)"
                entry.parent = last
                last = entry
            }
            let sibling = Entry(context: context)
            sibling.title = "other"
            try context.save()
            context.reset()
        }
        try diary.event { context in
            context.delete(try #require(try context.all("Entry", where: .init(format: "title == '0'")).first))
            try context.save()
            let left = try context.all("Entry").map { $0.value(forKey: "title") as? String }
            #expect(left == ["other"])
        }
    }

    @Test("Cascade deletes all objects of a cycle")
    func cascadeInACycle() throws {
        let link = NSEntityDescription.make("Link", [])
        let next = NSRelationshipDescription.toOne("next", rule: .cascadeDeleteRule)
        let previous = NSRelationshipDescription.toOne("previous", rule: .cascadeDeleteRule)
        next.joined(from: link, to: link, inverse: previous)
        link.properties = [attribute("name", .string), next, previous]
        let stack = try TestStack(.of(link))
        try stack.inContext { context in
            let ring = try (0..<4).map { try context.insert("Link", ["name": "\($0)"]) }
            for position in ring.indices { ring[position].setValue(ring[(position + 1) % 4], forKey: "next") }
            let alone = try context.insert("Link", ["name": "alone"])
            alone.setValue(alone, forKey: "next")
            try context.save()
            context.delete(ring[2])
            context.processPendingChanges()
            #expect(context.deletedObjects == Set(ring))
            try context.save()
            #expect(try context.names("Link") == ["alone"])
            context.delete(alone)
            try context.save()
            #expect(try context.names("Link") == [])
        }
    }

    @Test("Delete rules wait for the save if propagatesDeletesAtEndOfEvent is false")
    func rulesMayWaitForTheSave() throws {
        let stack = try filled(.cascadeDeleteRule)
        try stack.inContext { context in
            context.propagatesDeletesAtEndOfEvent = false
            let items = try context.all("Item")
            context.delete(try context.only("Owner"))
            context.processPendingChanges()
            #expect(context.deletedObjects.count == 1 && items.allSatisfy { !$0.isDeleted })
            try context.save()
            #expect(try context.names("Item") == [])
        }
    }

    // MARK: No action

    @Test("No Action leaves the inverse as it is")
    func noActionLeavesTheInverse() throws {
        let folder = try StoreFolder()
        let coordinator = try folder.open(OwnerModel.model(.noActionDeleteRule))
        try coordinator.inContext { context in
            let owner = try context.owner("o", items: "a")
            let item = try context.only("Item")
            try context.save()
            context.delete(owner)
            context.processPendingChanges()
            #expect(item.one("owner") === owner && !item.hasChanges)
            try context.save()
        }
        #expect(try folder.stored("ZOWNER", "Z_OPT", in: "ZITEM") == ["integer 1", "integer 1"])
        try coordinator.inContext { context in
            let ghost = try #require(try context.only("Item").one("owner"))
            #expect(try error { _ = try context.existingObject(with: ghost.objectID) }.code == 133000)
        }
    }

    @Test(
        "A deleted object that was never saved leaves no reference, whatever its rule",
        arguments: [NSDeleteRule.noActionDeleteRule, .denyDeleteRule])
    func unsavedObjectLeavesItsRelationships(_ rule: NSDeleteRule) throws {
        let stack = try stack(rule)
        try stack.inContext { context in
            let owner = try context.owner("o", items: "a")
            let item = try context.only("Item")
            context.processPendingChanges()
            context.delete(owner)
            try context.save()
            #expect(item.one("owner") == nil)
            #expect(try context.names("Owner") == [])
            #expect(try context.names("Item") == ["a"])
        }
        try stack.inContext { context in
            let item = try context.only("Item")
            #expect(item.one("owner") == nil)
        }
    }

    /// A link to what is to be deleted, made after the rules have been applied, is none.
    @Test("A mandatory reference to a deleted object counts as missing")
    func mandatoryReferenceToADeletedObject() throws {
        let stack = try TestStack(OwnerModel.model(optionalOwner: false))
        try stack.inContext { context in
            let (old, new) = (try context.owner("old", items: "item"), try context.owner("new"))
            try context.save()
            let item = try #require(try context.named("item", "Item"))
            context.delete(new)
            context.processPendingChanges()
            item.setValue(new, forKey: "owner")
            let refusal = try error { try context.save() }
            #expect(refusal.code == NSValidationMissingMandatoryPropertyError)
            #expect(refusal.userInfo[NSValidationKeyErrorKey] as? String == "owner")
            #expect(refusal.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === item)
            item.setValue(old, forKey: "owner")
            try context.save()
        }
        #expect(try stack.inContext { try $0.names(of: "old", "Owner", "items") } == ["item"])
    }
}
