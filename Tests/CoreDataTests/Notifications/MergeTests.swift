import CoreData
import Testing

/// One context merges the save of another one of its coordinator.
@Suite(.onEveryStore) struct MergeTests {
    private let diary: HookStack
    private let parent: Entry
    private let child: Entry
    private let rival: NSManagedObjectContext

    init() throws {
        diary = try HookStack()
        parent = try diary.savedEntry("parent")
        child = try diary.savedEntry("child", parent: parent)
        rival = diary.stack.context()
    }

    /// The rival's entry that stands for one of ours.
    private func theirs(_ entry: Entry) throws -> Entry {
        let id = diary.event { _ in entry.objectID }
        return try rival.performAndWait { try #require(try rival.existingObject(with: id) as? Entry) }
    }

    /// What the rival posts when it saves what a block changes.
    private func saved(
        _ name: Notification.Name = .NSManagedObjectContextDidSave,
        _ change: (NSManagedObjectContext) throws -> Void
    ) throws -> Notification {
        let log = NotificationLog(name, from: rival)
        try rival.performAndWait {
            try change(rival)
            try rival.save()
        }
        return try #require(log.all.first)
    }

    private func merge(_ notification: Notification) {
        diary.event { $0.mergeChanges(fromContextDidSave: notification) }
    }

    private static let kinds = [
        Notification.Name.NSManagedObjectContextDidSave, .NSManagedObjectContextDidSaveObjectIDs,
    ]

    // MARK: What comes in

    @Test("A merge updates values and keeps transient ones", arguments: kinds)
    func changedValues(_ kind: Notification.Name) throws {
        let theirParent = try theirs(parent)
        let saved = try saved(kind) { _ in
            theirParent.number = 70
            theirParent.title = "renamed"
        }
        diary.event { _ in
            parent.mark = "m"
            #expect(parent.number == 3)
        }
        merge(saved)
        diary.event { context in
            #expect(parent.number == 70 && parent.title == "renamed" && parent.mark == "m")
            #expect(!parent.hasPersistentChangedValues)
        }
    }

    @Test("A merge updates relationships at both ends")
    func changedRelationships() throws {
        let (theirParent, theirChild) = (try theirs(parent), try theirs(child))
        diary.event { _ in #expect(parent.children == [child]) }
        let saved = try saved { context in
            theirChild.parent = nil
            let new = Entry(context: context)
            new.title = "new"
            new.parent = theirParent
        }
        merge(saved)
        diary.event { context in
            #expect(child.parent == nil)
            #expect(parent.children.map(\.title) == ["new"])
            #expect(!context.hasChanges)
        }
    }

    @Test("A merge registers inserted objects as faults")
    func insertedObjectsAreFaults() throws {
        let saved = try saved { Entry(context: $0).title = "new" }
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, from: diary.context)
        diary.event { context in
            context.mergeChanges(fromContextDidSave: saved)
            let inserted = log.all.first?.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>
            #expect(log.all.count == 1 && inserted?.count == 1)
            #expect(inserted?.first?.isFault == true && inserted?.first?.isInserted == false)
            #expect(inserted?.first?.value(forKey: "title") as? String == "new")
            #expect(!context.hasChanges)
        }
    }

    @Test("A merge marks deleted objects, which the next save removes", arguments: kinds)
    func deletedObjects(_ kind: Notification.Name) throws {
        let theirChild = try theirs(child)
        diary.event { _ in #expect(parent.children == [child] && child.number == 3) }
        let saved = try saved(kind) { $0.delete(theirChild) }
        merge(saved)
        try diary.event { context in
            #expect(child.isDeleted && child.title == "child")
            #expect(parent.children.isEmpty)
            // A save has nothing to do for it, and lets it go.
            try context.save()
            #expect(!context.hasChanges && child.managedObjectContext == nil)
        }
        #expect(try diary.stored("parent", \.children.count) == 0)
    }

    @Test("A fault reads the new values after a merge")
    func faultReadsNewValues() throws {
        diary.event { $0.refresh(parent, mergeChanges: false) }
        let theirParent = try theirs(parent)
        merge(try saved { _ in theirParent.number = 70 })
        diary.event { _ in #expect(parent.number == 70) }
    }

    @Test("A merge does not register updated objects that the context does not have")
    func unknownObjectsStayUnknown() throws {
        let (parentID, theirParent) = (diary.event { _ in parent.objectID }, try theirs(parent))
        diary.event { $0.reset() }
        merge(try saved { _ in theirParent.number = 70 })
        diary.event { context in #expect(context.registeredObject(for: parentID) == nil) }
    }

    // MARK: Unsaved changes

    @Test("A merge keeps unsaved changes over the merged values, without a conflict")
    func ownChangesOverlayMergedValues() throws {
        let theirParent = try theirs(parent)
        diary.event { _ in parent.number = 50 }
        let saved = try saved { _ in
            theirParent.number = 70
            theirParent.title = "renamed"
        }
        merge(saved)
        try diary.event { context in
            #expect(parent.number == 50 && parent.title == "renamed")
            #expect(parent.isUpdated && parent.changedValues().keys.sorted() == ["number"])
            #expect(parent.committedValues(forKeys: ["number"])["number"] as? Int == 70)
            // Without a conflict: the context has seen what the other one saved.
            try context.save()
        }
        #expect(try diary.stored("renamed", \.number) == 50)
    }

    @Test("A merge keeps unsaved members beside the merged ones")
    func ownMembersAreKept() throws {
        let theirParent = try theirs(parent)
        let mine = diary.event { context in
            let mine = Entry(context: context)
            mine.title = "mine"
            mine.parent = parent
            return mine
        }
        let saved = try saved { context in
            let new = Entry(context: context)
            new.title = "theirs"
            new.parent = theirParent
        }
        merge(saved)
        try diary.event { context in
            #expect(parent.children.compactMap(\.title).sorted() == ["child", "mine", "theirs"])
            #expect(mine.isInserted)
            try context.save()
        }
        #expect(try diary.stored("parent", \.children.count) == 3)
    }

    @Test("A merge keeps unsaved removals of members")
    func ownRemovalsAreKept() throws {
        let theirParent = try theirs(parent)
        diary.event { _ in child.parent = nil }
        merge(try saved { _ in theirParent.number = 70 })
        try diary.event { context in
            #expect(parent.children.isEmpty && child.parent == nil && parent.number == 70)
            try context.save()
        }
        #expect(try diary.stored("parent", \.children.count) == 0)
    }

    @Test("A merge deletes an object with unsaved changes that was deleted elsewhere")
    func changedHereDeletedThere() throws {
        let theirChild = try theirs(child)
        diary.event { _ in child.number = 50 }
        merge(try saved { $0.delete(theirChild) })
        try diary.event { context in
            #expect(child.isDeleted && !child.isUpdated && context.updatedObjects.isEmpty)
            try context.save()
            #expect(!context.hasChanges)
        }
        #expect(try diary.stored("child", \.number) == nil)
    }

    @Test("An object deleted in both contexts is deleted once")
    func deletedOnBothSides() throws {
        let theirChild = try theirs(child)
        diary.event { $0.delete(child) }
        merge(try saved { $0.delete(theirChild) })
        try diary.event { context in
            #expect(context.deletedObjects == [child])
            try context.save()
            #expect(!context.hasChanges && child.managedObjectContext == nil)
        }
    }

    @Test("A merged reference to an object deleted here becomes nil")
    func referenceToAnObjectDeletedHere() throws {
        let stack = try TestStack(OwnerModel.model())
        let context = stack.context()
        let item = try context.performAndWait {
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            let owner = try context.owner("o", items: "a")
            let item = try context.insert("Item", ["name": "b"])
            try context.save()
            context.delete(owner)
            context.processPendingChanges()
            return item
        }
        let saved = try stack.saved { other in
            try other.named("b", "Item")?.setValue(try other.named("o", "Owner"), forKey: "owner")
        }
        try context.performAndWait {
            context.mergeChanges(fromContextDidSave: saved)
            #expect(item.one("owner") == nil && item.isUpdated)
            try context.save()
        }
        try stack.inContext { context throws in
            #expect(try context.names("Owner") == [] && context.names("Item") == ["a", "b"])
            #expect(try context.all("Item", where: NSPredicate(format: "owner != nil")).isEmpty)
        }
    }

    @Test("A cascading deletion here deletes members merged into the deleted object")
    func cascadeOfADeletionHere() throws {
        let other = try diary.savedEntry("other")
        let (theirParent, theirOther) = (try theirs(parent), try theirs(other))
        diary.event { context in
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            context.delete(parent)
        }
        merge(try saved { _ in theirOther.parent = theirParent })
        try diary.event { context in
            #expect(other.isDeleted)
            try context.save()
        }
        #expect(try diary.stored("other", \.number) == nil)
    }

    @Test(
        "An unsaved reference to an object deleted elsewhere follows its delete rule",
        arguments: [NSDeleteRule.nullifyDeleteRule, .cascadeDeleteRule])
    func referenceToAnObjectDeletedThere(_ rule: NSDeleteRule) throws {
        let stack = try TestStack(OwnerModel.model(rule))
        let context = stack.context()
        let item = try context.performAndWait {
            let owner = try context.owner("o")
            let item = try context.insert("Item", ["name": "a"])
            try context.save()
            item.setValue(owner, forKey: "owner")
            return item
        }
        let saved = try stack.saved { $0.delete(try $0.only("Owner")) }
        try context.performAndWait {
            context.mergeChanges(fromContextDidSave: saved)
            #expect(item.one("owner") == nil && item.isDeleted == (rule == .cascadeDeleteRule))
            try context.save()
            #expect(item.one("owner") == nil && !context.hasChanges)
        }
        try stack.inContext { context throws in
            #expect(try context.names("Item") == (rule == .cascadeDeleteRule ? [] : ["a"]))
            #expect(try context.all("Item", where: NSPredicate(format: "owner != nil")).isEmpty)
        }
    }

    @Test("A member moved here and deleted elsewhere leaves its new owner")
    func movedMemberDeletedThere() throws {
        let other = try diary.savedEntry("other")
        let theirChild = try theirs(child)
        diary.event { _ in child.parent = other }
        merge(try saved { $0.delete(theirChild) })
        try diary.event { context in
            #expect(child.isDeleted && other.children.isEmpty && parent.children.isEmpty)
            try context.save()
            #expect(other.children.isEmpty && parent.children.isEmpty)
        }
    }

    // MARK: Contents of notifications

    @Test("A merge posts merged IDs and refreshed objects")
    func mergeIsPosted() throws {
        let (theirParent, theirChild) = (try theirs(parent), try theirs(child))
        let saved = try saved { context in
            theirParent.number = 70
            context.delete(theirChild)
            Entry(context: context).title = "new"
        }
        let log = NotificationLog(
            .NSManagedObjectContextDidMergeChangesObjectIDs, .NSManagedObjectContextObjectsDidChange,
            .NSManagedObjectContextWillSave, .NSManagedObjectContextDidSave, from: diary.context)
        let ids = diary.event { _ in [parent.objectID, child.objectID] }
        merge(saved)
        try diary.event { _ in
            #expect(Set(log.names).count == 2 && log.all.count == 2)
            let merged = try #require(
                log.all.first { $0.name == .NSManagedObjectContextDidMergeChangesObjectIDs }?.userInfo)
            #expect((merged[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID>)?.count == 1)
            #expect(merged[NSUpdatedObjectIDsKey] as? Set<NSManagedObjectID> == [ids[0]])
            #expect(merged[NSDeletedObjectIDsKey] as? Set<NSManagedObjectID> == [ids[1]])
            // Not changed here, but refreshed.
            #expect(
                log.contents(of: .NSManagedObjectContextObjectsDidChange, by: "title")
                    == [["inserted": ["new"], "refreshed": ["parent"], "deleted": ["child"]]])
        }
    }

    @Test("Without a merge a context keeps its values")
    func onlyAMergeUpdates() throws {
        let theirParent = try theirs(parent)
        _ = try saved { _ in theirParent.number = 70 }
        diary.event { _ in #expect(parent.number == 3) }
    }

    // MARK: Automatically

    @Test("A context with automatic merging merges others' saves until it is turned off")
    func automaticMerging() throws {
        let (theirParent, theirChild) = (try theirs(parent), try theirs(child))
        diary.event { context in
            #expect(!context.automaticallyMergesChangesFromParent)
            context.automaticallyMergesChangesFromParent = true
            parent.title = "mine"
        }
        let log = NotificationLog(.NSManagedObjectContextDidMergeChangesObjectIDs, from: diary.context)
        let changes = NotificationLog(.NSManagedObjectContextObjectsDidChange, from: diary.context)
        _ = try saved { context in
            theirParent.number = 70
            context.delete(theirChild)
        }
        // The merge was queued by the save.
        try diary.event { context in
            #expect(parent.number == 70 && parent.title == "mine" && child.isDeleted)
            #expect(log.all.count == 1 && changes.all.count == 1)
            try context.save()
            // Its own saves are no news.
            #expect(log.all.count == 1)
        }
        #expect(log.all.count == 1)
        diary.event { $0.automaticallyMergesChangesFromParent = false }
        rival.performAndWait { rival.refresh(theirParent, mergeChanges: false) }
        _ = try saved { _ in
            theirParent.level = 2; theirParent.setValue(71, forKey: "number")
        }
        diary.event { _ in #expect(parent.number == 70 && log.all.count == 1) }
    }

    @Test("Contexts with automatic merging follow each other's saves")
    func contextsFollowEachOther() throws {
        let contexts = (0..<3).map { _ in diary.stack.context() }
        let id = diary.event { _ in parent.objectID }
        let objects = try contexts.map { context in
            try context.performAndWait {
                context.automaticallyMergesChangesFromParent = true
                return try context.existingObject(with: id)
            }
        }
        for (round, (context, object)) in zip(contexts, objects).enumerated() {
            try context.performAndWait {
                let number = object.value(forKey: "number") as? Int ?? 0
                object.setValue(number + 10, forKey: "number")
                try context.save()
            }
            for (context, object) in zip(contexts, objects) {
                context.performAndWait {
                    #expect(object.value(forKey: "number") as? Int == 13 + round * 10)
                    #expect(!context.hasChanges)
                }
            }
        }
    }
}
