import CoreData
import Testing

/// What the rollback merge policy does to links when it discards deletions and moves.
@Suite struct RevertedDeletionTests {
    typealias Rival = ConflictTests.Rival

    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    /// Runs `here` in a context with the policy, then renames the objects of an entity in a rival's, then runs a block.
    private func conflict(
        _ rival: Rival, _ model: @autoclosure () -> NSManagedObjectModel, renaming entity: String,
        make: (NSManagedObjectContext) throws -> Void,
        here: (NSManagedObjectContext) throws -> Void,
        _ body: (NSManagedObjectContext) throws -> Void
    ) throws {
        let coordinator = try folder.open(model())
        let other = rival == .context ? coordinator : try folder.open(model())
        try coordinator.inContext { context in
            try make(context)
            try context.save()
        }
        try coordinator.inContext { context in
            context.mergePolicy = NSMergePolicy.rollback
            context.retainsRegisteredObjects = true
            for entity in context.persistentStoreCoordinator?.managedObjectModel.entities ?? [] {
                for object in try context.all(entity.name ?? "") { _ = object.value(forKey: "name") }
            }
            try here(context)
            context.processPendingChanges()
            try other.inContext { context in
                for object in try context.all(entity) { object.setValue("theirs", forKey: "name") }
                try context.save()
            }
            try body(context)
        }
    }

    private func column(_ sql: String) throws -> [String] {
        try folder.rows(sql).map { $0[0].description }
    }

    @Test("A deletion reverted by rollback restores the references to the object", arguments: Rival.allCases)
    func referencesAreRestored(_ rival: Rival) throws {
        try conflict(
            rival, OwnerModel.model(), renaming: "Owner", make: { _ = try $0.owner("o", items: "a", "b") },
            here: { $0.delete(try $0.only("Owner")) }
        ) { context in
            let items = context.updatedObjects
            #expect(items.count == 2 && items.allSatisfy { $0.one("owner") == nil })
            try context.save()
            let owner = try context.only("Owner")
            #expect(owner.value(forKey: "name") as? String == "theirs" && owner.names("items") == ["a", "b"])
            #expect(items.allSatisfy { $0.one("owner") === owner } && !context.hasChanges)
        }
        #expect(try column("SELECT ZOWNER FROM ZITEM") == ["1", "1"])
        // Nothing was written for them.
        #expect(try column("SELECT Z_OPT FROM ZITEM") == ["1", "1"])
    }

    @Test("Members removed before a reverted deletion stay removed", arguments: Rival.allCases)
    func earlierRemovalsStay(_ rival: Rival) throws {
        try conflict(
            rival, OwnerModel.model(), renaming: "Owner",
            make: { _ = try $0.owner("o", items: "a", "b", "c") },
            here: { context in
                let items = try context.all("Item", by: "name")
                items[0].setValue(nil, forKey: "owner")
                context.processPendingChanges()
                let owner = try context.only("Owner")
                context.delete(owner)
                context.processPendingChanges()
                items[1].setValue(try context.owner("p"), forKey: "owner")
            }
        ) { context in
            try context.save()
            #expect(try context.names(of: "theirs", "Owner", "items") == ["c"])
            #expect(try context.names(of: "p", "Owner", "items") == ["b"])
            let unlinked = try #require(try context.named("a", "Item"))
            #expect(unlinked.one("owner") == nil)
        }
        #expect(try column("SELECT ZOWNER FROM ZITEM ORDER BY ZNAME") == ["NULL", "2", "1"])
    }

    @Test(
        "A reverted deletion restores the object's index in an ordered relationship",
        arguments: Rival.allCases)
    func orderIsRestored(_ rival: Rival) throws {
        try conflict(
            rival, OwnerModel.model(ordered: true), renaming: "Item",
            make: { _ = try $0.owner("o", items: "a", "b", "c") },
            here: { $0.delete(try #require(try $0.named("b", "Item"))) }
        ) { context in
            let owner = try context.only("Owner")
            let items = owner.list("items")
            #expect(items.count == 2)
            try context.save()
            #expect(owner.list("items").count == 3 && owner.list("items")[1].isDeleted == false)
            #expect([owner.list("items")[0], owner.list("items")[2]] == items && !context.hasChanges)
        }
        // The second one in the order is still the one that was to be deleted.
        let keys = try column("SELECT Z_FOK_OWNER FROM ZITEM ORDER BY Z_PK").compactMap { Int($0) }
        #expect(keys == keys.sorted() && Set(keys).count == 3)
    }

    @Test("A reverted deletion restores one-to-one and many-to-many relationships", arguments: Rival.allCases)
    func oneToOneAndManyToMany(_ rival: Rival) throws {
        try conflict(
            rival, Graph.model(), renaming: "Node",
            make: { context in
                let node = try context.insert("Node", ["uid": 1])
                let partner = try context.insert("Node", ["uid": 2])
                node.setValue(partner, forKey: "partner")
                node.setValue(Set([try context.insert("Tag", ["uid": 3])]), forKey: "tags")
            },
            here: { $0.delete(try $0.all("Node", by: "uid")[0]) }
        ) { context in
            let tag = try context.only("Tag")
            #expect(tag.many("nodes").isEmpty)
            try context.save()
            let nodes = try context.all("Node", by: "uid")
            try #require(nodes.count == 2)
            #expect(nodes[0].one("partner") === nodes[1] && nodes[1].one("partner") === nodes[0])
            #expect(tag.many("nodes") == [nodes[0]] && nodes[0].many("tags") == [tag])
            #expect(!context.hasChanges)
        }
        #expect(try column("SELECT ZPARTNER FROM ZNODE ORDER BY ZUID") == ["2", "1"])
        try folder.open(Graph.model()).inContext { context throws in
            #expect(try context.all("Tag", where: NSPredicate(format: "nodes.@count == 1")).count == 1)
        }
    }

    /// The move of an item whose row another context has changed is discarded at both ends.
    @Test("A move reverted by rollback is reverted at both ends", arguments: Rival.allCases)
    func moveIsRevertedAtBothEnds(_ rival: Rival) throws {
        try conflict(
            rival, OwnerModel.model(), renaming: "Item",
            make: { context in
                _ = try context.owner("o", items: "a")
                _ = try context.owner("p")
            },
            here: { try $0.only("Item").setValue(try $0.named("p", "Owner"), forKey: "owner") }
        ) { context in
            let owners = try context.all("Owner", by: "name")
            #expect(owners.map { $0.names("items") } == [[], ["a"]])
            try context.save()
            #expect(owners.map { $0.names("items") } == [["theirs"], []] && !context.hasChanges)
        }
        #expect(try column("SELECT ZOWNER FROM ZITEM") == column("SELECT Z_PK FROM ZOWNER WHERE ZNAME = 'o'"))
    }

    /// A link belongs to the item, whose row has the key. The reverted owner keeps it and is written with
    /// it, so that a context that deletes the owner meanwhile gets a conflict.
    @Test(
        "An owner whose changes are reverted keeps items that were added to it", arguments: Rival.allCases,
        [false, true])
    func ownerKeepsItsNewItems(_ rival: Rival, _ ordered: Bool) throws {
        try conflict(
            rival, OwnerModel.model(ordered: ordered), renaming: "Owner",
            make: { context in
                _ = try context.owner("o", items: "a")
                try context.insert("Item", ["name": "b"])
            },
            here: { context in
                let owner = try context.only("Owner")
                owner.setValue("mine", forKey: "name")
                try context.named("b", "Item")?.setValue(owner, forKey: "owner")
                try context.named("a", "Item")?.setValue(nil, forKey: "owner")
            }
        ) { context in
            try context.save()
            let owner = try context.only("Owner")
            #expect(owner.value(forKey: "name") as? String == "theirs" && owner.names("items") == ["b"])
            #expect(!context.hasChanges)
        }
        #expect(try column("SELECT ZOWNER FROM ZITEM ORDER BY ZNAME") == ["NULL", "1"])
        // Made, renamed there, linked here.
        #expect(try column("SELECT Z_OPT FROM ZOWNER") == ["3"])
    }

    /// Gives in, and lets the save fail then.
    private final class Failing: NSMergePolicy, @unchecked Sendable {
        override func resolve(mergeConflicts list: [Any]) throws {
            try super.resolve(mergeConflicts: list)
            for case let conflict as NSMergeConflict in list {
                conflict.sourceObject.setValue(nil, forKey: "name")
            }
        }
    }

    @Test("A failed save restores the deletion that the policy had reverted")
    func failedSaveRestoresTheDeletion() throws {
        let model = OwnerModel.model()
        model.entitiesByName["Owner"]?.attributesByName["name"]?.isOptional = false
        try conflict(
            .context, model, renaming: "Owner", make: { _ = try $0.owner("o", items: "a", "b") },
            here: { $0.delete(try $0.only("Owner")) }
        ) { context in
            context.mergePolicy = Failing(merge: .rollbackMergePolicyType)
            let owner = try #require(context.deletedObjects.first)
            let items = context.updatedObjects
            #expect(try error { try context.save() }.code == 1570)
            #expect(context.deletedObjects == [owner] && owner.isDeleted)
            #expect(items.count == 2 && items.allSatisfy { $0.one("owner") == nil && $0.isUpdated })
            context.mergePolicy = NSMergePolicy.overwrite
            try context.save()
        }
        #expect(try column("SELECT ZOWNER FROM ZITEM") == ["NULL", "NULL"])
        #expect(try column("SELECT COUNT(*) FROM ZOWNER") == ["0"])
    }
}
