import CoreData
import RemoteChangeWriter
import Testing

/// Which changes contexts merge, and when.
extension RemoteChangeTests {
    private static var tracking: [String: NSObject] {
        [NSPersistentHistoryTrackingKey: NSNumber(value: true)]
    }

    private func mergingContext(_ container: NSPersistentContainer) -> NSManagedObjectContext {
        let context = container.newBackgroundContext()
        context.automaticallyMergesChangesFromParent = true
        return context
    }

    /// The identities under a key of notifications, of each as often as it is there.
    private func ids(_ notes: [[AnyHashable: Any]], _ key: String) -> [URL] {
        notes.flatMap { $0[key] as? Set<NSManagedObjectID> ?? [] }.map { $0.uriRepresentation() }
    }

    @Test("A save is merged once when another coordinator saves before it is announced")
    func ownSavesAreMergedOnce() throws {
        let folder = try TestFolder()
        let container = try open(folder, Self.tracking)
        let second = try open(folder, Self.tracking)
        let saving = mergingContext(container)
        let following = mergingContext(container)
        container.persistentStoreCoordinator.automaticallyMergesRemoteChanges = true
        let merged = Received(.NSManagedObjectContextDidMergeChangesObjectIDs, from: following)
        let mergedBySaver = Received(.NSManagedObjectContextDidMergeChangesObjectIDs, from: saving)
        let observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: saving, queue: nil
        ) { _ in
            // The store has the save, and no context has merged it. What the other coordinator saves now is merged before.
            #expect(throws: Never.self) { try insert("Second", second) }
            #expect(merged.waitForOne() != nil)
        }
        let own = try saving.performAndWait {
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: saving)
            note.setValue("First", forKey: "text")
            try saving.save()
            return note.objectID.uriRepresentation()
        }
        NotificationCenter.default.removeObserver(observer)
        try insert("Third", second)
        let key = NSInsertedObjectIDsKey
        #expect(merged.wait { Set(ids($0, key)).count == 3 })
        #expect(ids(merged.all, key).count == 3)
        #expect(mergedBySaver.wait { Set(ids($0, key)).subtracting([own]).count == 2 })
        #expect(!ids(mergedBySaver.all, key).contains(own))
    }

    @Test(
        "Saves of others are merged after a store has another file, with a shorter history",
        arguments: ["replaced", "another URL"])
    func otherFilesAreFollowed(_ way: String) throws {
        let folder = try TestFolder()
        let backup = try TestFolder()
        do {
            let container = try open(backup, Self.tracking)
            try insert("Old", container)
            let store = try #require(container.persistentStoreCoordinator.persistentStores.first)
            try container.persistentStoreCoordinator.remove(store)
        }
        let container = try open(folder, Self.tracking)
        let coordinator = container.persistentStoreCoordinator
        let context = mergingContext(container)
        coordinator.automaticallyMergesRemoteChanges = true
        for text in ["a", "b", "c", "d", "e"] { try insert(text, container) }
        let file: URL
        if way == "replaced" {
            try coordinator.replacePersistentStore(
                at: folder.store, withPersistentStoreFrom: backup.store, type: .sqlite)
            file = folder.store
        } else {
            // By the store itself, of which its coordinator hears nothing.
            try #require(coordinator.persistentStores.first).url = backup.store
            file = backup.store
        }
        context.performAndWait {}
        let merged = Received(.NSManagedObjectContextDidMergeChangesObjectIDs, from: context)
        let other = try OtherProcess(file)
        try other("insert New 1")
        let note = try #require(merged.waitForOne())
        #expect((note[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID>)?.count == 1)
        // And what this coordinator saves is not merged as if others had.
        try insert("own", container)
        try other("insert Newer 1")
        #expect(merged.wait { Set(ids($0, NSInsertedObjectIDsKey)).count == 3 })
        #expect(ids(merged.all, NSInsertedObjectIDsKey).count == 3)
    }
}

/// What a child merges while its parent's queue waits for it.
extension RemoteChangeTests {
    /// What a block on another queue has found out.
    private final class Finding: @unchecked Sendable {
        private let lock = NSLock()
        private var isGood = true
        private let isThere = DispatchSemaphore(value: 0)

        func note(_ isGood: Bool) {
            lock.withLock { self.isGood = self.isGood && isGood }
            isThere.signal()
        }

        /// Whether all was good; false when there is nothing in time.
        func wait() -> Bool { isThere.wait(timeout: .now() + 900) == .success && lock.withLock { isGood } }
    }

    /// How others change the only note, and what a child finds then.
    enum ForeignChange: String, CaseIterable {
        case update, deletion
        /// An update of a store without history, while the child has a change of its own.
        case anything
    }

    private func change(_ kind: ForeignChange, _ container: NSPersistentContainer) throws {
        let context = container.newBackgroundContext()
        try context.performAndWait {
            let note = try only(context)
            if kind == .deletion { context.delete(note) } else { note.setValue("Second", forKey: "text") }
            try context.save()
        }
    }

    private func only(_ context: NSManagedObjectContext) throws -> NSManagedObject {
        let found = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
        #expect(found.count == 1)
        let note = try #require(found.first)
        #expect(note.value(forKey: "text") != nil)
        return note
    }

    @Test(
        "A child merges changes of others while its parent's queue waits for it",
        arguments: ForeignChange.allCases)
    func childrenDoNotWait(_ kind: ForeignChange) throws {
        let folder = try TestFolder()
        let options = kind == .anything ? [:] : Self.tracking
        let container = try open(folder, options)
        let second = try open(folder, options)
        try insert("First", container)
        let parent = mergingContext(container)
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        child.automaticallyMergesChangesFromParent = true
        let above = try parent.performAndWait { Transferred(try only(parent)) }
        let note = try child.performAndWait {
            let note = try only(child)
            if kind == .anything { note.setValue("mine", forKey: "text") }
            return Transferred(note)
        }
        let changed = Received(.NSManagedObjectContextObjectsDidChange, from: child)
        let finding = Finding()
        // Comes to the parent's queue next after its own merge, when the child is about to merge.
        let observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: parent, queue: nil
        ) { _ in
            parent.perform {
                let isReached = DispatchSemaphore(value: 0)
                child.perform { isReached.signal() }
                finding.note(isReached.wait(timeout: .now() + 300) == .success)
            }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        container.persistentStoreCoordinator.automaticallyMergesRemoteChanges = true
        try change(kind, second)
        #expect(finding.wait())
        let isMerged = changed.wait { _ in
            child.performAndWait {
                switch kind {
                case .update: return note.value.value(forKey: "text") as? String == "Second"
                case .deletion: return note.value.isDeleted
                case .anything:
                    let stored = note.value.committedValues(forKeys: ["text"])["text"]
                    return stored as? String == "Second"
                        && note.value.value(forKey: "text") as? String == "mine"
                }
            }
        }
        #expect(isMerged)
        _ = above
    }

    @Test("A child merges what another child of its parent saves while the parent's queue waits for it")
    func siblingsDoNotWait() throws {
        let folder = try TestFolder()
        let container = try open(folder, [:])
        try insert("First", container)
        let parent = container.newBackgroundContext()
        let children = (0..<2).map { _ in
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = parent
            child.automaticallyMergesChangesFromParent = true
            return child
        }
        let (saving, following) = (children[0], children[1])
        let note = try following.performAndWait { Transferred(try only(following)) }
        let finding = Finding()
        let isSaved = DispatchSemaphore(value: 0)
        // The parent has the changes, and its queue is free; the other child has not heard of them.
        let observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: saving, queue: nil
        ) { _ in
            parent.perform {
                _ = isSaved.wait(timeout: .now() + 300)
                let isReached = DispatchSemaphore(value: 0)
                following.perform { isReached.signal() }
                finding.note(isReached.wait(timeout: .now() + 300) == .success)
            }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        try saving.performAndWait {
            try only(saving).setValue("Second", forKey: "text")
            try saving.save()
        }
        isSaved.signal()
        #expect(finding.wait())
        following.performAndWait { #expect(note.value.value(forKey: "text") as? String == "Second") }
    }
}
