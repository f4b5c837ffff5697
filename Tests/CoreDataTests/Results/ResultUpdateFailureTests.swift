import CoreData
import Testing

/// Results that have to ask the store to follow a change, and cannot.
@Suite struct ResultUpdateFailureTests {
    private final class Worried: NSObject, NSFetchedResultsControllerDelegate {
        private(set) var errors: [any Error] = []
        let diary = ResultsLog()

        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
            didFailToFollowChanges error: any Error
        ) {
            errors.append(error)
        }

        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
            at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
        ) {
            diary.controller(
                controller, didChange: anObject, at: indexPath, for: type, newIndexPath: newIndexPath)
        }
    }

    private let folder: StoreFolder
    private let context: NSManagedObjectContext
    private let controller: NSFetchedResultsController<Book>
    private let delegate = Worried()
    private let books: [Book]

    /// The first three of five books.
    init() throws {
        folder = try StoreFolder()
        context = try folder.open(Library.model()).context()
        let context = context
        controller = NSFetchedResultsController(
            fetchRequest: .books(by: "pages", limit: 3), managedObjectContext: context,
            sectionNameKeyPath: nil, cacheName: nil)
        let controller = controller
        books = try context.performAndWait {
            let books = (0..<5).map { SampleBooks.book("\($0)", Int32($0), nil, nil, context) }
            try context.save()
            try controller.performFetch()
            return books
        }
        controller.delegate = delegate
    }

    /// Has every fetch of books fail while a block runs.
    private func withoutTable(_ body: () throws -> Void) throws {
        try folder.execute("ALTER TABLE ZBOOK RENAME TO ZELSEWHERE")
        try body()
        try folder.execute("ALTER TABLE ZELSEWHERE RENAME TO ZBOOK")
    }

    @Test("A failed update is reported, and the next change brings the results up to date")
    func errorIsReported() throws {
        try context.performAndWait {
            #expect(controller.followingError == nil)
            try withoutTable {
                // The fourth book moves up, which only the store knows.
                context.delete(books[1])
                context.processPendingChanges()
                #expect(controller.followingError != nil && delegate.errors.count == 1)
                #expect(delegate.diary.take() == [])
                #expect(controller.fetchedObjects == [books[0], books[1], books[2]])
                // Nothing is decided by what is known to be out of date.
                books[0].pages = 1
                context.processPendingChanges()
                #expect(delegate.errors.count == 2)
            }
            books[2].title = "two"
            context.processPendingChanges()
            #expect(controller.followingError == nil && delegate.errors.count == 2)
            #expect(controller.fetchedObjects == [books[0], books[2], books[3]])
            #expect(
                delegate.diary.take() == [
                    "delete 1 0.1 -", "insert 3 - 0.2", "update 0 0.0 0.0", "update two 0.2 0.1",
                ])
            // From now on without the store again.
            books[0].title = "zero"
            context.processPendingChanges()
            #expect(controller.cost.fetches == 3)
            #expect(delegate.diary.take() == ["update zero 0.0 0.0"])
        }
    }

    @Test("A fetch after a failed update brings the results up to date")
    func fetchRecovers() throws {
        try context.performAndWait {
            try withoutTable {
                context.delete(books[1])
                context.processPendingChanges()
                #expect(controller.followingError != nil)
            }
            try controller.performFetch()
            #expect(controller.followingError == nil)
            #expect(controller.fetchedObjects == [books[0], books[2], books[3]])
        }
    }

    @Test("The stream of changes throws when an update fails")
    func changesThrow() async throws {
        let changes = controller.changes()
        try context.performAndWait {
            books[0].title = "zero"
            context.processPendingChanges()
            try withoutTable {
                context.delete(books[1])
                context.processPendingChanges()
            }
        }
        var iterator = changes.makeAsyncIterator()
        #expect(try await iterator.next()?.changes.map(\.type) == [.update])
        await #expect(throws: NSError.self) { _ = try await iterator.next() }
    }

    @Test("The sequence of results throws when an update fails")
    func sequenceThrows() async throws {
        var iterator = context.results(of: .books(by: "pages", limit: 3)).makeAsyncIterator()
        #expect(try await iterator.next()?.sections.first?.objectIDs.count == 3)
        try context.performAndWait {
            try withoutTable {
                context.delete(books[1])
                context.processPendingChanges()
            }
        }
        await #expect(throws: NSError.self) { _ = try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }
}
