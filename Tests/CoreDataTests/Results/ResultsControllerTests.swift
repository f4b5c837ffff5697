import CoreData
import Testing

/// Fetching again, streams of changes, delegates, and the end of a controller.
@Suite(.onEveryStore) struct ResultsControllerTests {
    private func stack() throws -> ResultsStack {
        try ResultsStack(["a": 10, "b": 20, "c": 30], .books(by: "pages"))
    }

    @Test("A second fetch updates the results and reports nothing")
    func performFetchAgain() throws {
        let results = try stack()
        try results.elsewhere { SampleBooks.book("x", 15, nil, nil, $0) }
        #expect(results.titles == [["a", "b", "c"]])
        let reported = try results.event { _ in try results.controller.performFetch() }
        #expect(reported == [])
        #expect(results.titles == [["a", "x", "b", "c"]])
        // Followed once, not twice.
        #expect(try results.event { _ in try results["a"].pages = 1 } == ["will", "update a 0.0 0.0", "did"])
    }

    @Test("A changed request takes effect with the next fetch")
    func changedRequest() throws {
        let results = try stack()
        try results.context.performAndWait {
            results.controller.fetchRequest.predicate = NSPredicate(format: "pages >= 20")
            results.controller.fetchRequest.sortDescriptors = [
                NSSortDescriptor(key: "pages", ascending: false)
            ]
            #expect(results.controller.titles == [["a", "b", "c"]])
            try results.controller.performFetch()
            #expect(results.controller.titles == [["c", "b"]])
        }
        #expect(try results.event { _ in try results["a"].pages = 99 } == ["will", "insert a - 0.0", "did"])
    }

    @Test("A failed fetch keeps the results")
    func failedFetchKeepsTheResults() throws {
        let results = try stack()
        results.context.performAndWait {
            results.controller.fetchRequest.predicate = NSPredicate(format: "nothing == 1")
            #expect(throws: NSError.self) { try results.controller.performFetch() }
            #expect(results.controller.titles == [["a", "b", "c"]])
        }
    }

    @Test("A fetch includes unsaved objects")
    func unsavedObjectsAreIncluded() throws {
        let results = try stack()
        try results.context.performAndWait {
            SampleBooks.book("x", 5, nil, nil, results.context)
            try results.controller.performFetch()
            #expect(results.controller.titles == [["x", "a", "b", "c"]])
        }
    }

    @Test("Without a delegate results stay, and a new delegate gets the missed changes")
    func withoutADelegate() throws {
        let results = try stack()
        results.controller.delegate = nil
        let deleted = try results["b"]
        _ = try results.event {
            $0.delete(deleted)
            SampleBooks.book("x", 5, nil, nil, $0)
        }
        results.context.performAndWait {
            #expect(results.controller.fetchedObjects?.count == 3)
            #expect(results.controller.fetchedObjects?[1] === deleted)
        }
        // What was missed comes with the first change after there is a delegate again.
        results.controller.delegate = results.diary
        #expect(
            try results.event { _ in try results["c"].pages = 31 } == [
                "will", "delete b 0.1 -", "insert x - 0.0", "update c 0.2 0.2", "did",
            ])
        #expect(results.titles == [["x", "a", "c"]])
        #expect(try results.event { _ in try results["a"].pages = 40 } == ["will", "move a 0.1 0.2", "did"])
    }

    @Test("After a fetch without a delegate, a new delegate needs no further fetch")
    func fetchWithoutADelegate() throws {
        let results = try stack()
        results.controller.delegate = nil
        _ = try results.event { $0.delete(try results["b"]) }
        try results.context.performAndWait { try results.controller.performFetch() }
        #expect(results.titles == [["a", "c"]])
        results.controller.delegate = results.diary
        #expect(try results.event { _ in try results["c"].pages = 5 } == ["will", "move c 0.1 0.0", "did"])
        results.context.performAndWait { #expect(results.controller.cost.fetches == 0) }
    }

    @Test("An object inserted and deleted in one event is not reported")
    func objectOfOneEvent() throws {
        let results = try stack()
        #expect(try results.event { $0.delete(SampleBooks.book("x", 1, nil, nil, $0)) } == [])
        #expect(results.titles == [["a", "b", "c"]])
    }

    @Test("Results are usable after a reset")
    func resultsAfterAReset() throws {
        let results = try stack()
        results.context.performAndWait {
            SampleBooks.book("x", 1, nil, nil, results.context)
            results.context.processPendingChanges()
            results.context.reset()
            #expect(results.controller.titles == [["a", "b", "c"]])
            let objects = results.controller.fetchedObjects ?? []
            #expect(objects.allSatisfy { $0.managedObjectContext === results.context })
        }
        #expect(
            try results.event { SampleBooks.book("y", 15, nil, nil, $0) } == [
                "will", "insert y - 0.1", "did",
            ])
    }

    @Test("Two controllers of one context report the same change at their own indexes")
    func twoControllers() throws {
        let results = try stack()
        let diary = ResultsLog()
        let other = NSFetchedResultsController(
            fetchRequest: .books(by: "-pages"), managedObjectContext: results.context,
            sectionNameKeyPath: nil,
            cacheName: nil)
        other.delegate = diary
        try results.context.performAndWait { try other.performFetch() }
        #expect(try results.event { $0.delete(try results["a"]) } == ["will", "delete a 0.0 -", "did"])
        #expect(diary.take() == ["will", "delete a 0.2 -", "did"])
        #expect(other != results.controller)
    }

    @Test("Results include objects of subentities unless the request excludes them")
    func objectsOfASubentity() throws {
        let folder = try StoreFolder()
        try folder.open(Graph.model()).inContext { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Node")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            let plain = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
            let audience = ResultsAudience()
            plain.delegate = audience
            try plain.performFetch()
            try context.insert("Leaf", ["name": "b"])
            try context.insert("Node", ["name": "a"])
            try context.insert("Tag", ["name": "c"])
            context.processPendingChanges()
            #expect(plain.fetchedObjects?.map { $0.entity.name } == ["Node", "Leaf"])
            request.includesSubentities = false
            try plain.performFetch()
            try context.insert("Leaf", ["name": "d"])
            context.processPendingChanges()
            #expect(plain.fetchedObjects?.map { $0.entity.name } == ["Node"])
            withExtendedLifetime(audience) {}
        }
    }

    final class DifferenceDelegate: NSObject, NSFetchedResultsControllerDelegate {
        var differences: [CollectionDifference<NSManagedObjectID>] = []
        var single = 0

        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
            didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
        ) {
            differences.append(diff)
        }

        func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
            single += 1
        }
    }

    @Test("A delegate that takes differences gets one for each event")
    func delegateWithDifferences() throws {
        let results = try stack()
        let delegate = DifferenceDelegate()
        results.controller.delegate = delegate
        let before = results.context.performAndWait {
            results.controller.fetchedObjects?.map(\.objectID) ?? []
        }
        _ = try results.event {
            $0.delete(try results["a"])
            SampleBooks.book("x", 25, nil, nil, $0)
        }
        let after = results.context.performAndWait {
            results.controller.fetchedObjects?.map(\.objectID) ?? []
        }
        #expect(delegate.single == 0 && delegate.differences.count == 1)
        let difference = try #require(delegate.differences.first)
        #expect(difference.removals.count == 1 && difference.insertions.count == 1)
        #expect(before.applying(difference) == after && before != after)
    }

    final class TitleDelegate: NSObject, NSFetchedResultsControllerDelegate {
        weak var known: NSFetchedResultsController<Book>?
        var knows = false

        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
            sectionIndexTitleForSectionName sectionName: String
        ) -> String? { "<\(sectionName)>" }

        func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
            knows = known.map { controller == $0 } ?? false
        }
    }

    @Test("A delegate supplies index titles and is called with its controller")
    func delegateWithTitles() throws {
        let results = try ResultsStack(["a": 1, "b": 2], .books(by: "pages"), sections: "pages")
        let delegate = TitleDelegate()
        delegate.known = results.controller
        results.controller.delegate = delegate
        results.context.performAndWait {
            #expect(results.controller.sectionIndexTitles == ["<1>", "<2>"])
        }
        _ = try results.event { $0.delete(try results["a"]) }
        #expect(delegate.knows)
    }

    @Test("The stream of changes has each event's changes and sections")
    func streamOfChanges() async throws {
        let results = try stack()
        let stream = results.controller.changes()
        _ = try results.event {
            try results["a"].pages = 99
            SampleBooks.book("x", 15, nil, nil, $0)
        }
        _ = try results.event { $0.delete(try results["b"]) }
        var iterator = stream.makeAsyncIterator()
        let first = try #require(try await iterator.next())
        #expect(first.changes.map(\.type) == [.insert, .move])
        #expect(first.changes.map(\.oldIndexPath) == [nil, IndexPath(item: 0, section: 0)])
        #expect(
            first.changes.map(\.newIndexPath) == [
                IndexPath(item: 0, section: 0), IndexPath(item: 3, section: 0),
            ])
        #expect(first.sections.map(\.objectIDs.count) == [4])
        #expect(first.sections.first?.objectIDs.last == first.changes.last?.objectID)
        let second = try #require(try await iterator.next())
        #expect(second.changes.map(\.type) == [.delete])
        #expect(second.sections.map(\.objectIDs.count) == [3])
    }

    @Test("The stream of changes ends when its controller is released")
    func streamEndsWithItsController() async throws {
        let stack = try SampleBooks.stack()
        let context = stack.context()
        var controller: NSFetchedResultsController<Book>? = NSFetchedResultsController(
            fetchRequest: .books(by: "pages"), managedObjectContext: context, sectionNameKeyPath: nil,
            cacheName: nil)
        let stream = try #require(controller?.changes())
        try context.performAndWait {
            try controller?.performFetch()
            try context.book("Emma").pages = 1
            context.processPendingChanges()
        }
        let isReleased = { [weak controller] in controller == nil }
        controller = nil
        #expect(isReleased())
        var types: [[NSFetchedResultsChangeType]] = []
        for try await change in stream { types.append(change.changes.map(\.type)) }
        #expect(types == [[.move]])
    }

    @Test("A released controller reports nothing")
    func releasedControllerReportsNothing() throws {
        let stack = try SampleBooks.stack()
        let diary = ResultsLog()
        try stack.inContext { context in
            do {
                let controller = NSFetchedResultsController(
                    fetchRequest: .books(by: "pages"), managedObjectContext: context, sectionNameKeyPath: nil,
                    cacheName: nil)
                controller.delegate = diary
                try controller.performFetch()
            }
            try context.book("Emma").pages = 1
            context.processPendingChanges()
            #expect(diary.take() == [])
        }
    }

    @Test("A request whose sort descriptors are nil stops a controller")
    func requestWithoutSortDescriptorsStops() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = try TestStack().context()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.sortDescriptors = nil
            _ = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("sort descriptors"))
    }
}
