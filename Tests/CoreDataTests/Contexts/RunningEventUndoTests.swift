import CoreData
import Testing

/// An undo manager whose undo is called by code other than its context, as a menu does.
@Suite struct RunningEventUndoTests {
    private let diary: HookStack
    private var context: NSManagedObjectContext { diary.context }

    init() throws {
        diary = try HookStack()
        diary.context.undoManager = UndoManager()
    }

    @Test("The undo manager undoes the changes of the running event first")
    func runningEventIsUndoneFirst() throws {
        let entry = try diary.savedEntry("saved")
        context.performAndWait { entry.title = "first" }
        context.performAndWait {
            entry.title = "second"
            context.undoManager?.undo()
            #expect(entry.title == "first")
            context.undoManager?.undo()
            #expect(entry.title == "saved")
            context.undoManager?.redo()
            context.undoManager?.redo()
            #expect(entry.title == "second")
        }
    }

    @Test("Undoing a deletion of the running event undoes its cascade")
    func cascadeOfTheRunningEventIsUndone() throws {
        let parent = try diary.savedEntry("parent")
        let child = try diary.savedEntry("child", parent: parent)
        try context.performAndWait {
            context.delete(parent)
            context.undoManager?.undo()
            #expect(!parent.isDeleted && !child.isDeleted)
            #expect(child.parent === parent)
            context.undoManager?.redo()
            #expect(parent.isDeleted && child.isDeleted)
            try context.save()
        }
        #expect(try diary.stored("child") { $0.title } == nil)
    }

    @Test("Members added by primitive accessors are undone at both ends")
    func primitiveMembersAreUndone() throws {
        let parent = try diary.savedEntry("parent")
        let child = try diary.savedEntry("child")
        context.performAndWait {
            let objects: Set<AnyHashable> = [child]
            parent.willChangeValue(forKey: "children", withSetMutation: .union, using: objects)
            parent.setPrimitiveValue(NSSet(object: child), forKey: "children")
            parent.didChangeValue(forKey: "children", withSetMutation: .union, using: objects)
            #expect(child.parent === parent && parent.children == [child])
            context.undo()
            #expect(child.parent == nil)
            #expect(parent.children == [])
            context.redo()
            #expect(child.parent === parent && parent.children == [child])
        }
    }
}
