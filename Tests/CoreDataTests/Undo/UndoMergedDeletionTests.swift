import CoreData
import Testing

/// An object that was deleted here, and by another context that was merged: what brings it back makes it a new one.
@Suite(.onEveryStore) struct UndoMergedDeletionTests {
    private let diary: HookStack
    private let entry: Entry

    init() throws {
        diary = try HookStack()
        entry = try diary.savedEntry("a")
        diary.event { context in
            context.undoManager = UndoManager()
            entry.number = 5
        }
        try diary.event { context in
            try context.save()
            context.undoManager?.removeAllActions()
        }
    }

    private func deleteElsewhere() throws {
        let notification = try diary.stack.saved { $0.delete(try $0.only("Entry")) }
        diary.event { $0.mergeChanges(fromContextDidSave: notification) }
    }

    private func stored() throws -> [String] {
        try diary.stack.inContext { context in
            try context.all("Entry", by: "title").map {
                "\($0.value(forKey: "title") ?? "-") \($0.value(forKey: "number") ?? "-")"
            }
        }
    }

    /// It is new, and from then on an object as any other.
    private func expectItIsNew() throws {
        try diary.event { context in
            #expect(entry.isInserted && !entry.isDeleted && context.insertedObjects == [entry])
            #expect(entry.title == "a" && entry.number == 5)
            try context.save()
        }
        #expect(try stored() == ["a 5"])
        try diary.event { context in
            #expect(try context.existingObject(with: entry.objectID) === entry)
            context.delete(entry)
            try context.save()
        }
        #expect(try stored().isEmpty)
    }

    @Test("Undo after a save inserts an object that another context deleted too")
    func undoneAfterASave() throws {
        diary.event { $0.delete(entry) }
        try deleteElsewhere()
        try diary.event { try $0.save() }
        diary.event { $0.undo() }
        try expectItIsNew()
    }

    @Test("Undo before a save inserts an object that another context deleted too")
    func undoneBeforeASave() throws {
        diary.event { $0.delete(entry) }
        try deleteElsewhere()
        diary.event { $0.undo() }
        try expectItIsNew()
    }

    @Test("Inserting an object deleted by a merge makes it a new object")
    func insertedAgain() throws {
        try deleteElsewhere()
        diary.event { context in
            #expect(entry.isDeleted)
            context.insert(entry)
        }
        try expectItIsNew()
    }
}
