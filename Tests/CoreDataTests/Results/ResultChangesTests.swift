import CoreData
import Testing

/// What the delegate of a results controller without sections is told.
@Suite(.onEveryStore) struct ResultChangesTests {
    private func stack(_ format: String? = nil, limit: Int = 0) throws -> ResultsStack {
        try ResultsStack(["a": 10, "b": 20, "c": 30], .books(format, by: "pages", limit: limit))
    }

    @Test func insertions() throws {
        let results = try stack()
        let told = try results.event {
            Shelf.book("y", 40, nil, nil, $0)
            Shelf.book("x", 15, nil, nil, $0)
        }
        #expect(told == ["will", "insert x - 0.1", "insert y - 0.4", "did"])
        #expect(results.titles == [["a", "x", "b", "c", "y"]])
    }

    @Test func aSaveAloneTellsNothingNew() throws {
        let results = try stack()
        _ = try results.event { Shelf.book("x", 15, nil, nil, $0) }
        _ = try results.event { try $0.save() }
        #expect(results.titles == [["a", "x", "b", "c"]])
        #expect(try results.event { try $0.save() } == [])
    }

    @Test func deletions() throws {
        let results = try stack()
        let told = try results.event {
            $0.delete(try results["a"])
            $0.delete(try results["c"])
        }
        #expect(told == ["will", "delete a 0.0 -", "delete c 0.2 -", "did"])
        #expect(results.titles == [["b"]])
    }

    @Test func theLastOneDeleted() throws {
        let results = try stack("title == 'a'")
        #expect(try results.event { $0.delete(try results["a"]) } == ["will", "delete a 0.0 -", "did"])
        #expect(results.titles == [[]])
        #expect(try results.event { try $0.save() } == [])
        #expect(try results.event { Shelf.book("a", 1, nil, nil, $0) } == ["will", "insert a - 0.0", "did"])
    }

    @Test func updates() throws {
        let results = try stack()
        let told = try results.event { _ in try results["b"].setValue(2.5, forKey: "rating") }
        #expect(told == ["will", "update b 0.1 0.1", "did"])
        #expect(
            try results.event { _ in try results["b"].pages = 21 } == ["will", "update b 0.1 0.1", "did"])
    }

    @Test func moves() throws {
        let results = try stack()
        #expect(try results.event { _ in try results["a"].pages = 99 } == ["will", "move a 0.0 0.2", "did"])
        #expect(results.titles == [["b", "c", "a"]])
        #expect(try results.event { _ in try results["a"].pages = 1 } == ["will", "move a 0.2 0.0", "did"])
    }

    @Test func twoObjectsThatChangePlaces() throws {
        let results = try stack()
        let told = try results.event { _ in
            try results["a"].pages = 30
            try results["c"].pages = 10
        }
        #expect(told == ["will", "move c 0.2 0.0", "move a 0.0 0.2", "did"])
    }

    /// What others do around an object is no move of it.
    @Test func anUpdateBesideOtherChanges() throws {
        let results = try stack()
        let told = try results.event {
            $0.delete(try results["b"])
            try results["c"].pages = 31
            try results["a"].pages = 11
            Shelf.book("x", 1, nil, nil, $0)
        }
        #expect(
            told == [
                "will", "delete b 0.1 -", "insert x - 0.0", "update a 0.0 0.1", "update c 0.2 0.2", "did",
            ])
    }

    @Test func anUpdateBesideAMove() throws {
        let results = try stack()
        let told = try results.event { _ in
            try results["a"].pages = 99
            try results["b"].pages = 21
            try results["c"].pages = 31
        }
        #expect(told == ["will", "update b 0.1 0.0", "update c 0.2 0.1", "move a 0.0 0.2", "did"])
    }

    @Test func anObjectAmongEqualsStaysWhereItIs() throws {
        let results = try ResultsStack(["a": 1, "b": 1, "c": 1], .books(by: "pages"))
        let told = try results.event { _ in try results["a"].setValue(2.5, forKey: "rating") }
        #expect(told == ["will", "update a 0.0 0.0", "did"])
        #expect(results.titles == [["a", "b", "c"]])
    }

    @Test func objectsThatBeginAndEndToMeetTheCondition() throws {
        let results = try stack("pages > 15")
        #expect(results.titles == [["b", "c"]])
        #expect(try results.event { _ in try results["c"].pages = 1 } == ["will", "delete c 0.1 -", "did"])
        #expect(try results.event { _ in try results["a"].pages = 16 } == ["will", "insert a - 0.0", "did"])
        #expect(try results.event { _ in try results["c"].pages = 2 } == [])
    }

    @Test func objectsOfOtherEntitiesDoNotConcernIt() throws {
        let results = try stack()
        #expect(try results.event { _ = Author(context: $0) } == [])
    }

    @Test func aLimit() throws {
        let results = try stack(limit: 2)
        #expect(results.titles == [["a", "b"]])
        #expect(
            try results.event { Shelf.book("x", 15, nil, nil, $0) } == [
                "will", "delete b 0.1 -", "insert x - 0.1", "did",
            ])
        #expect(
            try results.event { $0.delete(try results["a"]) } == [
                "will", "delete a 0.0 -", "insert b - 0.1", "did",
            ])
        #expect(try results.event { _ in try results["c"].pages = 31 } == [])
        #expect(results.titles == [["x", "b"]])
    }

    @Test func undoAndRedo() throws {
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

    @Test func aRollback() throws {
        let results = try stack()
        _ = try results.event {
            try results["a"].pages = 99
            $0.delete(try results["b"])
            Shelf.book("x", 1, nil, nil, $0)
        }
        #expect(results.titles == [["x", "c", "a"]])
        _ = try results.event { $0.rollback() }
        #expect(results.titles == [["a", "b", "c"]])
    }

    @Test func aRefreshedObject() throws {
        let results = try stack()
        try results.elsewhere { try $0.book("a").pages = 25 }
        let told = try results.event { $0.refresh(try results["a"], mergeChanges: false) }
        #expect(told == ["will", "move a 0.0 0.1", "did"])
    }

    @Test func changesSavedByAnotherContext() throws {
        let results = try stack()
        results.context.performAndWait { results.context.automaticallyMergesChangesFromParent = true }
        try results.elsewhere {
            $0.delete(try $0.book("b"))
            try $0.book("a").pages = 40
            Shelf.book("x", 35, nil, nil, $0)
        }
        let told = results.context.performAndWait { results.diary.take() }
        #expect(told == ["will", "delete b 0.1 -", "insert x - 0.1", "move a 0.0 0.2", "did"])
        #expect(results.titles == [["c", "x", "a"]])
    }

    @Test func changesMergedByHand() throws {
        let results = try stack()
        let save = try results.stack.saved { other in
            Shelf.book("x", 5, nil, nil, other)
            try other.book("c").pages = 1
        }
        #expect(results.titles == [["a", "b", "c"]])
        let told = try results.event { $0.mergeChanges(fromContextDidSave: save) }
        #expect(told == ["will", "insert x - 0.1", "move c 0.2 0.0", "did"])
        #expect(results.titles == [["c", "x", "a", "b"]])
    }
}
