import CoreData
import RemoteChangeWriter
import Testing

/// What follows the changes that others make to a store: sequences of results, and other coordinators of the process.
@Suite(.serialized) struct FollowedResultsTests {
    private static let tracking = [NSPersistentHistoryTrackingKey: NSNumber(value: true)]

    @Test(
        "A sequence of results has what another process inserts, updates and deletes",
        .timeLimit(.minutes(40))
    )
    func sequencesFollow() async throws {
        let folder = try TestFolder()
        let container = try RemoteChangeWriter.container(folder.store, options: Self.tracking)
        let other = try OtherProcess(folder.store)
        let context = container.newBackgroundContext()
        context.automaticallyMergesChangesFromParent = true
        container.persistentStoreCoordinator.automaticallyMergesRemoteChanges = true
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        request.sortDescriptors = [NSSortDescriptor(key: "text", ascending: true)]
        var iterator = context.results(of: request).makeAsyncIterator()
        func texts(_ element: FetchedResultsChanges?) async -> [String?] {
            let ids = element?.sections.flatMap(\.objectIDs) ?? []
            return await context.perform {
                ids.map { context.object(with: $0).value(forKey: "text") as? String }
            }
        }
        let first = try #require(try await iterator.next())
        #expect(await texts(first) == [])
        try await other.perform("insert B 1")
        let inserted = try #require(try await iterator.next())
        #expect(await texts(inserted) == ["B"])
        #expect(inserted.changes.map(\.type) == [.insert])
        try await other.perform("batch A")
        #expect(await texts(try await iterator.next()) == ["A", "B"])
        try await other.perform("update A C")
        #expect(await texts(try await iterator.next()) == ["B", "C"])
        try await other.perform("delete B")
        let deleted = try #require(try await iterator.next())
        #expect(await texts(deleted) == ["C"])
        #expect(deleted.changes.map(\.type) == [.delete])
    }

    @Test("R12: A batch request of another coordinator in the same process is posted with its token")
    func batchRequestsOfOtherCoordinatorsArePosted() throws {
        let folder = try TestFolder()
        let posting = Self.tracking.merging(
            [NSPersistentStoreRemoteChangeNotificationPostOptionKey: NSNumber(value: true)]
        ) { first, _ in first }
        let first = try RemoteChangeWriter.container(folder.store, options: posting)
        let second = try RemoteChangeWriter.container(folder.store, options: posting)
        let atFirst = Received(.NSPersistentStoreRemoteChange, from: first.persistentStoreCoordinator)
        let update = NSBatchUpdateRequest(entityName: "Note")
        update.propertiesToUpdate = ["text": "Changed"]
        let requests: [NSPersistentStoreRequest] = [
            NSBatchInsertRequest(entityName: "Note", objects: [["text": "Hello"], ["text": "There"]]),
            update,
            NSBatchDeleteRequest(fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: "Note")),
        ]
        for request in requests {
            let context = second.newBackgroundContext()
            let before = second.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: nil)
            try context.performAndWait { _ = try context.execute(request) }
            let token = second.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: nil)
            #expect(token != before)
            let isPosted = atFirst.wait { notes in
                notes.last?[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken == token
            }
            #expect(isPosted, "\(type(of: request))")
        }
    }
}

extension OtherProcess {
    /// Has the process do something, and waits until it is done, without keeping a thread of the tests.
    fileprivate func perform(_ line: String) async throws {
        nonisolated(unsafe) let process = self
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try process(line) })
            }
        }
    }
}
