import CoreData
import Testing

/// What refreshing one end of an unsaved link does to the other end.
@Suite(.onEveryStore) struct RefreshedRelationshipTests {
    private let diary: HookStack
    private let parent: Entry
    private let child: Entry

    init() throws {
        diary = try HookStack()
        parent = try diary.savedEntry("parent")
        child = try diary.savedEntry("child", parent: parent)
    }

    @Test("Refreshing the to-many end keeps unsaved changes of the inverse")
    func refreshedToManyEnd() throws {
        try diary.event { context in
            let new = Entry(context: context)
            new.title = "new"
            new.parent = parent
            child.parent = nil
            parent.number = 50
            context.refresh(parent, mergeChanges: false)
            #expect(parent.number == 3 && parent.children == [new])
            #expect(Set(parent.changedValues().keys) == ["children"] && parent.isUpdated)
            try context.save()
            #expect(parent.children == [new] && !context.hasChanges)
        }
        #expect(try diary.stored("parent", { Set($0.children.map(\.title)) }) == ["new"])
    }

    @Test("Refreshing the to-one end restores its stored destination at both ends")
    func refreshedToOneEnd() throws {
        let other = try diary.savedEntry("other")
        diary.event { context in
            child.parent = other
            context.refresh(child, mergeChanges: false)
            #expect(child.parent === parent && parent.children == [child] && other.children.isEmpty)
            #expect(!parent.hasPersistentChangedValues && !other.hasPersistentChangedValues)
        }
    }

    /// Whatever is refreshed, a deletion ends the links of the deleted object.
    @Test(
        "Refreshing an object does not restore its relationship to a deleted object",
        arguments: [false, true])
    func refreshedEndOfADeletedObject(_ merging: Bool) throws {
        let stack = try TestStack(OwnerModel.model())
        try stack.inContext { context in
            let owner = try context.owner("o", items: "a", "b")
            try context.save()
            let items = try context.all("Item", by: "name")
            context.delete(owner)
            context.processPendingChanges()
            context.refresh(items[0], mergeChanges: merging)
            context.processPendingChanges()
            #expect(items.map { $0.one("owner") } == [nil, nil])
            try context.save()
            #expect(items.map { $0.one("owner") } == [nil, nil])
        }
        try stack.inContext { context throws in
            #expect(try context.names("Item") == ["a", "b"] && context.names("Owner") == [])
            #expect(try context.all("Item", where: NSPredicate(format: "owner != nil")).isEmpty)
        }
    }
}
