import CoreData
import Testing

/// Discarding all unsaved changes.
@Suite(.onEveryStore) struct RollbackTests {
    private let diary: HookStack
    private let parent: Entry
    private let child: Entry
    private var context: NSManagedObjectContext { diary.context }

    init() throws {
        diary = try HookStack()
        parent = try diary.savedEntry("parent")
        child = try diary.savedEntry("child", parent: parent)
    }

    /// What the store has, as another context finds it.
    private func stored() throws -> [String] {
        try diary.stack.inContext { context in
            try context.all("Entry", by: "title").compactMap { $0 as? Entry }.map {
                "\($0.title ?? "-") \($0.number) \($0.parent?.title ?? "-")"
            }
        }
    }

    @Test("A rollback discards insertions, updates, deletions and transient values")
    func rollbackDiscardsChanges() throws {
        try diary.event { context in
            let new = Entry(context: context)
            new.title = "new"
            new.parent = parent
            parent.number = 50
            parent.mark = "m"
            parent.level = 1
            context.delete(child)
            context.processPendingChanges()
            let id = new.objectID
            context.rollback()

            #expect(!context.hasChanges && context.insertedObjects.isEmpty)
            #expect(context.updatedObjects.isEmpty && context.deletedObjects.isEmpty)
            #expect(new.managedObjectContext == nil && !new.isInserted && id.isTemporaryID)
            #expect(context.registeredObject(for: id) == nil)
            #expect(context.registeredObjects == [parent, child])
            #expect(parent.number == 3 && parent.mark == nil && parent.level == 9)
            #expect(!parent.hasChanges && parent.changedValues().isEmpty && !child.isDeleted)
            #expect(parent.children == [child] && child.parent === parent)
            try context.save()
        }
        #expect(try stored() == ["child 3 parent", "parent 3 -"])
    }

    @Test("A rollback discards changes of the running event")
    func rollbackDiscardsTheRunningEvent() throws {
        diary.event { context in
            let new = Entry(context: context)
            new.parent = parent
            child.parent = nil
            context.delete(parent)
            context.rollback()
            #expect(!context.hasChanges && new.managedObjectContext == nil)
            #expect(!parent.isDeleted && parent.children == [child] && child.parent === parent)
            #expect(parent.changedValuesForCurrentEvent().isEmpty)
            context.processPendingChanges()
            #expect(!context.hasChanges && !child.isDeleted)
        }
    }

    @Test("A rollback does not restore an unsaved object that was deleted")
    func deletedUnsavedObjectStaysAway() throws {
        diary.event { context in
            let new = Entry(context: context)
            context.processPendingChanges()
            context.delete(new)
            context.rollback()
            #expect(new.managedObjectContext == nil && !new.isDeleted && !new.isInserted)
        }
    }

    @Test("A rollback removes all undo actions")
    func rollbackRemovesUndoActions() throws {
        diary.event { context in
            context.undoManager = UndoManager()
            parent.number = 4
        }
        diary.event { context in
            parent.number = 5
            context.rollback()
            #expect(context.undoManager?.canUndo == false && context.undoManager?.canRedo == false)
            context.undo()
            #expect(parent.number == 3)
        }
    }

    @Test("A rollback restores the values that the context had read")
    func rollbackRestoresKnownValues() throws {
        let id = diary.event { _ in parent.objectID }
        try diary.stack.inContext { context in
            try context.existingObject(with: id).setValue(70, forKey: "number")
            try context.save()
        }
        diary.event { context in
            parent.number = 50
            context.rollback()
            // Nothing is fetched again.
            #expect(parent.number == 3)
            context.refresh(parent, mergeChanges: false)
            #expect(parent.number == 70)
        }
    }

    @Test("A rollback posts its changes once")
    func rollbackPostsOnce() throws {
        diary.event { context in
            let new = Entry(context: context)
            new.title = "new"
            parent.number = 50
            context.delete(child)
            context.processPendingChanges()
        }
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, from: context)
        diary.event { $0.rollback() }
        diary.event { _ in
            let reported = log.contents(of: .NSManagedObjectContextObjectsDidChange, by: "title")
            #expect(reported == [["inserted": ["child"], "updated": ["parent"], "deleted": ["new"]]])
        }
        log.clear()
        diary.event { $0.rollback() }
        #expect(log.all.isEmpty)
    }

    @Test("A rollback posts nothing about changes that were not posted before")
    func rollbackOfUnprocessedChanges() throws {
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, from: context)
        diary.event { context in
            _ = Entry(context: context)
            context.delete(child)
            context.rollback()
        }
        diary.event { _ in
            let reported = log.contents(of: .NSManagedObjectContextObjectsDidChange, by: "title")
            #expect(reported.allSatisfy { $0["inserted"] == nil && $0["deleted"] == nil }, "\(reported)")
        }
    }

    @Test("A context changes, inserts and saves after a rollback")
    func contextWorksAfterARollback() throws {
        try diary.event { context in
            parent.number = 50
            context.rollback()
            parent.number = 51
            let new = Entry(context: context)
            new.title = "new"
            new.parent = parent
            try context.save()
        }
        #expect(try stored() == ["child 3 parent", "new 3 parent", "parent 51 -"])
    }

    /// There is no notification for a restored object that others have deleted.
    @Test("A rollback does not post an object deleted by a merge as inserted")
    func mergedDeletionIsNotInserted() throws {
        let notification = try diary.stack.saved { context in
            context.delete(try #require(try context.all("Entry", by: "title").first))
        }
        diary.event { context in
            context.mergeChanges(fromContextDidSave: notification)
            #expect(context.deletedObjects == [child])
            let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, from: context)
            context.rollback()
            let reported = log.all.compactMap { $0.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject> }
            #expect(reported.allSatisfy(\.isEmpty) && context.deletedObjects.isEmpty)
        }
    }

    @Test("A rollback still posts objects refreshed in the running event")
    func refreshIsStillPosted() throws {
        try diary.stack.inContext { other in
            try #require(try other.all("Entry", by: "title").last).setValue(8, forKey: "number")
            try other.save()
        }
        diary.event { context in
            let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, from: context)
            context.refresh(parent, mergeChanges: true)
            context.rollback()
            let reported = log.all.compactMap { $0.userInfo?[NSRefreshedObjectsKey] as? Set<NSManagedObject> }
            #expect(reported == [[parent]] && parent.number == 8)
        }
    }
}
