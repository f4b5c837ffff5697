import CoreData
import Testing

/// Results of requests that leave unsaved changes out.
@Suite(.onEveryStore) struct StoredResultsTests {
    private func stack(
        _ format: String? = nil, sections: String? = nil, limit: Int = 0
    ) throws -> ResultsStack {
        let request = NSFetchRequest<Book>.books(format, by: "pages", limit: limit)
        request.includesPendingChanges = false
        return try ResultsStack(["a": 10, "b": 20, "c": 30], request, sections: sections)
    }

    /// The delegate's reports of a save, except values that the store has computed.
    private func save(_ results: ResultsStack) throws -> [String] {
        try results.context.performAndWait {
            _ = results.diary.take()
            try results.context.save()
            return results.diary.take()
        }
    }

    @Test("Without pending changes, insertions are reported when they are saved")
    func insertionsAfterTheSave() throws {
        let results = try stack()
        #expect(try results.event { SampleBooks.book("x", 15, nil, nil, $0) } == [])
        #expect(results.titles == [["a", "b", "c"]])
        #expect(try save(results) == ["will", "insert x - 0.1", "did"])
        #expect(results.titles == [["a", "x", "b", "c"]])
        #expect(try save(results) == [])
    }

    @Test("Without pending changes, deletions are reported when they are saved")
    func deletionsAfterTheSave() throws {
        let results = try stack()
        let gone = try results["b"]
        #expect(try results.event { $0.delete(gone) } == [])
        results.context.performAndWait {
            #expect(results.controller.fetchedObjects?.count == 3)
            #expect(results.controller.fetchedObjects?[1] === gone)
        }
        #expect(try save(results) == ["will", "delete b 0.1 -", "did"])
        #expect(results.titles == [["a", "c"]])
    }

    @Test("Without pending changes, the order is that of stored values")
    func orderOfTheStore() throws {
        let results = try stack()
        #expect(
            try results.event { _ in try results["a"].pages = 40 } == ["will", "update a 0.0 0.0", "did"])
        #expect(results.titles == [["a", "b", "c"]])
        #expect(try save(results) == ["will", "move a 0.0 0.2", "did"])
        #expect(results.titles == [["b", "c", "a"]])
    }

    @Test("Without pending changes, the predicate reads stored values")
    func predicateOnStoredValues() throws {
        let results = try stack("pages < 25")
        #expect(try results.event { _ in try results["c"].pages = 5 } == [])
        #expect(
            try results.event { _ in try results["a"].pages = 50 } == ["will", "update a 0.0 0.0", "did"])
        #expect(results.titles == [["a", "b"]])
        #expect(
            try save(results) == ["will", "delete a 0.0 -", "insert c - 0.0", "did"])
        #expect(results.titles == [["c", "b"]])
    }

    @Test("Without pending changes, sections are those of stored values")
    func sectionsOfTheStore() throws {
        let results = try stack(sections: "pages")
        #expect(
            try results.event { _ in try results["a"].pages = 40 } == ["will", "update a 0.0 0.0", "did"])
        let names = { results.context.performAndWait { results.controller.sections?.map(\.name) } }
        #expect(names() == ["10", "20", "30"])
        try results.context.performAndWait { try results.controller.performFetch() }
        #expect(names() == ["10", "20", "30"])
        #expect(
            try save(results) == [
                "will", "delete section 10 0", "insert section 40 2", "move a 0.0 2.0", "did",
            ])
        #expect(names() == ["20", "30", "40"])
    }

    @Test("Without pending changes, a limited window changes when it is saved")
    func limit() throws {
        let results = try stack(limit: 2)
        #expect(try results.event { SampleBooks.book("x", 15, nil, nil, $0) } == [])
        #expect(
            try save(results) == ["will", "delete b 0.1 -", "insert x - 0.1", "did"])
    }

    @Test("Without pending changes, merged saves of other contexts are reported")
    func mergedSavesCount() throws {
        let results = try stack()
        results.context.performAndWait { results.context.automaticallyMergesChangesFromParent = true }
        _ = try results.event { SampleBooks.book("mine", 1, nil, nil, $0) }
        try results.elsewhere {
            $0.delete(try $0.book("b"))
            SampleBooks.book("x", 25, nil, nil, $0)
        }
        let reported = results.context.performAndWait { results.diary.take() }
        #expect(reported == ["will", "delete b 0.1 -", "insert x - 0.1", "did"])
        #expect(results.titles == [["a", "x", "c"]])
    }

    @Test("Including pending changes takes effect with the next fetch")
    func changedRequestIncludesThem() throws {
        let results = try stack()
        _ = try results.event { SampleBooks.book("x", 15, nil, nil, $0) }
        try results.context.performAndWait {
            results.controller.fetchRequest.includesPendingChanges = true
            try results.controller.performFetch()
        }
        #expect(results.titles == [["a", "x", "b", "c"]])
        #expect(try save(results) == [])
    }

    @Test("A new delegate gets changes that were saved before")
    func newDelegateGetsEarlierSaves() throws {
        let results = try stack()
        results.controller.delegate = nil
        _ = try results.event {
            SampleBooks.book("x", 15, nil, nil, $0)
            try $0.save()
        }
        #expect(results.titles == [["a", "b", "c"]])
        results.controller.delegate = results.diary
        #expect(
            try results.event { _ in try results["c"].pages = 31 } == [
                "will", "insert x - 0.1", "update c 0.2 0.3", "did",
            ])
    }
}
