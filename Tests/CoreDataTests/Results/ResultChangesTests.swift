import CoreData
import Testing

/// The reports to the delegate of a results controller without sections.
@Suite(.onEveryStore) struct ResultChangesTests {
    private func stack(_ format: String? = nil, limit: Int = 0) throws -> ResultsStack {
        try ResultsStack(["a": 10, "b": 20, "c": 30], .books(format, by: "pages", limit: limit))
    }

    @Test("Insertions are reported at their new indexes")
    func insertions() throws {
        let results = try stack()
        let reported = try results.event {
            SampleBooks.book("y", 40, nil, nil, $0)
            SampleBooks.book("x", 15, nil, nil, $0)
        }
        #expect(reported == ["will", "insert x - 0.1", "insert y - 0.4", "did"])
        #expect(results.titles == [["a", "x", "b", "c", "y"]])
    }

    @Test("A save alone reports nothing")
    func saveReportsNothing() throws {
        let results = try stack()
        _ = try results.event { SampleBooks.book("x", 15, nil, nil, $0) }
        _ = try results.event { try $0.save() }
        #expect(results.titles == [["a", "x", "b", "c"]])
        #expect(try results.event { try $0.save() } == [])
    }

    @Test("Deletions are reported at their old indexes")
    func deletions() throws {
        let results = try stack()
        let reported = try results.event {
            $0.delete(try results["a"])
            $0.delete(try results["c"])
        }
        #expect(reported == ["will", "delete a 0.0 -", "delete c 0.2 -", "did"])
        #expect(results.titles == [["b"]])
    }

    @Test("Deleting the last object leaves an empty section")
    func lastObjectDeleted() throws {
        let results = try stack("title == 'a'")
        #expect(try results.event { $0.delete(try results["a"]) } == ["will", "delete a 0.0 -", "did"])
        #expect(results.titles == [[]])
        #expect(try results.event { try $0.save() } == [])
        #expect(
            try results.event { SampleBooks.book("a", 1, nil, nil, $0) } == ["will", "insert a - 0.0", "did"])
    }

    @Test("Updates are reported at the same index")
    func updates() throws {
        let results = try stack()
        let reported = try results.event { _ in try results["b"].setValue(2.5, forKey: "rating") }
        #expect(reported == ["will", "update b 0.1 0.1", "did"])
        #expect(
            try results.event { _ in try results["b"].pages = 21 } == ["will", "update b 0.1 0.1", "did"])
    }

    @Test("A changed sort key is reported as a move")
    func moves() throws {
        let results = try stack()
        #expect(try results.event { _ in try results["a"].pages = 99 } == ["will", "move a 0.0 0.2", "did"])
        #expect(results.titles == [["b", "c", "a"]])
        #expect(try results.event { _ in try results["a"].pages = 1 } == ["will", "move a 0.2 0.0", "did"])
    }

    @Test("Two objects that exchange their indexes are both reported as moved")
    func objectsThatExchangeIndexes() throws {
        let results = try stack()
        let reported = try results.event { _ in
            try results["a"].pages = 30
            try results["c"].pages = 10
        }
        #expect(reported == ["will", "move c 0.2 0.0", "move a 0.0 0.2", "did"])
    }

    /// Changes of other objects around an object are not a move of it.
    @Test("An update beside insertions and deletions is not a move")
    func updateBesideOtherChanges() throws {
        let results = try stack()
        let reported = try results.event {
            $0.delete(try results["b"])
            try results["c"].pages = 31
            try results["a"].pages = 11
            SampleBooks.book("x", 1, nil, nil, $0)
        }
        #expect(
            reported == [
                "will", "delete b 0.1 -", "insert x - 0.0", "update a 0.0 0.1", "update c 0.2 0.2", "did",
            ])
    }

    @Test("An update beside a move of another object is an update")
    func updateBesideAMove() throws {
        let results = try stack()
        let reported = try results.event { _ in
            try results["a"].pages = 99
            try results["b"].pages = 21
            try results["c"].pages = 31
        }
        #expect(reported == ["will", "update b 0.1 0.0", "update c 0.2 0.1", "move a 0.0 0.2", "did"])
    }

    @Test("An update among objects with equal sort keys keeps its index")
    func updateAmongEqualKeys() throws {
        let results = try ResultsStack(["a": 1, "b": 1, "c": 1], .books(by: "pages"))
        let reported = try results.event { _ in try results["a"].setValue(2.5, forKey: "rating") }
        #expect(reported == ["will", "update a 0.0 0.0", "did"])
        #expect(results.titles == [["a", "b", "c"]])
    }

    @Test("Objects that begin or cease to match the predicate are inserted or deleted")
    func predicateChanges() throws {
        let results = try stack("pages > 15")
        #expect(results.titles == [["b", "c"]])
        #expect(try results.event { _ in try results["c"].pages = 1 } == ["will", "delete c 0.1 -", "did"])
        #expect(try results.event { _ in try results["a"].pages = 16 } == ["will", "insert a - 0.0", "did"])
        #expect(try results.event { _ in try results["c"].pages = 2 } == [])
    }

    @Test("Objects of other entities are not reported")
    func otherEntities() throws {
        let results = try stack()
        #expect(try results.event { _ = Author(context: $0) } == [])
    }

    @Test("Results with a limit report objects that enter and leave the window")
    func limit() throws {
        let results = try stack(limit: 2)
        #expect(results.titles == [["a", "b"]])
        #expect(
            try results.event { SampleBooks.book("x", 15, nil, nil, $0) } == [
                "will", "delete b 0.1 -", "insert x - 0.1", "did",
            ])
        #expect(
            try results.event { $0.delete(try results["a"]) } == [
                "will", "delete a 0.0 -", "insert b - 0.1", "did",
            ])
        #expect(try results.event { _ in try results["c"].pages = 31 } == [])
        #expect(results.titles == [["x", "b"]])
    }

    @Test("Undo and redo are reported")
    func undoAndRedo() throws {
        let results = try stack()
        let undo = UndoManager()
        undo.groupsByEvent = false
        results.context.performAndWait { results.context.undoManager = undo }
        func grouped(_ body: (NSManagedObjectContext) throws -> Void) throws -> [String] {
            try results.event { context in
                undo.beginUndoGrouping()
                try body(context)
                context.processPendingChanges()
                undo.endUndoGrouping()
            }
        }
        #expect(try grouped { $0.delete(try results["b"]) } == ["will", "delete b 0.1 -", "did"])
        #expect(try results.event { $0.undo() } == ["will", "insert b - 0.1", "did"])
        #expect(try results.event { $0.redo() } == ["will", "delete b 0.1 -", "did"])
        #expect(try results.event { $0.undo() } == ["will", "insert b - 0.1", "did"])
        #expect(try grouped { _ in try results["a"].pages = 25 } == ["will", "move a 0.0 0.1", "did"])
        #expect(try results.event { $0.undo() } == ["will", "move a 0.1 0.0", "did"])
    }

    @Test("A rollback restores the results")
    func rollback() throws {
        let results = try stack()
        _ = try results.event {
            try results["a"].pages = 99
            $0.delete(try results["b"])
            SampleBooks.book("x", 1, nil, nil, $0)
        }
        #expect(results.titles == [["x", "c", "a"]])
        _ = try results.event { $0.rollback() }
        #expect(results.titles == [["a", "b", "c"]])
    }

    @Test("A refreshed object with other values is reported as moved")
    func refreshedObject() throws {
        let results = try stack()
        try results.elsewhere { try $0.book("a").pages = 25 }
        let reported = try results.event { $0.refresh(try results["a"], mergeChanges: false) }
        #expect(reported == ["will", "move a 0.0 0.1", "did"])
    }

    @Test("Automatically merged changes are reported")
    func changesSavedByAnotherContext() throws {
        let results = try stack()
        results.context.performAndWait { results.context.automaticallyMergesChangesFromParent = true }
        try results.elsewhere {
            $0.delete(try $0.book("b"))
            try $0.book("a").pages = 40
            SampleBooks.book("x", 35, nil, nil, $0)
        }
        let reported = results.context.performAndWait { results.diary.take() }
        #expect(reported == ["will", "delete b 0.1 -", "insert x - 0.1", "move a 0.0 0.2", "did"])
        #expect(results.titles == [["c", "x", "a"]])
    }

    @Test("Manually merged changes are reported")
    func changesMergedManually() throws {
        let results = try stack()
        let save = try results.stack.saved { other in
            SampleBooks.book("x", 5, nil, nil, other)
            try other.book("c").pages = 1
        }
        #expect(results.titles == [["a", "b", "c"]])
        let reported = try results.event { $0.mergeChanges(fromContextDidSave: save) }
        #expect(reported == ["will", "insert x - 0.1", "move c 0.2 0.0", "did"])
        #expect(results.titles == [["c", "x", "a", "b"]])
    }
}
