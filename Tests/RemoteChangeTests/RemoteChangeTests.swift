import CoreData
import RemoteChangeWriter
import Testing

/// What coordinators learn of changes that others make to their stores.
@Suite(.serialized) struct RemoteChangeTests {
    static var posting: [String: NSObject] {
        [
            NSPersistentHistoryTrackingKey: NSNumber(value: true),
            NSPersistentStoreRemoteChangeNotificationPostOptionKey: NSNumber(value: true),
        ]
    }

    func open(
        _ folder: TestFolder, _ options: [String: NSObject] = posting
    ) throws -> NSPersistentContainer {
        try RemoteChangeWriter.container(folder.store, options: options)
    }

    func insert(_ text: String, _ container: NSPersistentContainer) throws {
        let context = container.newBackgroundContext()
        try context.performAndWait {
            NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                .setValue(text, forKey: "text")
            try context.save()
        }
    }

    /// Gives all notes a text.
    private func update(_ text: String, _ container: NSPersistentContainer) throws {
        let context = container.newBackgroundContext()
        try context.performAndWait {
            for note in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note")) {
                note.setValue(text, forKey: "text")
            }
            try context.save()
        }
    }

    @Test("A save of another process is posted with the store and its token")
    func savesOfOtherProcessesArePosted() throws {
        let folder = try TestFolder()
        let container = try open(folder)
        let coordinator = container.persistentStoreCoordinator
        let store = try #require(coordinator.persistentStores.first)
        let other = try OtherProcess(folder.store)
        let before = try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
        let received = Received(.NSPersistentStoreRemoteChange, from: coordinator)
        try other("insert Hello 1")
        let note = try #require(received.waitForOne())
        #expect(note[NSStoreUUIDKey] as? String == store.identifier)
        #expect(note[NSPersistentStoreURLKey] as? URL == store.url)
        let token = try #require(note[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken)
        #expect(token != before)
        let context = container.newBackgroundContext()
        try context.performAndWait {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: before)
            let result = try context.execute(request) as? NSPersistentHistoryResult
            let transactions = try #require(result?.result as? [NSPersistentHistoryTransaction])
            #expect(transactions.map(\.token) == [token])
        }
    }

    @Test("A batch request of another process is posted")
    func batchRequestsOfOtherProcessesArePosted() throws {
        let folder = try TestFolder()
        let container = try open(folder)
        let received = Received(.NSPersistentStoreRemoteChange, from: container.persistentStoreCoordinator)
        let other = try OtherProcess(folder.store)
        let count = received.all.count
        try other("batch Hello")
        #expect(received.waitForOne(after: count) != nil)
    }

    @Test("A migration by another process is posted")
    func migrationsOfOtherProcessesArePosted() throws {
        let folder = try TestFolder()
        // A store with a log is not migrated while others have it open.
        var options = Self.posting
        options[NSSQLitePragmasOption] = NSDictionary(dictionary: ["journal_mode": "DELETE"])
        let container = try open(folder, options)
        try insert("Hello", container)
        let received = Received(.NSPersistentStoreRemoteChange, from: container.persistentStoreCoordinator)
        _ = try OtherProcess(folder.store, version: 2)
        #expect(received.waitForOne() != nil)
    }

    @Test("Changes of a store with a rollback journal and without history are posted")
    func otherStoresAreFollowed() throws {
        let folder = try TestFolder()
        let options: [String: NSObject] = [
            NSPersistentStoreRemoteChangeNotificationPostOptionKey: NSNumber(value: true),
            NSSQLitePragmasOption: NSDictionary(dictionary: ["journal_mode": "DELETE"]),
        ]
        let container = try open(folder, options)
        let second = try open(folder, options)
        let received = Received(.NSPersistentStoreRemoteChange, from: container.persistentStoreCoordinator)
        try insert("Hello", second)
        let note = try #require(received.waitForOne())
        #expect(note[NSPersistentHistoryTokenKey] == nil)
    }

    @Test(
        "Changes of others are posted for a store that is only read, whatever its journal, and with or without history",
        arguments: ["WAL", "DELETE"], [true, false])
    func readOnlyStoresAreFollowed(_ journalMode: String, _ hasHistory: Bool) throws {
        let folder = try TestFolder()
        var options: [String: NSObject] = [
            NSSQLitePragmasOption: NSDictionary(dictionary: ["journal_mode": journalMode])
        ]
        options[NSPersistentHistoryTrackingKey] = hasHistory ? NSNumber(value: true) : nil
        let writer = try open(folder, options)
        try insert("First", writer)
        let reader = try open(
            folder,
            [
                NSReadOnlyPersistentStoreOption: NSNumber(value: true),
                NSPersistentStoreRemoteChangeNotificationPostOptionKey: NSNumber(value: true),
            ])
        let coordinator = reader.persistentStoreCoordinator
        let context = reader.newBackgroundContext()
        context.automaticallyMergesChangesFromParent = true
        coordinator.automaticallyMergesRemoteChanges = true
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        let note = try context.performAndWait {
            let note = try #require(context.fetch(request).first)
            #expect(note.value(forKey: "text") as? String == "First")
            return Transferred(note)
        }
        let received = Received(.NSPersistentStoreRemoteChange, from: coordinator)
        func expect(_ text: String) -> Bool {
            received.wait { _ in
                context.performAndWait { note.value.value(forKey: "text") as? String == text }
            }
        }
        // Each of them: the version of a connection that is made anew is the same every time.
        for text in ["Second", "Third", "Fourth"] {
            let count = received.all.count
            try update(text, writer)
            #expect(received.waitForOne(after: count) != nil)
            #expect(expect(text))
        }
    }

    @Test("Changes of another process are posted for a store that is only read and that had no user before")
    func unusedReadOnlyStoresAreFollowed() throws {
        let folder = try TestFolder()
        do {
            let writer = try open(folder)
            let store = try #require(writer.persistentStoreCoordinator.persistentStores.first)
            try writer.persistentStoreCoordinator.remove(store)
        }
        var options = Self.posting
        options[NSReadOnlyPersistentStoreOption] = NSNumber(value: true)
        let coordinator = try open(folder, options).persistentStoreCoordinator
        let received = Received(.NSPersistentStoreRemoteChange, from: coordinator)
        let other = try OtherProcess(folder.store)
        for text in ["Hello", "World"] {
            try other("insert \(text) 1")
            let last = try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
            let isPosted = received.wait { notes in
                notes.last?[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken == last
            }
            #expect(isPosted)
        }
    }

    @Test("A save of another coordinator is posted, and one of its own at once")
    func otherCoordinatorsPost() throws {
        let folder = try TestFolder()
        let first = try open(folder)
        let second = try open(folder)
        let atFirst = Received(.NSPersistentStoreRemoteChange, from: first.persistentStoreCoordinator)
        let atSecond = Received(.NSPersistentStoreRemoteChange, from: second.persistentStoreCoordinator)
        try insert("Hello", second)
        #expect(atSecond.all.count == 1)
        let note = try #require(atFirst.waitForOne())
        #expect(
            note[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken
                == second.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: nil))
    }

    @Test("Saves in close succession are posted together, up to the last")
    func savesAreGathered() throws {
        let folder = try TestFolder()
        let container = try open(folder)
        let coordinator = container.persistentStoreCoordinator
        let other = try OtherProcess(folder.store)
        let received = Received(.NSPersistentStoreRemoteChange, from: coordinator)
        try other("insert Hello 300")
        let last = try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
        let isComplete = received.wait { notes in
            notes.last?[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken == last
        }
        #expect(isComplete)
        #expect(received.all.count < 300)
    }

    @Test("Contexts and results controllers merge saves of another process")
    func contextsMerge() throws {
        let folder = try TestFolder()
        let container = try open(folder, [NSPersistentHistoryTrackingKey: NSNumber(value: true)])
        let other = try OtherProcess(folder.store)
        try other("insert First 1")
        let context = container.newBackgroundContext()
        let merged = Received(.NSManagedObjectContextObjectsDidChange, from: context)
        context.automaticallyMergesChangesFromParent = true
        container.persistentStoreCoordinator.automaticallyMergesRemoteChanges = true
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        request.sortDescriptors = [NSSortDescriptor(key: "text", ascending: true)]
        let (controller, follower) = try context.performAndWait {
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
                cacheName: nil)
            let follower = Follower()
            controller.delegate = follower
            try controller.performFetch()
            return (controller, follower)
        }
        func texts() -> [String?] {
            context.performAndWait {
                controller.fetchedObjects?.map { $0.value(forKey: "text") as? String } ?? []
            }
        }
        #expect(texts() == ["First"])
        func expect(_ expected: [String]) -> Bool { merged.wait { _ in texts() == expected } }
        try other("insert Second 1")
        #expect(expect(["First", "Second"]))
        try other("update First Zeroth")
        #expect(expect(["Second", "Zeroth"]))
        try other("delete Second")
        #expect(expect(["Zeroth"]))
        // The history that would report it is deleted by the time it is read, or is read just in time.
        try other("batch Third")
        try other("purge")
        try other("insert Fourth 1")
        #expect(expect(["Fourth", "Third", "Zeroth"]))
        _ = follower
    }

    @Test("A coordinator that deleted its own history still merges the changes of others")
    func ownHistoryIsDeleted() throws {
        let folder = try TestFolder()
        let container = try open(
            folder,
            [
                NSPersistentHistoryTrackingKey: NSNumber(value: 1),
                NSPersistentStoreRemoteChangeNotificationPostOptionKey: NSNumber(value: 1),
            ])
        let other = try open(folder, [NSPersistentHistoryTrackingKey: NSNumber(value: true)])
        let context = container.newBackgroundContext()
        context.automaticallyMergesChangesFromParent = true
        container.persistentStoreCoordinator.automaticallyMergesRemoteChanges = true
        for text in ["a", "b", "c"] { try insert(text, container) }
        let purging = container.newBackgroundContext()
        try purging.performAndWait {
            _ = try purging.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: Date()))
        }
        let merged = Received(.NSManagedObjectContextDidMergeChangesObjectIDs, from: context)
        try insert("d", other)
        let note = try #require(merged.waitForOne())
        #expect((note[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID>)?.count == 1)
    }

    @Test("Removing a store or releasing its coordinator ends the watch of its files")
    func watchesEnd() throws {
        let folder = try TestFolder()
        do {
            let coordinator = try open(folder).persistentStoreCoordinator
            #expect(try watches(of: folder) == 1)
            try coordinator.remove(try #require(coordinator.persistentStores.first))
            #expect(try Self.isSoon { try watches(of: folder) == 0 })
            _ = try open(folder)
        }
        #expect(try Self.isSoon { try watches(of: folder) == 0 })
    }

    /// How many instances of `inotify` of this process watch a folder.
    private func watches(of folder: TestFolder) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.url.path)
        let number = try #require(attributes[.systemFileNumber] as? UInt64)
        let watch = " ino:\(String(number, radix: 16)) "
        return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fdinfo").filter {
            // Others may close theirs meanwhile.
            let information = try? String(contentsOfFile: "/proc/self/fdinfo/\($0)", encoding: .utf8)
            return information?.contains(watch) ?? false
        }.count
    }

    private static func isSoon(_ condition: () throws -> Bool) rethrows -> Bool {
        let end = Date(timeIntervalSinceNow: 300)
        while try !condition() {
            guard Date() < end else { return false }
            Thread.sleep(forTimeInterval: 0.005)
        }
        return true
    }
}

/// A delegate, without which a controller follows no changes.
private final class Follower: NSObject, NSFetchedResultsControllerDelegate {
    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}
}

/// An object that a test uses on the queue of its context alone.
struct Transferred: @unchecked Sendable {
    let value: NSManagedObject

    init(_ value: NSManagedObject) { self.value = value }
}
