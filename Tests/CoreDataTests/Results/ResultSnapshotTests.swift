import CoreData
import Testing

/// Delegates that take results as a whole.
@Suite(.onEveryStore) struct ResultSnapshotTests {
    @Test("A delegate that takes snapshots gets items, sections and reloaded identifiers")
    func snapshotsInPlaceOfChanges() throws {
        let results = try ResultsStack(
            ["a": 1, "b": 1, "c": 2], .books(by: "pages", "title"), sections: "pages")
        let delegate = SnapshotMirror()
        results.controller.delegate = delegate
        try results.context.performAndWait { try results.controller.performFetch() }
        let first = try #require(delegate.snapshots.last)
        #expect(first.sectionIdentifiers == ["1", "2"])
        #expect(first.numberOfItems == 3 && first.numberOfSections == 2)
        #expect(first.numberOfItems(inSection: "1") == 2 && first.numberOfItems(inSection: "7") == 0)
        #expect(first.reloadedItemIdentifiers == [] && first.reloadedSectionIdentifiers == [])

        _ = try results.event {
            try results["b"].pages = 2
            try results["a"].setValue(1.5, forKey: "rating")
            SampleBooks.book("x", 0, nil, nil, $0)
        }
        let ids = results.context.performAndWait {
            (results.controller.fetchedObjects ?? []).map(\.objectID)
        }
        let second = try #require(delegate.snapshots.last)
        #expect(delegate.snapshots.count == 2 && delegate.single == 0)
        #expect(second.sectionIdentifiers == ["0", "1", "2"])
        #expect(second.itemIdentifiers == ids)
        #expect(second.itemIdentifiers(inSection: "2") == Array(ids[2...]))
        #expect(second.reloadedItemIdentifiers == [ids[1], ids[2]])
        #expect(second.reloadedSectionIdentifiers == ["1", "2"])
        #expect(second.sectionIdentifier(containingItem: ids[3]) == "2")
        #expect(second.indexOfItem(ids[2]) == 2 && second.indexOfSection("2") == 2)
        #expect(first.indexOfItem(ids[0]) == nil && first.sectionIdentifier(containingItem: ids[0]) == nil)
        #expect(first.itemIdentifiers == [ids[1], ids[2], ids[3]])
    }

    @Test("A move is an associated removal and insertion of a difference")
    func moveInADifference() throws {
        let results = try ResultsStack(["a": 1, "b": 2, "c": 3], .books(by: "pages"))
        let delegate = ResultsControllerTests.DifferenceDelegate()
        results.controller.delegate = delegate
        _ = try results.event {
            try results["a"].pages = 9
            $0.delete(try results["b"])
        }
        let difference = try #require(delegate.differences.first)
        let (a, b) = try results.context.performAndWait {
            (try results["a"].objectID, try results["b"].objectID)
        }
        #expect(
            difference.map { $0 } == [
                .remove(offset: 1, element: b, associatedWith: nil),
                .remove(offset: 0, element: a, associatedWith: 1),
                .insert(offset: 1, element: a, associatedWith: 0),
            ])
        #expect(delegate.differences.count == 1)
    }

    /// A returned snapshot shows the state at the time of the call.
    @Test("Section infos show the state in which they were read")
    func sectionsAreValues() throws {
        let results = try ResultsStack(["a": 1, "b": 1], .books(by: "pages", "title"), sections: "pages")
        let before = try #require(results.context.performAndWait { results.controller.sections })
        _ = try results.event { $0.delete(try results["a"]) }
        let expected = [try results["a"], try results["b"]]
        #expect(before.map(\.numberOfObjects) == [2])
        #expect(before[0].objects as? [Book] == expected)
        #expect(results.titles == [["b"]])
    }
}
