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
