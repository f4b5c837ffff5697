import CoreData
import Testing

/// Sections of a results controller.
@Suite(.onEveryStore) struct ResultSectionTests {
    private func stack() throws -> ResultsStack {
        try ResultsStack(
            ["a": 1, "b": 1, "c": 2, "d": 4], .books(by: "pages", "title"), sections: "pages")
    }

    @Test("Sections have names, counts, objects and index paths")
    func namesAndContents() throws {
        let results = try stack()
        try results.context.performAndWait {
            let controller = results.controller
            let sections = try #require(controller.sections)
            #expect(sections.map(\.name) == ["1", "2", "4"])
            #expect(sections.map(\.numberOfObjects) == [2, 1, 1])
            #expect(controller.titles == [["a", "b"], ["c"], ["d"]])
            #expect(controller.fetchedObjects?.map(\.title) == ["a", "b", "c", "d"])
            #expect(controller.object(at: IndexPath(item: 1, section: 0)).title == "b")
            #expect(
                controller.indexPath(forObject: try results.context.book("d"))
                    == IndexPath(row: 0, section: 2))
            #expect(
                controller.indexPath(forObject: SampleBooks.book("e", 5, nil, nil, results.context)) == nil)
        }
    }

    @Test("Index titles are the first letters of section names")
    func indexTitles() throws {
        // The titles are compared without accents, by a derived attribute.
        guard StoreKind.current.derives else { return }
        let results = try ResultsStack(
            ["anna": 1, "Anton": 1, "berta": 1, "Émile": 1, "": 1],
            .books(by: "canonicalTitle"), sections: "title")
        results.context.performAndWait {
            let controller = results.controller
            #expect(controller.sectionIndexTitles == ["A", "B", "É"])
            #expect(controller.sections?.map(\.indexTitle) == [nil, "A", "A", "B", "É"])
            #expect(controller.section(forSectionIndexTitle: "A", at: 0) == 1)
            #expect(controller.section(forSectionIndexTitle: "B", at: 1) == 3)
            #expect(controller.section(forSectionIndexTitle: "É", at: 2) == 4)
            #expect(controller.sectionIndexTitle(forSectionName: "zola") == "Z")
        }
    }

    /// Sections that do not follow each other have entries of their own, distinguished by their index.
    @Test("Repeated index titles are distinguished by their index")
    func repeatedIndexTitles() throws {
        let results = try ResultsStack(
            ["anna": 1, "Bert": 2, "Anton": 3, "Adam": 4, "Bea": 5], .books(by: "pages"), sections: "title")
        results.context.performAndWait {
            let controller = results.controller
            #expect(controller.sectionIndexTitles == ["A", "B", "A", "B"])
            let sections = controller.sectionIndexTitles.enumerated().map {
                controller.section(forSectionIndexTitle: $1, at: $0)
            }
            #expect(sections == [0, 1, 2, 4])
        }
    }

    @Test(
        "An index title that does not match its index stops the process",
        arguments: [("B", 0), ("Z", 1), ("A", -1), ("B", 2)])
    func wrongIndexTitleStops(title: String, position: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [title, position] in
            let results = try ResultsStack(["anna": 1, "berta": 2], .books(by: "title"), sections: "title")
            results.context.performAndWait {
                _ = results.controller.section(forSectionIndexTitle: title, at: position)
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("Index title at \(position) is not equal to '\(title)'."))
    }

    private final class LastLetters: NSFetchedResultsController<Book> {
        override func sectionIndexTitle(forSectionName sectionName: String) -> String? {
            sectionName.last.map { "-\($0)" }
        }
    }

    @Test("A subclass may supply its own index titles")
    func subclassWithOwnTitles() throws {
        let results = try ResultsStack(["ab": 1, "bb": 2, "ca": 3], .books(by: "title"), sections: "title")
        try results.context.performAndWait {
            let controller = LastLetters(
                fetchRequest: .books(by: "title"), managedObjectContext: results.context,
                sectionNameKeyPath: "title", cacheName: nil)
            try controller.performFetch()
            #expect(controller.sectionIndexTitles == ["-b", "-a"])
            #expect(controller.sections?.map(\.indexTitle) == ["-b", "-b", "-a"])
            #expect(controller.section(forSectionIndexTitle: "-a", at: 1) == 2)
        }
    }

    @Test("Results without a section key path have one unnamed section")
    func withoutSections() throws {
        let results = try ResultsStack([:], .books(by: "title"))
        results.context.performAndWait {
            #expect(results.controller.sections?.count == 1)
            #expect(results.controller.sections?.first?.name == "")
            #expect(results.controller.fetchedObjects == [])
        }
    }

    @Test("Objects with new section names insert sections")
    func insertedSections() throws {
        let results = try stack()
        let reported = try results.event {
            SampleBooks.book("y", 3, nil, nil, $0)
            SampleBooks.book("x", 0, nil, nil, $0)
            SampleBooks.book("b1", 1, nil, nil, $0)
        }
        #expect(
            reported == [
                "will", "insert section 0 0", "insert section 3 3", "insert x - 0.0", "insert b1 - 1.2",
                "insert y - 3.0", "did",
            ])
        #expect(results.titles == [["x"], ["a", "b", "b1"], ["c"], ["y"], ["d"]])
    }

    @Test("A section whose last object is deleted is deleted")
    func deletedSections() throws {
        let results = try stack()
        let reported = try results.event {
            $0.delete(try results["a"])
            $0.delete(try results["c"])
        }
        #expect(reported == ["will", "delete section 2 1", "delete a 0.0 -", "delete c 1.0 -", "did"])
        #expect(results.titles == [["b"], ["d"]])
    }

    @Test("Objects move between sections, which are inserted and deleted as needed")
    func movesBetweenSections() throws {
        let results = try stack()
        #expect(try results.event { _ in try results["a"].pages = 2 } == ["will", "move a 0.0 1.0", "did"])
        #expect(
            try results.event { _ in try results["b"].pages = 3 } == [
                "will", "delete section 1 0", "insert section 3 1", "move b 0.0 1.0", "did",
            ])
        #expect(results.titles == [["a", "c"], ["b"], ["d"]])
        #expect(
            try results.event { _ in try results["b"].pages = 4 } == [
                "will", "delete section 3 1", "move b 1.0 1.0", "did",
            ])
    }

    @Test("Merged changes insert and delete sections")
    func changesSavedByAnotherContext() throws {
        let results = try stack()
        results.context.performAndWait { results.context.automaticallyMergesChangesFromParent = true }
        try results.elsewhere {
            $0.delete(try $0.book("c"))
            try $0.book("a").pages = 4
            SampleBooks.book("x", 5, nil, nil, $0)
        }
        let reported = results.context.performAndWait { results.diary.take() }
        #expect(
            reported == [
                "will", "delete section 2 1", "insert section 5 2", "delete c 1.0 -", "insert x - 2.0",
                "move a 0.0 1.0", "did",
            ])
        #expect(results.titles == [["b"], ["a", "d"], ["x"]])
    }

    @Test("All objects of a section move to a new section")
    func allObjectsMoveToANewSection() throws {
        let results = try stack()
        let reported = try results.event { _ in
            try results["a"].pages = 3
            try results["b"].pages = 3
        }
        #expect(
            reported == [
                "will", "delete section 1 0", "insert section 3 1", "move a 0.0 1.0", "move b 0.1 1.1", "did",
            ])
        #expect(results.titles == [["c"], ["a", "b"], ["d"]])
    }

    @Test("Deleting the only object deletes its section, and an insertion makes a new one")
    func onlySectionIsDeleted() throws {
        let results = try ResultsStack(["a": 1], .books(by: "pages"), sections: "pages")
        let reported = try results.event { $0.delete(try results["a"]) }
        #expect(reported == ["will", "delete section 1 0", "delete a 0.0 -", "did"])
        #expect(results.titles == [])
        #expect(
            try results.event { SampleBooks.book("x", 7, nil, nil, $0) } == [
                "will", "insert section 7 0", "insert x - 0.0", "did",
            ])
    }

    @Test("Section infos keep their content after another fetch")
    func heldSectionsAreUnchanged() throws {
        let results = try stack()
        try results.context.performAndWait {
            let held = try #require(results.controller.sections)
            results.controller.fetchRequest.predicate = NSPredicate(format: "pages > 1")
            try results.controller.performFetch()
            #expect(results.controller.titles == [["c"], ["d"]])
            #expect(held.map(\.numberOfObjects) == [2, 1, 1])
            #expect(
                held.map { ($0.objects as? [Book])?.map(\.title) } == [["a", "b"], ["c"], ["d"]])
        }
    }

    @Test("Section infos outlive their controller")
    func sectionsOutliveTheirController() throws {
        let results = try stack()
        try results.context.performAndWait {
            var held: [any NSFetchedResultsSectionInfo] = []
            do {
                let controller = NSFetchedResultsController(
                    fetchRequest: .books(by: "pages", "title"), managedObjectContext: results.context,
                    sectionNameKeyPath: "pages", cacheName: nil)
                try controller.performFetch()
                held = try #require(controller.sections)
            }
            #expect(held.map(\.name) == ["1", "2", "4"] && held.map(\.numberOfObjects) == [2, 1, 1])
            #expect(
                held.map { ($0.objects as? [Book])?.map(\.title) } == [["a", "b"], ["c"], ["d"]])
        }
    }

    @Test("Sections may be made by a key path over a relationship")
    func keyPathOverARelationship() throws {
        let stack = try SampleBooks.stack()
        try stack.inContext { context in
            let controller = NSFetchedResultsController(
                fetchRequest: .books("author.name != nil", by: "author.name", "title"),
                managedObjectContext: context, sectionNameKeyPath: "author.name", cacheName: "books")
            #expect(controller.sections == nil && controller.fetchedObjects == nil)
            try controller.performFetch()
            #expect(controller.sections?.map(\.name) == ["Jane Austen", "Émile Zola"])
            #expect(controller.titles == [["Emma", "Persuasion"], ["Germinal", "L'Œuvre"]])
            #expect(controller.cacheName == "books" && controller.sectionNameKeyPath == "author.name")
        }
    }
}
