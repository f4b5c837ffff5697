import CoreData
import Testing

/// Insertions and deletions, taken back and made again, before and after a save.
@Suite(.onEveryStore) struct UndoInsertionTests {
    private let diary: HookStack

    init() throws {
        diary = try HookStack()
        diary.event { $0.undoManager = UndoManager() }
    }

    private func undo() { diary.event { $0.undo() } }
    private func redo() { diary.event { $0.redo() } }
    private func save() throws { try diary.event { try $0.save() } }

    private func make(_ title: String, parent: Entry? = nil) -> Entry {
        diary.event { context in
            let entry = Entry(context: context)
            entry.title = title
            entry.parent = parent
            return entry
        }
    }

    private func titles() throws -> [String] {
        try diary.stack.inContext { context in
            try context.all("Entry", by: "title").map { $0.value(forKey: "title") as? String ?? "-" }
        }
    }

    @Test("An insertion can be undone and redone")
    func insertionIsUndone() throws {
        let entry = make("a")
        undo()
        diary.event { context in
            #expect(!entry.isInserted && entry.managedObjectContext == nil && !context.hasChanges)
            #expect(context.undoManager?.canUndo == false && context.undoManager?.canRedo == true)
        }
        redo()
        diary.event { context in
            #expect(entry.isInserted && entry.managedObjectContext === context && entry.title == "a")
            #expect(context.insertedObjects == [entry] && entry.objectID.isTemporaryID)
        }
        try save()
        #expect(try titles() == ["a"])
    }

    @Test("Undoing an insertion removes the object's relationships, and redo restores them")
    func relationshipsOfANewObject() throws {
        let parent = try diary.savedEntry("parent")
        diary.event { $0.undoManager?.removeAllActions() }
        let child = make("child", parent: parent)
        undo()
        diary.event { _ in #expect(parent.children.isEmpty && !parent.hasPersistentChangedValues) }
        redo()
        diary.event { _ in #expect(parent.children == [child] && child.parent === parent) }
        try save()
        #expect(try diary.stored("child", \.parent?.title) == "parent")
        undo()
        diary.event { _ in #expect(parent.children.isEmpty && child.isDeleted) }
        try save()
        #expect(try titles() == ["parent"])
    }

    @Test("Objects inserted and related in one event are redone together")
    func objectsRelatedInOneEvent() throws {
        let (parent, child) = diary.event { context in
            let parent = Entry(context: context)
            let child = Entry(context: context)
            (parent.title, child.title, child.parent) = ("parent", "child", parent)
            return (parent, child)
        }
        undo()
        diary.event { context in #expect(!context.hasChanges && context.registeredObjects.isEmpty) }
        redo()
        diary.event { _ in #expect(parent.children == [child] && child.parent === parent) }
        try save()
        let titles = try diary.stored("parent") { $0.children.map(\.title) }
        #expect(titles == ["child"])
    }

    @Test("Undoing a saved insertion deletes the object")
    func savedInsertionIsUndone() throws {
        let entry = make("a")
        try save()
        undo()
        diary.event { context in
            #expect(entry.isDeleted && context.deletedObjects == [entry] && context.hasChanges)
        }
        try save()
        #expect(try titles() == [])
        redo()
        diary.event { context in #expect(entry.isInserted && context.insertedObjects == [entry]) }
        try save()
        #expect(try titles() == ["a"])
    }

    @Test("Undoing and redoing a saved insertion leaves the object unchanged")
    func savedInsertionIsRedone() throws {
        let entry = make("a")
        try save()
        let id = diary.event { _ in entry.objectID }
        undo()
        redo()
        diary.event { context in
            #expect(!entry.isDeleted && !entry.isInserted && entry.objectID == id)
            #expect(context.deletedObjects.isEmpty && context.insertedObjects.isEmpty)
        }
        try save()
        #expect(try titles() == ["a"])
    }

    // MARK: Deletion

    @Test("Undoing a deletion restores the object with its unsaved changes")
    func deletionIsUndone() throws {
        let entry = try diary.savedEntry("a")
        diary.event { _ in entry.number = 7 }
        let id = diary.event { _ in entry.objectID }
        diary.event { $0.delete(entry) }
        undo()
        diary.event { context in
            #expect(!entry.isDeleted && entry.objectID == id && entry.number == 7 && entry.isUpdated)
            #expect(context.deletedObjects.isEmpty && context.updatedObjects == [entry])
        }
        redo()
        diary.event { context in #expect(entry.isDeleted && context.deletedObjects == [entry]) }
        undo()
        try save()
        #expect(try diary.stored("a", \.number) == 7)
    }

    @Test("Undoing a cascading deletion restores the tree with its relationships")
    func treeIsRestored() throws {
        let root = try diary.savedEntry("root")
        let parent = try diary.savedEntry("parent", parent: root)
        let child = try diary.savedEntry("child", parent: parent)
        diary.event { $0.delete(parent) }
        diary.event { _ in #expect(child.isDeleted && root.children.isEmpty) }
        undo()
        diary.event { context in
            #expect(!parent.isDeleted && !child.isDeleted && !context.hasPersistentChanges)
            #expect(root.children == [parent] && parent.children == [child])
            #expect(parent.parent === root && child.parent === parent)
        }
        redo()
        try save()
        #expect(try titles() == ["root"])
    }

    @Test("Undoing a saved deletion inserts the objects again")
    func savedDeletionIsUndone() throws {
        let root = try diary.savedEntry("root")
        let parent = try diary.savedEntry("parent", parent: root)
        let child = try diary.savedEntry("child", parent: parent)
        diary.event { _ in child.number = 8 }
        try save()
        diary.event { $0.delete(parent) }
        try save()
        #expect(try titles() == ["root"])
        undo()
        diary.event { context in
            #expect(context.insertedObjects == [parent, child] && parent.objectID.isTemporaryID)
            #expect(root.children == [parent] && child.parent === parent && child.number == 8)
        }
        try save()
        #expect(try titles() == ["child", "parent", "root"])
        let child8 = try diary.stored("child") { "\($0.number) \($0.parent?.parent?.title ?? "-")" }
        #expect(child8 == "8 root")
        redo()
        try save()
        #expect(try titles() == ["root"])
    }

    @Test("The deletion of an unsaved object can be undone and redone")
    func deletionOfAnUnsavedObject() throws {
        let entry = make("a")
        diary.event { $0.delete(entry) }
        diary.event { _ in #expect(entry.managedObjectContext == nil) }
        undo()
        diary.event { context in
            #expect(entry.isInserted && context.insertedObjects == [entry] && entry.title == "a")
        }
        undo()
        diary.event { context in #expect(!context.hasChanges && entry.managedObjectContext == nil) }
        redo()
        redo()
        diary.event { context in #expect(!context.hasChanges && entry.managedObjectContext == nil) }
        undo()
        try save()
        #expect(try titles() == ["a"])
    }
}

extension NSManagedObjectContext {
    /// Whether a save would write anything.
    fileprivate var hasPersistentChanges: Bool {
        !insertedObjects.isEmpty || !deletedObjects.isEmpty
            || updatedObjects.contains { $0.hasPersistentChangedValues }
    }
}
