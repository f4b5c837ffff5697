import CoreData
import Testing

/// What observers of saves and merges read.
@MainActor @Suite struct SavingTests {
    /// The notifications of one name from one object, in order.
    final class Received: @unchecked Sendable {
        private let lock = NSLock()
        private var notes: [[AnyHashable: Any]] = []
        private var token: (any NSObjectProtocol)?

        init(_ name: Notification.Name, from object: Any) {
            token = NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) {
                [weak self] note in
                guard let self else { return }
                nonisolated(unsafe) let userInfo = note.userInfo ?? [:]
                lock.withLock { self.notes.append(userInfo) }
            }
        }

        deinit { token.map(NotificationCenter.default.removeObserver) }

        var all: [[AnyHashable: Any]] { lock.withLock { notes } }
    }

    @Test("A16: A save without changes posts that the context saved")
    func anEmptySaveIsPosted() throws {
        let stack = try CarStack()
        let received = Received(.NSManagedObjectContextDidSave, from: stack.context)
        try stack.context.save()
        #expect(received.all.count == 1)
        #expect(received.all.first?.isEmpty == true)
    }

    @Test("A20, R13, C21: A save into a store with history posts the token of its transaction")
    func aSavePostsItsToken() throws {
        let folder = try TemporaryFolder()
        let stack = try CarStack(
            storeAt: folder.url.appendingPathComponent("Cars.sqlite"),
            options: [NSPersistentHistoryTrackingKey: NSNumber(value: true)])
        let received = Received(.NSManagedObjectContextDidSave, from: stack.context)
        stack.insert("Car", ["maker": "Fiat"])
        try stack.context.save()
        let token = try #require(received.all.first?["newChangeToken"] as? NSPersistentHistoryToken)
        let later = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        let result = try stack.context.execute(later) as? NSPersistentHistoryResult
        #expect((result?.result as? [NSPersistentHistoryTransaction])?.isEmpty == true)
        let without = try CarStack()
        let plain = Received(.NSManagedObjectContextDidSave, from: without.context)
        without.insert("Car")
        try without.context.save()
        #expect(plain.all.first?["newChangeToken"] == nil)
    }

    @Test("A21: A merge posts what was updated as updated and as refreshed")
    func aMergePostsRefreshedObjects() throws {
        let stack = try CarStack()
        let car = stack.insert("Car", ["maker": "Fiat"])
        try stack.context.save()
        let other = stack.container.newBackgroundContext()
        let received = Received(.NSManagedObjectContextDidMergeChangesObjectIDs, from: other)
        other.performAndWait {
            other.mergeChanges(
                fromContextDidSave: Notification(
                    name: .NSManagedObjectContextDidSave, object: stack.context,
                    userInfo: [NSUpdatedObjectsKey: Set([car])]))
        }
        let note = try #require(received.all.first)
        #expect(note[NSUpdatedObjectIDsKey] as? Set<NSManagedObjectID> == [car.objectID])
        #expect(note[NSRefreshedObjectIDsKey] as? Set<NSManagedObjectID> == [car.objectID])
    }

    @Test("A24: An object that was never saved has no committed values")
    func anUnsavedObjectHasNoCommittedValues() throws {
        let stack = try CarStack()
        let car = stack.insert("Car", ["maker": "Fiat"])
        #expect(car.committedValues(forKeys: ["maker", "number"]).isEmpty)
        try stack.context.save()
        #expect(car.committedValues(forKeys: ["maker"])["maker"] as? String == "Fiat")
    }

    @Test("B6: A batch request through a child context has the author of the context next to the store")
    func aBatchRequestHasTheAuthorOfTheRoot() throws {
        let folder = try TemporaryFolder()
        let stack = try CarStack(
            storeAt: folder.url.appendingPathComponent("Cars.sqlite"),
            options: [NSPersistentHistoryTrackingKey: NSNumber(value: true)])
        stack.context.transactionAuthor = "me"
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = stack.context
        try child.performAndWait {
            _ = try child.execute(NSBatchInsertRequest(entityName: "Car", objects: [["maker": "Fiat"]]))
        }
        let history = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let result = try stack.context.execute(history) as? NSPersistentHistoryResult
        let transactions = try #require(result?.result as? [NSPersistentHistoryTransaction])
        #expect(transactions.map(\.author) == ["me"])
    }

    @Test(
        "B6: A batch request of any kind through a child of a child has the author of the context next to the store, not of one between"
    )
    func batchRequestsOfGrandchildren() throws {
        let folder = try TemporaryFolder()
        let stack = try CarStack(
            storeAt: folder.url.appendingPathComponent("Cars.sqlite"),
            options: [NSPersistentHistoryTrackingKey: NSNumber(value: true)])
        let middle = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        middle.parent = stack.context
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.parent = middle
        middle.performAndWait {
            middle.transactionAuthor = "middle"
            middle.name = "middle context"
        }
        stack.context.transactionAuthor = "root"
        stack.context.name = "root context"
        let update = NSBatchUpdateRequest(entityName: "Car")
        update.propertiesToUpdate = ["maker": "Seat"]
        let requests: [NSPersistentStoreRequest] = [
            NSBatchInsertRequest(entityName: "Car", objects: [["maker": "Fiat"]]), update,
            NSBatchDeleteRequest(fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: "Car")),
        ]
        try context.performAndWait {
            context.transactionAuthor = "leaf"
            for request in requests { _ = try context.execute(request) }
        }
        let history = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let result = try stack.context.execute(history) as? NSPersistentHistoryResult
        let transactions = try #require(result?.result as? [NSPersistentHistoryTransaction])
        #expect(transactions.map { $0.changes?.first?.changeType } == [.insert, .update, .delete])
        #expect(transactions.map(\.author) == ["root", "root", "root"])
        #expect(transactions.map(\.contextName) == Array(repeating: "root context", count: 3))
    }
}
