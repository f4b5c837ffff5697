import CoreData
import Testing

/// Results as an asynchronous sequence.
@Suite(.onEveryStore) struct ResultSequenceTests {
    private func stack() throws -> ResultsStack {
        try ResultsStack(["a": 1, "b": 1, "c": 2], .books(by: "pages", "title"))
    }

    private func titles(_ changes: FetchedResultsChanges?, _ context: NSManagedObjectContext) -> [[String]]? {
        changes.map { changes in
            context.performAndWait {
                changes.sections.map { section in
                    section.objectIDs.map {
                        "\(context.object(with: $0).value(forKey: "title") ?? "nil")"
                    }
                }
            }
        }
    }

    @Test("A sequence of results begins with the present content and continues with changes")
    func contentThenChanges() async throws {
        let results = try stack()
        let context = results.context
        KeyPathNames.register("pages", for: \Book.pages)
        let sequence = context.results(of: .books(by: "pages", "title"), sectionedBy: \.pages)
        var iterator = sequence.makeAsyncIterator()
        let first = try await iterator.next()
        #expect(titles(first, context) == [["a", "b"], ["c"]])
        #expect(first?.changes == [] && first?.sections.map(\.name) == ["1", "2"])
        _ = try results.event { _ in try results["b"].pages = 2 }
        let second = try await iterator.next()
        #expect(titles(second, context) == [["a"], ["b", "c"]])
        #expect(second?.changes.map(\.type) == [.move])
        #expect(second?.changes.first?.newIndexPath == IndexPath(item: 0, section: 1))
        #expect(second?.snapshot.reloadedItemIdentifiers == second?.changes.map(\.objectID))
    }

    /// Who is slow gets the newest state, and what differs from the last one.
    @Test("A slow consumer gets several events as one element")
    func severalEventsAreOneElement() async throws {
        let results = try stack()
        var iterator = results.context.results(of: .books(by: "title")).makeAsyncIterator()
        let first = try #require(try await iterator.next())
        _ = try results.event { SampleBooks.book("x", 9, nil, nil, $0) }
        _ = try results.event { $0.delete(try results["a"]) }
        _ = try results.event { _ in try results["b"].title = "z" }
        _ = try results.event { _ in try results["c"].pages = 77 }
        let second = try #require(try await iterator.next())
        #expect(titles(second, results.context) == [["c", "x", "z"]])
        #expect(second.changes.map(\.type) == [.delete, .insert, .move, .update])
        let old = first.sections.flatMap(\.objectIDs)
        #expect(
            second.changes.map { $0.oldIndexPath.map { old[$0.item] } ?? $0.objectID }
                == second.changes.map(\.objectID))
        let new = second.sections.flatMap(\.objectIDs)
        #expect(
            second.changes.map { $0.newIndexPath.map { new[$0.item] } ?? $0.objectID }
                == second.changes.map(\.objectID))
    }

    @Test("Changes that cancel each other make no element")
    func cancelledChangesAreNoElement() async throws {
        let results = try stack()
        var iterator = results.context.results(of: .books(by: "title")).makeAsyncIterator()
        _ = try await iterator.next()
        let book = results.context.performAndWait { SampleBooks.book("x", 9, nil, nil, results.context) }
        _ = try results.event { $0.delete(book) }
        _ = try results.event { SampleBooks.book("y", 9, nil, nil, $0) }
        let next = try await iterator.next()
        #expect(titles(next, results.context) == [["a", "b", "c", "y"]])
        #expect(next?.changes.map(\.type) == [.insert])
    }

    @Test("Cancelling the task ends the sequence")
    func cancellationEndsIt() async throws {
        let results = try stack()
        let context = results.context
        let (signals, signal) = AsyncStream.makeStream(of: Int.self)
        let task = Task {
            var count = 0
            for try await _ in context.results(of: .books(by: "title")) {
                count += 1
                signal.yield(count)
            }
            return count
        }
        var iterator = signals.makeAsyncIterator()
        #expect(await iterator.next() == 1)
        task.cancel()
        #expect(try await task.value == 1)
    }

    @Test("A sequence of a wrong request throws once and ends")
    func wrongRequestThrows() async throws {
        let results = try stack()
        var iterator = results.context.results(of: .books("nothing == 1", by: "title")).makeAsyncIterator()
        await #expect(throws: NSError.self) { _ = try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test("Later changes of the request do not affect the sequence")
    func requestIsCopied() async throws {
        let results = try stack()
        let request = NSFetchRequest<Book>.books(by: "title")
        let sequence = results.context.results(of: request)
        request.predicate = NSPredicate(value: false)
        var iterator = sequence.makeAsyncIterator()
        let first = try await iterator.next()
        #expect(titles(first, results.context) == [["a", "b", "c"]])
    }
}
