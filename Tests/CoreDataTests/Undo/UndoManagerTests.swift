import CoreData
import Testing

/// A context and its undo manager: groups, levels, names and notifications.
@Suite(.onEveryStore) struct ContextUndoManagerTests {
    private let diary: HookStack
    private let entry: Entry
    private let manager = UndoManager()

    init() throws {
        diary = try HookStack()
        entry = try diary.savedEntry("a")
        let manager = manager
        diary.event { $0.undoManager = manager }
    }

    private func set(_ number: Int) { diary.event { _ in entry.number = number } }
    private func undo() { diary.event { $0.undo() } }
    private func redo() { diary.event { $0.redo() } }
    private var number: Int { diary.event { _ in entry.number } }

    @Test("Without an undo manager undo and redo do nothing")
    func withoutAManager() throws {
        let diary = try HookStack()
        let entry = try diary.savedEntry("a")
        diary.event { context in
            #expect(context.undoManager == nil)
            entry.number = 9
            context.undo()
            context.redo()
            #expect(entry.number == 9)
        }
    }

    @Test("Events inside of an undo group are undone as one step")
    func severalEventsInAGroup() throws {
        set(10)
        diary.event { _ in manager.beginUndoGrouping() }
        set(11)
        diary.event { _ in entry.title = "b" }
        set(12)
        diary.event { _ in manager.endUndoGrouping() }
        diary.event { _ in #expect(manager.groupingLevel == 0) }
        undo()
        diary.event { _ in #expect(entry.number == 10 && entry.title == "a") }
        redo()
        diary.event { _ in #expect(entry.number == 12 && entry.title == "b") }
        undo()
        undo()
        #expect(number == 3)
    }

    @Test("An undo group inside of an event has the changes made while it was open")
    func groupsInsideOfAnEvent() throws {
        diary.event { context in
            manager.groupsByEvent = false
            manager.beginUndoGrouping()
            entry.number = 10
            manager.endUndoGrouping()
            manager.beginUndoGrouping()
            entry.number = 11
            entry.title = "b"
            manager.endUndoGrouping()
            manager.undo()
            #expect(entry.number == 10 && entry.title == "a")
            manager.undo()
            #expect(entry.number == 3)
            manager.redo()
            manager.redo()
            #expect(entry.number == 11 && entry.title == "b")
        }
    }

    @Test("The undo manager undoes the changes of the running event")
    func managerUndoesTheRunningEvent() throws {
        set(10)
        diary.event { _ in
            entry.number = 11
            manager.undo()
            #expect(entry.number == 10)
            #expect(manager.canRedo)
            manager.redo()
            #expect(entry.number == 11)
        }
    }

    @Test("A change in the running event after an undo leaves nothing to redo")
    func changeAfterUndoClearsRedo() throws {
        set(10)
        undo()
        diary.event { _ in
            entry.number = 12
            #expect(!manager.canRedo)
        }
    }

    @Test("undoNestedGroup undoes the inner group only")
    func innerGroupIsUndoneAlone() throws {
        diary.event { _ in
            manager.beginUndoGrouping()
            entry.number = 10
            manager.beginUndoGrouping()
            entry.number = 11
            manager.endUndoGrouping()
            manager.undoNestedGroup()
            #expect(entry.number == 10)
            manager.endUndoGrouping()
        }
        undo()
        #expect(number == 3)
    }

    @Test("The undo manager keeps at most levelsOfUndo steps")
    func levelsOfUndo() throws {
        diary.event { _ in manager.levelsOfUndo = 2 }
        for number in 10...13 { set(number) }
        undo()
        undo()
        #expect(number == 11)
        diary.event { _ in #expect(!manager.canUndo) }
        undo()
        #expect(number == 11)
    }

    @Test("A change made while registration is disabled is not undone")
    func unregisteredChange() throws {
        set(10)
        diary.event { context in
            context.processPendingChanges()
            manager.disableUndoRegistration()
            entry.title = "b"
            context.processPendingChanges()
            manager.enableUndoRegistration()
        }
        undo()
        diary.event { _ in #expect(entry.number == 3 && entry.title == "b") }
    }

    @Test("An undo step has the action name of its event")
    func actionName() throws {
        diary.event { _ in
            entry.number = 10
            manager.setActionName("Numbering")
        }
        diary.event { _ in #expect(manager.undoActionName == "Numbering") }
        undo()
        diary.event { _ in #expect(manager.redoActionName == "Numbering" && manager.undoActionName == "") }
    }

    @Test("Undo and redo post notifications of the manager and of the context")
    func undoAndRedoPost() throws {
        set(10)
        let log = NotificationLog(
            .NSUndoManagerWillUndoChange, .NSUndoManagerDidUndoChange, .NSUndoManagerWillRedoChange,
            .NSUndoManagerDidRedoChange, from: manager)
        let changes = NotificationLog(.NSManagedObjectContextObjectsDidChange, from: diary.context)
        undo()
        #expect(log.names == [.NSUndoManagerWillUndoChange, .NSUndoManagerDidUndoChange])
        redo()
        #expect(log.names.dropFirst(2) == [.NSUndoManagerWillRedoChange, .NSUndoManagerDidRedoChange])
        let reported = diary.event { _ in
            changes.contents(of: .NSManagedObjectContextObjectsDidChange, by: "title")
        }
        #expect(reported == [["updated": ["a"]], ["updated": ["a"]]])
        log.clear()
        undo()
        undo()
        #expect(log.names.count == 2)
    }

    @Test("An undo group is opened and closed with each event that changes something")
    func groupForEachEvent() throws {
        let log = NotificationLog(
            .NSUndoManagerDidOpenUndoGroup, .NSUndoManagerDidCloseUndoGroup, from: manager)
        set(10)
        set(11)
        #expect(
            log.names == [
                .NSUndoManagerDidOpenUndoGroup, .NSUndoManagerDidCloseUndoGroup,
                .NSUndoManagerDidOpenUndoGroup, .NSUndoManagerDidCloseUndoGroup,
            ])
        diary.event { _ in _ = entry.number }
        #expect(log.names.count == 4)
    }

    @Test("Replacing the undo manager removes the context's actions from the former one")
    func anotherManager() throws {
        set(10)
        let other = UndoManager()
        diary.event { $0.undoManager = other }
        diary.event { _ in #expect(!manager.canUndo) }
        set(11)
        diary.event { _ in #expect(other.canUndo && !manager.canUndo) }
        diary.event { $0.undoManager = nil }
        set(12)
        undo()
        #expect(number == 12)
        diary.event { _ in #expect(!other.canUndo) }
    }

    @Test("A rollback in one of two contexts that share a manager keeps the other's actions")
    func sharedManager() throws {
        let second = diary.stack.context()
        let manager = manager
        let author = try second.performAndWait {
            second.undoManager = manager
            let entry = try second.insert("Entry", ["title": "other"])
            return entry
        }
        set(10)
        second.performAndWait { second.rollback() }
        diary.event { _ in #expect(manager.canUndo && entry.number == 10) }
        second.performAndWait { #expect(author.managedObjectContext == nil) }
        undo()
        #expect(number == 3)
    }

    @Test("Merged changes are not undoable")
    func mergedChangesAreNotUndoable() throws {
        let id = diary.event { _ in entry.objectID }
        let saves = diary.stack.context()
        let log = NotificationLog(.NSManagedObjectContextDidSave, from: saves)
        try saves.performAndWait {
            let mine = try saves.existingObject(with: id)
            mine.setValue(50, forKey: "number")
            try saves.save()
        }
        let saved = try #require(log.all.first)
        diary.event { $0.mergeChanges(fromContextDidSave: saved) }
        diary.event { _ in #expect(entry.number == 50 && !manager.canUndo) }
    }
}
