import CoreData
import Testing

/// Hooks that set transient values: the object is not dirty for it.
@Suite struct TransientHookTests {
    final class Memo: NSManagedObject {
        override func awakeFromInsert() { setPrimitiveValue("inserted", forKey: "origin") }

        override func awakeFromFetch() { setValue("fetched", forKey: "origin") }

        override func awake(fromSnapshotEvents flags: NSSnapshotEventType) {
            setValue("snapshot \(flags.rawValue)", forKey: "origin")
        }
    }

    private let folder: StoreFolder
    private let coordinator: NSPersistentStoreCoordinator

    init() throws {
        NSManagedObjectModel.register(Memo.self)
        let memo = NSEntityDescription(
            "Memo", attribute("text", .string), Library.transient("origin", .string))
        memo.managedObjectClassName = "Memo"
        folder = try StoreFolder()
        coordinator = try folder.open(NSManagedObjectModel(of: memo))
        try coordinator.inContext { context in
            let memo = try context.insert("Memo", ["text": "a"])
            #expect(memo.value(forKey: "origin") as? String == "inserted")
            #expect(memo.changedValues().keys.sorted() == ["text"])
            try context.save()
        }
    }

    @Test("A transient value set in awakeFromFetch leaves the object unchanged")
    func afterAFetch() throws {
        try coordinator.inContext { context in
            let memo = try context.only("Memo")
            #expect(memo.value(forKey: "origin") as? String == "fetched")
            #expect(!memo.hasChanges && !context.hasChanges)
        }
    }

    @Test("awakeFromFetch sets the transient value again after a refresh")
    func afterAFaultFires() throws {
        try coordinator.inContext { context in
            let memo = try context.only("Memo")
            memo.setValue("set", forKey: "origin")
            context.refresh(memo, mergeChanges: false)
            #expect(memo.value(forKey: "origin") as? String == "fetched")
            #expect(!memo.hasChanges && !context.hasChanges)
        }
    }

    @Test("A merging refresh sets the transient value by its snapshot event")
    func afterAMergingRefresh() throws {
        try coordinator.inContext { context in
            let memo = try context.only("Memo")
            _ = memo.value(forKey: "text")
            context.refresh(memo, mergeChanges: true)
            #expect(memo.value(forKey: "origin") as? String == "snapshot 32")
            #expect(!memo.hasChanges && !context.hasChanges)
        }
    }

    @Test("A rollback sets the transient value by its snapshot event")
    func afterARollback() throws {
        try coordinator.inContext { context in
            let memo = try context.only("Memo")
            memo.setValue("b", forKey: "text")
            context.rollback()
            #expect(memo.value(forKey: "origin") as? String == "snapshot 16")
            #expect(memo.value(forKey: "text") as? String == "a")
            #expect(!memo.hasChanges && !context.hasChanges)
        }
    }

    @Test("An undo sets the transient value by its snapshot event")
    func afterUndo() throws {
        try coordinator.inContext { context in
            let undoManager = UndoManager()
            undoManager.groupsByEvent = false
            context.undoManager = undoManager
            let memo = try context.only("Memo")
            undoManager.beginUndoGrouping()
            memo.setValue("b", forKey: "text")
            context.processPendingChanges()
            undoManager.endUndoGrouping()
            undoManager.undo()
            #expect(memo.value(forKey: "origin") as? String == "snapshot 8")
            #expect(memo.value(forKey: "text") as? String == "a")
        }
    }
}
