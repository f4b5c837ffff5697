import CoreData
import Testing

/// Which delegate methods are called, and which delegates make a controller follow its context.
@Suite struct ResultsDelegateTests {
    private class OneByOne: NSObject, NSFetchedResultsControllerDelegate {
        var reported: [String] = []

        func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
            reported.append("will")
        }

        func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
            reported.append("did")
        }
    }

    private final class WithDifferences: NSObject, NSFetchedResultsControllerDelegate {
        var reported: [String] = []

        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
            didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
        ) {
            reported.append("difference")
        }

        func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
            reported.append("did")
        }
    }

    private final class WithAll: NSObject, NSFetchedResultsControllerDelegate {
        var reported: [String] = []

        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
            didChangeContentWith snapshot: FetchedResultsSnapshot
        ) {
            reported.append("snapshot")
        }

        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
            didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
        ) {
            reported.append("difference")
        }

        func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
            reported.append("did")
        }
    }

    private final class Silent: NSObject, NSFetchedResultsControllerDelegate {}

    private func results(_ sections: String?) throws -> ResultsStack {
        try ResultsStack(["a": 1, "b": 2], .books(by: "pages"), sections: sections)
    }

    /// A snapshot before a difference, and that before single changes.
    @Test("A delegate that takes snapshots and other forms gets snapshots only", arguments: [nil, "pages"])
    func snapshotComesFirst(_ sections: String?) throws {
        let results = try results(sections)
        let delegate = WithAll()
        results.controller.delegate = delegate
        for _ in 0..<2 { _ = try results.event { SampleBooks.book("x", 3, nil, nil, $0) } }
        #expect(delegate.reported == ["snapshot", "snapshot"])
    }

    /// A difference has no sections.
    @Test(
        "A delegate gets differences only for results without sections",
        arguments: [(nil, "difference"), ("pages", "did")])
    func differenceWithoutSections(_ sections: String?, _ reported: String) throws {
        let results = try results(sections)
        let delegate = WithDifferences()
        results.controller.delegate = delegate
        for _ in 0..<2 { _ = try results.event { SampleBooks.book("x", 3, nil, nil, $0) } }
        #expect(delegate.reported == [reported, reported])
    }

    @Test("A delegate without snapshots and differences gets single changes")
    func singleChanges() throws {
        let results = try results(nil)
        let delegate = OneByOne()
        results.controller.delegate = delegate
        _ = try results.event { SampleBooks.book("x", 3, nil, nil, $0) }
        #expect(delegate.reported == ["will", "did"])
    }

    @Test("A controller follows its context while it has any delegate, which it does not retain")
    func anyDelegateFollows() throws {
        let results = try results(nil)
        var delegate: Silent? = Silent()
        results.controller.delegate = delegate
        _ = try results.event { SampleBooks.book("x", 3, nil, nil, $0) }
        #expect(results.titles == [["a", "b", "x"]])
        // It is not retained, and with it the following ends.
        delegate = nil
        #expect(results.controller.delegate == nil)
        _ = try results.event { SampleBooks.book("y", 4, nil, nil, $0) }
        #expect(results.titles == [["a", "b", "x"]])
        withExtendedLifetime(delegate) {}
    }

    @Test("A controller whose changes are iterated follows its context")
    func iterationFollows() async throws {
        let results = try results(nil)
        results.controller.delegate = nil
        let changes = results.controller.changes()
        _ = try results.event { SampleBooks.book("x", 3, nil, nil, $0) }
        #expect(results.titles == [["a", "b", "x"]])
        var iterator = changes.makeAsyncIterator()
        #expect(try await iterator.next()?.changes.map(\.type) == [.insert])
    }
}
