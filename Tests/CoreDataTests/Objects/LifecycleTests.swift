import CoreData
import Foundation
import Testing

/// Which hooks are called when, and what may be done in them.
@Suite(.onEveryStore) struct LifecycleTests {
    let diary: HookStack
    var context: NSManagedObjectContext { diary.context }
    var hooks: Hooks { diary.hooks }

    init() throws { diary = try HookStack() }

    private func fetchAll(_ context: NSManagedObjectContext) throws -> [Entry] {
        let request = NSFetchRequest<Entry>(entityName: "Entry")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        return try context.fetch(request)
    }

    // MARK: Insertion

    @Test("awakeFromInsert is called once, after the default values")
    func awakeFromInsertComesOnce() {
        hooks.onAwakeFromInsert = { entry in
            #expect(entry.number == 3 && entry.level == 9)
            #expect(entry.isInserted && entry.managedObjectContext != nil)
        }
        diary.event { context in
            _ = Entry(context: context)
            #expect(hooks.take() == ["awakeFromInsert"])
        }
    }

    @Test("Undo and redo of an insertion call awake(fromSnapshotEvents:) instead of awakeFromInsert")
    func awakeFromInsertAndUndo() {
        diary.event { $0.undoManager = UndoManager() }
        let entry = diary.event { Entry(context: $0) }
        #expect(hooks.take() == ["awakeFromInsert"])
        diary.event { $0.undo() }
        #expect(hooks.take() == ["awake(2) -"])
        diary.event { $0.redo() }
        #expect(hooks.take() == ["awake(4) -"])
        diary.event { _ in #expect(entry.isInserted) }
    }

    @Test("An object made without a context awakes when it is inserted")
    func insertedLater() throws {
        try diary.event { context in
            let entity = try #require(NSEntityDescription.entity(forEntityName: "Entry", in: context))
            let entry = Entry(entity: entity, insertInto: nil)
            #expect(hooks.take().isEmpty)
            entry.title = "free"
            #expect(entry.number == 3 && !entry.isInserted && entry.managedObjectContext == nil)
            context.insert(entry)
            #expect(hooks.take() == ["awakeFromInsert"])
            #expect(entry.isInserted && entry.title == "free")
            try context.save()
            #expect(entry.objectID.isTemporaryID == false)
        }
        let isStored = try diary.stored("free") { _ in true }
        #expect(isStored == true)
    }

    @Test("Values set in awakeFromInsert are undone only with the insertion")
    func awakeValuesAreNotUndone() throws {
        hooks.onAwakeFromInsert = { $0.title = "from awake" }
        diary.event { $0.undoManager = UndoManager() }
        let entry = diary.event { Entry(context: $0) }
        diary.event { _ in entry.number = 5 }
        diary.event { context in
            context.undo()
            #expect(entry.number == 3 && entry.title == "from awake" && entry.isInserted)
            context.undo()
            #expect(!entry.isInserted && context.insertedObjects.isEmpty)
        }
    }

    // MARK: Fetching

    @Test("awakeFromFetch is called once, when values are loaded")
    func awakeFromFetch() throws {
        _ = try diary.savedEntry("a")
        diary.event { $0.reset() }
        _ = hooks.take()
        try diary.event { context in
            let entry = try #require(try fetchAll(context).first)
            #expect(hooks.take().isEmpty && entry.isFault)
            #expect(entry.title == "a")
            #expect(hooks.take() == ["awakeFromFetch a"])
            _ = entry.number
            #expect(hooks.take().isEmpty)
        }
    }

    @Test("Setters in awakeFromFetch mark no changes")
    func settersInAwakeFromFetch() throws {
        let parent = try diary.savedEntry("parent")
        _ = try diary.savedEntry("entry")
        diary.event { context in context.reset() }
        hooks.onAwakeFromFetch = { entry in
            guard entry[primitive: Entry.titleKey] == "entry" else { return }
            entry.mark = "computed"
            entry.number = 11
            entry.parent = entry.managedObjectContext?.object(with: parent.objectID) as? Entry
        }
        let objectID = parent.objectID
        try diary.event { context in
            let entry = try #require(try fetchAll(context).first { $0.title == "entry" })
            #expect(entry.mark == "computed" && entry.number == 11)
            #expect(!entry.hasChanges && !entry.isUpdated && !context.hasChanges)
            // The other end is left alone.
            let parent = try #require(try context.existingObject(with: objectID) as? Entry)
            #expect(parent.children.isEmpty && !parent.hasChanges)
        }
    }

    // MARK: Faulting

    @Test("A refresh calls willTurnIntoFault and didTurnIntoFault")
    func refreshCallsFaultHooks() throws {
        let entry = try diary.savedEntry("a")
        diary.event { _ in entry.mark = "m" }
        hooks.onWillTurnIntoFault = { #expect($0.mark == "m" && $0.title == "a" && !$0.isFault) }
        hooks.onDidTurnIntoFault = { entry in
            #expect(entry.isFault)
            #expect(entry.managedObjectContext != nil)
        }
        _ = hooks.take()
        diary.event { context in
            context.refresh(entry, mergeChanges: false)
            #expect(hooks.take() == ["willTurnIntoFault a", "didTurnIntoFault"])
            // A fault does not become one again.
            context.refresh(entry, mergeChanges: false)
            #expect(hooks.take().isEmpty)
            #expect(entry.mark == nil)
            hooks.onWillTurnIntoFault = nil
            hooks.onDidTurnIntoFault = nil
        }
    }

    @Test("A reset calls both faulting hooks")
    func resetCallsFaultHooks() throws {
        let entry = try diary.savedEntry("a")
        _ = hooks.take()
        diary.event { $0.reset() }
        #expect(hooks.take() == ["willTurnIntoFault a", "didTurnIntoFault"])
        #expect(entry.managedObjectContext == nil)
    }

    @Test("Releasing a loaded object calls both faulting hooks once")
    func releaseCallsFaultHooks() throws {
        var entry: Entry? = try diary.savedEntry("a")
        #expect(entry != nil)
        _ = hooks.take()
        entry = nil
        #expect(hooks.take() == ["willTurnIntoFault a", "didTurnIntoFault"])
        // A fault has no values to report.
        entry = try diary.event { try fetchAll($0).first }
        #expect(entry?.isFault == true)
        entry = nil
        #expect(hooks.take().isEmpty)
    }

    @Test("Releasing a context calls both faulting hooks of its objects once")
    func contextReleaseCallsFaultHooks() throws {
        let stack = try TestStack(HookModel.model())
        let hooks = Hooks()
        var entry: Entry?
        do {
            let context = stack.context()
            context.userInfo["hooks"] = hooks
            context.performAndWait {
                entry = Entry(context: context)
                entry?.title = "a"
            }
            _ = hooks.take()
        }
        #expect(hooks.take() == ["willTurnIntoFault a", "didTurnIntoFault"])
        entry = nil
        #expect(hooks.take().isEmpty)
    }

    // MARK: Deletion

    @Test("prepareForDeletion is called before delete rules and with every call of delete")
    func prepareForDeletion() throws {
        let parent = try diary.savedEntry("parent")
        let child = try diary.savedEntry("child", parent: parent)
        hooks.onPrepareForDeletion = { entry in
            if entry === parent {
                #expect(entry.children == [child])
            }
        }
        _ = hooks.take()
        diary.event { context in
            context.delete(parent)
            #expect(hooks.take() == ["prepareForDeletion parent"])
            context.delete(parent)
            #expect(hooks.take() == ["prepareForDeletion parent"])
            context.processPendingChanges()
            #expect(hooks.take() == ["prepareForDeletion child"])
            #expect(child.isDeleted && parent.isDeleted)
        }
    }

    // MARK: Saving

    @Test("Inserted, updated and deleted objects get willSave and didSave")
    func saveHooks() throws {
        let updated = try diary.savedEntry("updated")
        let deleted = try diary.savedEntry("deleted")
        let untouched = try diary.savedEntry("untouched")
        _ = hooks.take()
        try diary.event { context in
            updated.number = 1
            context.delete(deleted)
            let inserted = Entry(context: context)
            inserted.title = "inserted"
            _ = hooks.take()
            hooks.onWillSave = { #expect($0.isInserted || $0.isUpdated || $0.isDeleted) }
            hooks.onDidSave = { #expect(!$0.hasChanges && !$0.objectID.isTemporaryID) }
            try context.save()
            #expect(!inserted.hasChanges)
        }
        let noted = hooks.take().filter { $0.contains("Save") }
        #expect(Set(noted.prefix(3)) == ["willSave inserted", "willSave updated", "willSave deleted"])
        #expect(Set(noted.suffix(3)) == ["didSave inserted", "didSave updated", "didSave deleted"])
        #expect(noted.count == 6)
        diary.event { _ in #expect(untouched.title == "untouched") }
    }

    @Test("Changes in willSave are saved")
    func changesInWillSave() throws {
        hooks.onWillSave = { entry in
            if entry.number < 6 { entry.number += 1 }
        }
        let entry = try diary.savedEntry("a")
        #expect(hooks.take().filter { $0 == "willSave a" }.count == 4)
        diary.event { context in
            #expect(entry.number == 6 && !context.hasChanges)
        }
        #expect(try diary.stored("a", \.number) == 6)
    }

    @Test("Objects inserted and deleted in willSave are saved")
    func objectsMadeInWillSave() throws {
        let old = try diary.savedEntry("old")
        _ = try diary.savedEntry("child of old", parent: old)
        let entry = try diary.savedEntry("a")
        _ = hooks.take()
        hooks.onWillSave = { object in
            guard object === entry, let context = object.managedObjectContext, !old.isDeleted else { return }
            Entry(context: context).title = "made"
            context.delete(old)
        }
        try diary.event { context in
            entry.number = 1
            try context.save()
            #expect(!context.hasChanges)
        }
        let noted = hooks.take()
        for title in ["a", "made", "old", "child of old"] {
            #expect(noted.contains("willSave \(title)"), "\(title)")
            #expect(noted.contains("didSave \(title)"), "\(title)")
        }
        let titles = try diary.stack.inContext { try fetchAll($0).map(\.title) }
        #expect(titles == ["a", "made"])
    }

    @Test("Primitive setters in willSave are saved without another round")
    func primitiveSettersInWillSave() throws {
        let entry = try diary.savedEntry("a")
        _ = hooks.take()
        hooks.onWillSave = { $0.setPrimitiveValue(99, forKey: "number") }
        try diary.event { context in
            entry.title = "b"
            try context.save()
        }
        #expect(hooks.take() == ["willSave b", "didSave b"])
        #expect(try diary.stored("b", \.number) == 99)
    }

    @Test("Objects that delete each other are prepared for deletion once")
    func objectsThatDeleteEachOther() throws {
        let (a, b) = (try diary.savedEntry("a"), try diary.savedEntry("b"))
        diary.hooks.onPrepareForDeletion = { entry in
            entry.managedObjectContext?.delete(entry === a ? b : a)
        }
        try diary.event { context in
            _ = diary.hooks.take()
            context.delete(a)
            #expect(diary.hooks.take() == ["prepareForDeletion a", "prepareForDeletion b"])
            #expect(a.isDeleted && b.isDeleted)
            try context.save()
        }
        diary.hooks.onPrepareForDeletion = nil
        #expect(try diary.stack.inContext { try $0.all("Entry").isEmpty })
    }

    @Test("Endless changes in willSave fail the save and lose nothing")
    func endlessChangesInWillSave() throws {
        let entry = try diary.savedEntry("a")
        hooks.onWillSave = { $0.number += 1 }
        try diary.event { context in
            entry.title = "b"
            let error = #expect(throws: NSError.self) { try context.save() }
            #expect(error?.localizedDescription.contains("still dirty after 1000 attempts") ?? false)
            #expect(error?.localizedDescription.contains("Entry") ?? false)
            // Nothing is lost, and a save without the endless changes succeeds.
            hooks.onWillSave = nil
            #expect(entry.title == "b" && context.hasChanges)
            try context.save()
            #expect(!context.hasChanges)
        }
        #expect(try diary.stored("b", \.title) == "b")
    }

    @Test("Changes in didSave leave the context with changes")
    func changesInDidSave() throws {
        let entry = try diary.savedEntry("a")
        hooks.onDidSave = { if $0.number < 100 { $0.number = 100 } }
        try diary.event { context in
            entry.title = "b"
            try context.save()
            #expect(context.hasChanges && entry.isUpdated && context.updatedObjects == [entry])
        }
        #expect(try diary.stored("b", \.number) == 3)
        try diary.event { try $0.save() }
        #expect(try diary.stored("b", \.number) == 100)
    }

    @Test("A deleted object has its values and context in didSave and no context afterwards")
    func deletedObjectInDidSave() throws {
        let entry = try diary.savedEntry("a")
        hooks.onDidSave = { entry in
            #expect(entry.managedObjectContext != nil && entry.isDeleted)
            #expect(entry.title == "a")
        }
        try diary.event { context in
            context.delete(entry)
            try context.save()
            #expect(entry.managedObjectContext == nil && !entry.isDeleted)
            #expect(entry.title == "a")
        }
    }

    @Test("Changes of a deleted object in didSave are not saved")
    func changesOfADeletedObjectInDidSave() throws {
        let (entry, other) = (try diary.savedEntry("a"), try diary.savedEntry("b"))
        hooks.onDidSave = { saved in
            guard saved.isDeleted else { return }
            saved.title = "gone"
            saved.managedObjectContext?.processPendingChanges()
            other.number = 7
        }
        try diary.event { context in
            context.delete(entry)
            try context.save()
            #expect(context.updatedObjects == [other] && entry.title == "gone")
            try context.save()
            #expect(!context.hasChanges)
        }
        #expect(try diary.stored("b", \.number) == 7)
        #expect(try diary.stored("gone", \.number) == nil)
    }

    // MARK: Snapshots

    @Test("awake(fromSnapshotEvents:) receives the reason of each snapshot")
    func awakeFromSnapshot() throws {
        diary.event { $0.undoManager = UndoManager() }
        let entry = try diary.savedEntry("a")
        diary.event { $0.undoManager?.removeAllActions() }
        diary.event { _ in entry.number = 4 }
        _ = hooks.take()
        diary.event { $0.undo() }
        #expect(hooks.take() == ["awake(8) a"])
        diary.event { $0.redo() }
        #expect(hooks.take() == ["awake(8) a"])
        diary.event { $0.rollback() }
        #expect(hooks.take() == ["awake(16) a"])
        diary.event { $0.delete(entry) }
        _ = hooks.take()
        diary.event { $0.undo() }
        #expect(hooks.take() == ["awake(4) a"])
        diary.event { $0.refresh(entry, mergeChanges: true) }
        #expect(hooks.take() == ["awake(32) a"])
    }

    @Test("A rollback leaves no changes")
    func rollbackLeavesNoChanges() throws {
        let entry = try diary.savedEntry("a")
        diary.event { context in
            entry.number = 4
            context.rollback()
            #expect(!context.hasChanges && entry.number == 3)
        }
    }
}
