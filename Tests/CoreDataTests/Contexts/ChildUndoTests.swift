import CoreData
import Foundation
import Testing

/// Undoing in a parent and in its child.
@Suite(.onEveryStore) struct ChildUndoTests {
    let family: ContextFamily
    private var root: NSManagedObjectContext { family.root }
    private var child: NSManagedObjectContext { family.child }

    init() throws {
        family = try ContextFamily()
        try family.root.event { root throws in
            root.insertBook("A").pages = 1
            root.insertBook("B").pages = 2
            try root.save()
            root.undoManager = UndoManager()
        }
        try family.child.event { $0.undoManager = UndoManager() }
    }

    /// One save of a new, a changed and a deleted book.
    private func saveChanges() throws {
        try child.event { child throws in
            child.insertBook("C").pages = 3
            try child.book("A").pages = 10
            child.delete(try child.book("B"))
            try child.save()
        }
    }

    private func contents(_ context: NSManagedObjectContext) throws -> [String] {
        try context.event { context throws in
            try context.fetch(.books(by: "title")).map { "\($0.title ?? "nil")\($0.pages)" }
        }
    }

    @Test("A parent undoes and redoes its child's save as one change")
    func parentUndoesAChildSave() throws {
        try saveChanges()
        #expect(try contents(root) == ["A10", "C3"])
        try root.event { $0.undo() }
        #expect(try contents(root) == ["A1", "B2"])
        try root.event { root throws in
            #expect(root.insertedObjects.isEmpty && root.deletedObjects.isEmpty)
            #expect(root.updatedObjects.allSatisfy { !$0.hasPersistentChangedValues })
            root.redo()
        }
        #expect(try contents(root) == ["A10", "C3"])
        try root.saveAndWait()
        #expect(try family.storedTitles() == ["A", "C"])
    }

    @Test("A new child does not see changes that its parent has undone")
    func undoneChangesAreGoneForNewChildren() throws {
        try saveChanges()
        try root.event { $0.undo() }
        let reader = ContextFamily.child(of: root)
        #expect(try contents(reader) == ["A1", "B2"])
    }

    @Test("A child can undo changes that it saved to its parent")
    func childUndoesWhatItSaved() throws {
        try saveChanges()
        try child.event { child throws in
            while child.undoManager?.canUndo ?? false { child.undo() }
        }
        #expect(try contents(child) == ["A1", "B2"])
        #expect(try contents(root) == ["A10", "C3"])
        try child.saveAndWait()
        #expect(try contents(root) == ["A1", "B2"])
        try root.saveAndWait()
        try family.stack.inContext { context throws in
            #expect(try context.fetch(.books(by: "title")).map(\.pages) == [1, 2])
        }
    }

    @Test("A rollback in a child restores the parent's values")
    func childRollbackKeepsTheParent() throws {
        try saveChanges()
        try child.event { child throws in
            try child.book("A").pages = 99
            child.delete(try child.book("C"))
            child.insertBook("D")
            child.rollback()
        }
        #expect(try contents(child) == ["A10", "C3"])
        #expect(try contents(root) == ["A10", "C3"])
    }

    @Test("A rollback in the parent discards changes that the child saved")
    func parentRollbackDiscardsChildSave() throws {
        try saveChanges()
        try root.event { $0.rollback() }
        #expect(try contents(root) == ["A1", "B2"])
        try child.event { child throws in
            // What the child has loaded is refreshed like any other object.
            child.refreshAllObjects()
        }
        #expect(try contents(child) == ["A1", "B2"])
    }

    @Test("Resetting a child leaves its parent alone")
    func resetLeavesTheOtherContext() throws {
        let book = try child.event { try $0.book("A") }
        try saveChanges()
        try child.event { child throws in
            child.reset()
            #expect(book.managedObjectContext == nil && child.registeredObjects.isEmpty)
        }
        #expect(try contents(root) == ["A10", "C3"])
        #expect(try contents(child) == ["A10", "C3"])
        try root.event { $0.reset() }
        try child.event { $0.refreshAllObjects() }
        #expect(try contents(child) == ["A1", "B2"])
    }
}
