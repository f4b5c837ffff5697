import CoreData
import Testing

/// Forgetting all objects of a context.
@Suite(.onEveryStore) struct ResetTests {
    private let diary: HookStack
    private let saved: Entry

    init() throws {
        diary = try HookStack()
        saved = try diary.savedEntry("saved")
    }

    @Test("A reset removes all objects and changes from the context")
    func resetRemovesAllObjects() throws {
        try diary.event { context in
            let new = Entry(context: context)
            new.title = "new"
            let gone = Entry(context: context)
            gone.title = "gone"
            let temporary = new.objectID
            let id = saved.objectID
            saved.number = 50
            context.processPendingChanges()
            context.delete(gone)
            context.reset()
            #expect(!context.hasChanges && context.registeredObjects.isEmpty)
            #expect(context.insertedObjects.isEmpty && context.updatedObjects.isEmpty)
            #expect([new, gone, saved].allSatisfy { $0.managedObjectContext == nil && !$0.hasChanges })
            #expect(context.registeredObject(for: temporary) == nil)
            #expect(context.registeredObject(for: id) == nil)
            #expect(temporary.isTemporaryID)
            try context.save()
            let again = try #require(try context.existingObject(with: id) as? Entry)
            #expect(again !== saved && again.number == 3 && again.title == "saved")
            #expect(try context.all("Entry").count == 1)
        }
    }

    @Test("A reset discards deletions")
    func resetForgetsDeletions() throws {
        try diary.event { context in
            context.delete(saved)
            context.reset()
            try context.save()
        }
        #expect(try diary.stored("saved", \.number) == 3)
    }

    @Test("A reset removes all undo actions")
    func resetRemovesUndoActions() throws {
        diary.event { context in
            context.undoManager = UndoManager()
            saved.number = 4
        }
        diary.event { context in
            saved.number = 5
            context.reset()
            #expect(context.undoManager?.canUndo == false)
            context.undo()
            #expect(!context.hasChanges && context.registeredObjects.isEmpty)
        }
    }

    @Test("A reset posts the IDs of all objects as invalidated")
    func resetPostsInvalidation() throws {
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, from: diary.context)
        let ids = diary.event { context in
            saved.number = 4
            let ids = Set(context.registeredObjects.map(\.objectID))
            context.reset()
            return ids
        }
        #expect(log.all.count == 1)
        #expect(log.all.first?.userInfo?.keys.map { "\($0)" } == ["invalidatedAll"])
        let reported = log.all.first?.userInfo?[NSInvalidatedAllObjectsKey] as? [NSManagedObjectID]
        #expect(reported?.count == ids.count && Set(reported ?? []) == ids && !ids.isEmpty)
    }

    @Test("A context inserts, fetches and saves after a reset")
    func contextWorksAfterAReset() throws {
        try diary.event { context in
            context.reset()
            let entry = Entry(context: context)
            entry.title = "new"
            entry.parent = try context.all("Entry", where: .init(format: "title == 'saved'")).first as? Entry
            try context.save()
            #expect(entry.parent?.children == [entry])
        }
        #expect(try diary.stored("saved", \.children.count) == 1)
    }
}
