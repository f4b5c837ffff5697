import CoreData
import Testing

/// A member that two contexts move, each to another owner: it is shown where this context has moved it, and nowhere else.
@Suite(.onEveryStore) struct MovedMemberTests {
    /// How a context comes to know what another has saved.
    enum ObjectMapping: CaseIterable, Sendable { case merge, refresh, conflict }

    @Test(
        "A member moved by two contexts is where this context moved it, and nowhere else",
        arguments: ObjectMapping.allCases, [true, false])
    func movedMemberHasOneOwner(_ way: ObjectMapping, ordered: Bool) throws {
        for ends in [true, false] { try check(way, ordered: ordered, ends: ends) }
    }

    /// - Parameter ends: whether the own link ends, else it leads to another owner.
    private func check(_ way: ObjectMapping, ordered: Bool, ends: Bool) throws {
        let stack = try TestStack(OwnerModel.model(ordered: ordered))
        let context = stack.context()
        try context.performAndWait {
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            context.retainsRegisteredObjects = true
            _ = try context.owner("1", items: "a", "b")
            _ = try context.owner("2")
            _ = try context.owner("3", items: "c")
            try context.save()
            for name in ["1", "2", "3"] { _ = try context.names(of: name, "Owner", "items") }
            let item = try #require(try context.named("a", "Item"))
            item.setValue(ends ? nil : try context.named("2", "Owner"), forKey: "owner")
        }
        let saved = try stack.saved { other in
            let owner = try other.named("3", "Owner")
            try other.named("a", "Item")?.setValue(owner, forKey: "owner")
        }
        func checkLinks() throws {
            #expect(
                try context.named("a", "Item")?.one("owner") === (ends ? nil : context.named("2", "Owner")))
            #expect(try context.names(of: "1", "Owner", "items")?.sorted() == ["b"])
            #expect(try context.names(of: "2", "Owner", "items")?.sorted() == (ends ? [] : ["a"]))
            #expect(try context.names(of: "3", "Owner", "items")?.sorted() == ["c"])
        }
        try context.performAndWait {
            switch way {
            case .merge: context.mergeChanges(fromContextDidSave: saved)
            case .refresh:
                for object in try context.all("Owner") + context.all("Item") {
                    context.refresh(object, mergeChanges: true)
                }
            case .conflict: try context.save()
            }
            try checkLinks()
            if way != .conflict { try context.save() }
            try checkLinks()
            #expect(!context.hasChanges)
            context.refreshAllObjects()
            try checkLinks()
        }
    }

    /// The store does not have a member that both contexts removed: adding it again is a change to be saved.
    @Test("A member that both contexts removed can be added and saved again", arguments: ["guards", "nodes"])
    func removedMemberIsAddedAgain(_ key: String) throws {
        let stack = try TestStack(Graph.model())
        let context = stack.context()
        let (tag, member) = try context.performAndWait {
            let tag = try context.insert("Tag", ["uid": 1])
            let member = try context.insert(key == "guards" ? "Guard" : "Node", ["uid": 2])
            tag.setValue(NSSet(object: member), forKey: key)
            try context.save()
            tag.setValue(NSSet(), forKey: key)
            return (tag, member)
        }
        let saved = try stack.saved { other in
            let tag = try other.only("Tag")
            tag.setValue("theirs", forKey: "name")
            tag.setValue(NSSet(), forKey: key)
        }
        try context.performAndWait {
            context.mergeChanges(fromContextDidSave: saved)
            tag.mutableSetValue(forKey: key).add(member)
            #expect(tag.many(key) == [member] && tag.hasPersistentChangedValues)
            context.refreshAllObjects()
            #expect(tag.many(key) == [member])
            try context.save()
            context.refreshAllObjects()
            #expect(tag.many(key) == [member])
        }
    }
}
