import CoreData
import Testing

/// Typed notifications.
@MainActor @Suite struct MessageTests {
    /// The notifications of observers on the main queue, in order.
    private final class Log { var entries: [String] = [] }

    @Test("A context of the main queue posts each event as a message once, and by name once")
    func mainQueueMessages() throws {
        let folder = try TemporaryFolder()
        let stack = try CarStack(
            storeAt: folder.url.appendingPathComponent("Cars.sqlite"),
            options: [NSPersistentHistoryTrackingKey: NSNumber(value: true)])
        let (center, context, log) = (NotificationCenter.default, stack.context, Log())
        var token: NSPersistentHistoryToken?
        let tokens = [
            center.addObserver(of: context, for: .willSave) {
                log.entries.append("will \($0.context === context)")
            },
            center.addObserver(of: context, for: .didSave) { message in
                log.entries.append(
                    "did \(message.inserted.count) \(message.updated.count) \(message.deleted.count)")
                token = message.historyToken
            },
            center.addObserver(of: context, for: .objectsDidChange) { message in
                log.entries.append(
                    message.invalidatedAll == true
                        ? "reset" : "changed \(message.inserted.count) \(message.updated.count)")
            },
            center.addObserver(of: context, for: .didSaveObjectIDs) {
                log.entries.append("IDs \($0.insertedIDs.count) \($0.updatedIDs.count)")
            },
        ]
        let named = SavingTests.Received(.NSManagedObjectContextDidSave, from: context)
        let car = stack.insert("Car", ["maker": "Fiat"])
        try context.save()
        #expect(log.entries == ["changed 1 0", "will true", "did 1 0 0", "IDs 1 0"])
        #expect(token != nil)
        #expect(named.all.count == 1)
        log.entries = []
        car.setValue("Alfa", forKey: "maker")
        try context.save()
        try context.save()
        context.reset()
        #expect(log.entries == ["changed 0 1", "will true", "did 0 1 0", "IDs 0 1", "did 0 0 0", "reset"])
        for token in tokens { center.removeObserver(token) }
        stack.insert("Car")
        try context.save()
        #expect(log.entries.count == 6)
    }

    @Test(
        "A context of a private queue posts object IDs as asynchronous messages, and merges as both kinds of message"
    )
    func privateQueueMessages() async throws {
        let folder = try TemporaryFolder()
        let stack = try CarStack(storeAt: folder.url.appendingPathComponent("Cars.sqlite"))
        let background = stack.container.newBackgroundContext()
        stack.context.automaticallyMergesChangesFromParent = true
        let saved = NotificationCenter.default.messages(
            of: background, for: NSManagedObjectContext.DidSaveObjectIDsAsyncMessage.self)
        // It observes from here on.
        var iterator = saved.makeAsyncIterator()
        let log = Log()
        let merged = AsyncStream<Int>.makeStream()
        let token = NotificationCenter.default.addObserver(of: stack.context, for: .didMergeChanges) {
            message in
            log.entries.append("merged \(message.insertedIDs.count)")
            merged.continuation.yield(message.insertedIDs.count)
        }
        try await background.perform {
            _ = NSEntityDescription.insertNewObject(forEntityName: "Car", into: background)
            try background.save()
        }
        let message = try await iterator.next()
        #expect(message?.insertedIDs.count == 1)
        #expect(message?.context === background)
        var merges = merged.stream.makeAsyncIterator()
        #expect(await merges.next() == 1)
        #expect(log.entries == ["merged 1"])
        NotificationCenter.default.removeObserver(token)
    }

    /// Objects and IDs in the notifications of observers on any thread, in order.
    private final class AsyncLog<Entry: Sendable>: @unchecked Sendable {
        private let lock = NSLock()
        private var entries: [Entry] = []
        var all: [Entry] { lock.withLock { entries } }
        func add(_ entry: Entry) { lock.withLock { entries.append(entry) } }
    }

    @Test(
        "A merge into a context of a private queue is posted once as an asynchronous message, and once by name"
    )
    func asynchronousMerges() async throws {
        let folder = try TemporaryFolder()
        let stack = try CarStack(storeAt: folder.url.appendingPathComponent("Cars.sqlite"))
        let background = stack.container.newBackgroundContext()
        background.automaticallyMergesChangesFromParent = true
        let center = NotificationCenter.default
        let messages = center.messages(
            of: background, for: NSManagedObjectContext.DidMergeChangesAsyncMessage.self)
        var iterator = messages.makeAsyncIterator()
        let (observed, mainLog) = (AsyncLog<Set<NSManagedObjectID>>(), Log())
        let tokens = [
            center.addObserver(of: background, for: .didMergeChangesAsync) {
                observed.add($0.insertedIDs)
            },
            center.addObserver(of: background, for: .didMergeChanges) { _ in
                mainLog.entries.append("merged")
            },
        ]
        let named = SavingTests.Received(.NSManagedObjectContextDidMergeChangesObjectIDs, from: background)
        var ids: [Set<NSManagedObjectID>] = []
        for maker in ["Fiat", "Seat"] {
            let car = stack.insert("Car", ["maker": maker])
            try stack.context.save()
            ids.append([car.objectID])
            // A second message for one merge would come here in place of the next one's.
            let message = try await iterator.next()
            #expect(message?.insertedIDs == ids.last)
            #expect(message?.context === background)
        }
        // Messages are handed to observers by tasks of their own.
        for _ in 0..<60_000 where observed.all.count < 2 { try await Task.sleep(for: .milliseconds(5)) }
        await background.perform {}
        #expect(Set(observed.all) == Set(ids) && observed.all.count == 2)
        #expect(named.all.map { $0[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID> } == ids)
        #expect(mainLog.entries.isEmpty)
        for token in tokens { center.removeObserver(token) }
    }

    @Test(
        "A store that is added off the main queue is posted once as an asynchronous message, and not as one of the main actor"
    )
    func storesAddedElsewhere() async throws {
        let folder = try TemporaryFolder()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: CarStack.model())
        let center = NotificationCenter.default
        let messages = center.messages(
            of: coordinator, for: NSPersistentStoreCoordinator.StoresDidChangeAsyncMessage.self)
        var iterator = messages.makeAsyncIterator()
        let (observed, mainLog) = (AsyncLog<Int>(), Log())
        let tokens = [
            center.addObserver(of: coordinator, for: .storesDidChangeAsync) {
                observed.add($0.addedStores.count - $0.removedStores.count)
            },
            center.addObserver(of: coordinator, for: .storesDidChange) { _ in
                mainLog.entries.append("changed")
            },
        ]
        let named = SavingTests.Received(.NSPersistentStoreCoordinatorStoresDidChange, from: coordinator)
        let url = folder.url.appendingPathComponent("Cars.sqlite")
        let store = try await coordinator.perform {
            try coordinator.addPersistentStore(type: .sqlite, at: url)
        }
        let added = try await iterator.next()
        #expect(added?.addedStores == [store] && added?.removedStores == [])
        #expect(added?.persistentStoreCoordinator === coordinator)
        try await coordinator.perform { try coordinator.remove(store) }
        let removed = try await iterator.next()
        #expect(removed?.addedStores == [] && removed?.removedStores == [store])
        for _ in 0..<60_000 where observed.all.count < 2 { try await Task.sleep(for: .milliseconds(5)) }
        await coordinator.perform {}
        #expect(observed.all.sorted() == [-1, 1])
        #expect(named.all.count == 2)
        #expect(mainLog.entries.isEmpty)
        for token in tokens { center.removeObserver(token) }
    }

    @Test("A remote change is posted once as a message, and once by name")
    func remoteChanges() async throws {
        let folder = try TemporaryFolder()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: CarStack.model())
        let store = try coordinator.addPersistentStore(
            type: .sqlite, at: folder.url.appendingPathComponent("Cars.sqlite"),
            options: [
                NSPersistentHistoryTrackingKey: NSNumber(value: true),
                NSPersistentStoreRemoteChangeNotificationPostOptionKey: NSNumber(value: true),
            ])
        let center = NotificationCenter.default
        let observed = AsyncLog<NSPersistentHistoryToken?>()
        let token = center.addObserver(of: coordinator, for: .remoteChange) { message in
            observed.add(message.storeUUID == store.identifier ? message.historyToken : nil)
        }
        let named = SavingTests.Received(.NSPersistentStoreRemoteChange, from: coordinator)
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        var saves: [NSPersistentHistoryToken?] = []
        for _ in 0..<2 {
            _ = NSEntityDescription.insertNewObject(forEntityName: "Car", into: context)
            try context.save()
            saves.append(coordinator.currentPersistentHistoryToken(fromStores: nil))
        }
        for _ in 0..<60_000 where observed.all.count < 2 { try await Task.sleep(for: .milliseconds(5)) }
        // What would be posted a second time, when the file is seen to have changed, would come now.
        try await Task.sleep(for: .milliseconds(200))
        #expect(Set(observed.all) == Set(saves) && observed.all.count == 2)
        #expect(named.all.map { $0[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken } == saves)
        center.removeObserver(token)
    }

    @Test("A coordinator posts added and removed stores and remote changes as messages")
    func coordinatorMessages() async throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Cars.sqlite")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: CarStack.model())
        let log = Log()
        let token = NotificationCenter.default.addObserver(of: coordinator, for: .storesDidChange) {
            message in
            log.entries.append("+\(message.addedStores.count) -\(message.removedStores.count)")
        }
        let remote = NotificationCenter.default.messages(
            of: coordinator, for: NSPersistentStoreCoordinator.RemoteChangeMessage.self)
        var iterator = remote.makeAsyncIterator()
        let store = try coordinator.addPersistentStore(
            type: .sqlite, at: url,
            options: [NSPersistentStoreRemoteChangeNotificationPostOptionKey: NSNumber(value: true)])
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        _ = NSEntityDescription.insertNewObject(forEntityName: "Car", into: context)
        try context.save()
        let message = try await iterator.next()
        #expect(message?.storeUUID == store.identifier)
        #expect(message?.storeURL == url)
        try coordinator.remove(store)
        #expect(log.entries == ["+1 -0", "+0 -1"])
        NotificationCenter.default.removeObserver(token)
    }

    @Test("Messages and notifications are made of each other")
    func conversions() throws {
        let stack = try CarStack()
        let car = stack.insert("Car")
        let note = Notification(
            name: .NSManagedObjectContextDidSave, object: stack.context,
            userInfo: [NSInsertedObjectsKey: Set([car])])
        let message = try #require(NSManagedObjectContext.DidSaveMessage.makeMessage(note))
        #expect(message.inserted == [car] && message.updated.isEmpty)
        #expect(NSManagedObjectContext.WillSaveMessage.makeMessage(note) == nil)
        let again = NSManagedObjectContext.DidSaveMessage.makeNotification(message)
        #expect(again.name == note.name && again.object as? NSManagedObjectContext === stack.context)
        #expect(again.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject> == [car])
    }
}
