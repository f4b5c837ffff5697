import CoreData
import Testing

/// Typed notifications.
@MainActor @Suite struct MessageTests {
    /// What observers on the main queue were told, in order.
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
        "A context of a private queue posts IDs as asynchronous messages, and merges are told to both kinds")
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
