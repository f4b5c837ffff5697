import CoreData
import Testing

/// Objects that another context has deleted, which a refresh finds gone.
@Suite(.onEveryStore) struct ResultDeletionTests {
    private func stack(
        _ format: String? = nil, sections: String? = nil, limit: Int = 0
    ) throws -> ResultsStack {
        try ResultsStack(
            ["a": 10, "b": 20, "c": 30], .books(format, by: "pages", limit: limit), sections: sections)
    }

    /// The delegate's reports of a refresh after another context has deleted "b", and how often the
    /// notification at the end of an event contains "b" among the deleted objects.
    private func reports(_ results: ResultsStack) throws -> (reported: [String], deletions: Int) {
        let gone = try results["b"]
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, from: results.context)
        try results.elsewhere { $0.delete(try $0.book("b")) }
        results.context.performAndWait {
            _ = results.diary.take()
            results.context.refreshAllObjects()
        }
        // Before any other event.
        let reported = results.diary.take()
        let deletions = log.all.count { note in
            (note.userInfo?[NSDeletedObjectsKey] as? Set<NSManagedObject>)?.contains(gone) ?? false
        }
        return (reported, deletions)
    }

    @Test("A refresh reports an object that another context deleted once as deleted")
    func withoutAPredicate() throws {
        let results = try stack()
        let (reported, deletions) = try reports(results)
        #expect(
            reported == ["will", "delete nil 0.1 -", "update a 0.0 0.0", "update c 0.2 0.1", "did"])
        #expect(deletions == 1)
        #expect(results.titles == [["a", "c"]])
        #expect(try results.event { _ in try results["c"].pages = 1 } == ["will", "move c 0.1 0.0", "did"])
    }

    @Test(
        "A refresh reports a deleted object whatever the predicate says of nil values",
        arguments: ["pages > 0", "pages == nil OR pages < 100", "title == nil OR title != 'x'"])
    func withAPredicate(format: String) throws {
        let results = try stack(format)
        let (reported, deletions) = try reports(results)
        #expect(
            reported == ["will", "delete nil 0.1 -", "update a 0.0 0.0", "update c 0.2 0.1", "did"])
        #expect(deletions == 1)
    }

    @Test("A refresh reports a deleted object and its section")
    func inSections() throws {
        let results = try stack(sections: "pages")
        let (reported, deletions) = try reports(results)
        #expect(
            reported == [
                "will", "delete section 20 1", "delete nil 1.0 -", "update a 0.0 0.0", "update c 2.0 1.0",
                "did",
            ])
        #expect(deletions == 1)
    }

    @Test("A refresh reports a deleted object of a window and its successor")
    func inAWindow() throws {
        let results = try stack(limit: 2)
        let (reported, deletions) = try reports(results)
        #expect(reported.contains("delete nil 0.1 -") && reported.contains { $0.hasPrefix("insert c") })
        #expect(deletions == 1)
        #expect(results.titles == [["a", "c"]])
    }
}

/// What following a refresh reads.
@Suite struct RefreshedResultsTests {
    @Test("Refreshed objects of the results are read in one request")
    func refreshedObjectsAreReadTogether() throws {
        let stack = try TestStack.books(6).reopened()
        try stack.inContext { context in
            let request = NSFetchRequest<Book>.books(by: "pages")
            request.includesPropertyValues = false
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
            let diary = ResultsLog()
            controller.delegate = diary
            try controller.performFetch()
            let books = try #require(controller.fetchedObjects)
            #expect(books.count == 6 && books.allSatisfy(\.isFault))
            for book in books { context.refresh(book, mergeChanges: false) }
            stack.coordinator.expectReads(1) { context.processPendingChanges() }
            #expect(diary.take() == ["will"] + (0..<6).map { "update b\($0) 0.\($0) 0.\($0)" } + ["did"])
        }
    }
}
