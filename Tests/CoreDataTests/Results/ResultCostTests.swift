import CoreData
import Testing

/// What following a context costs, counted.
@Suite struct ResultCostTests {
    private let audience = ResultsAudience()

    private func fill(_ context: NSManagedObjectContext, _ count: Int) throws -> [Book] {
        let books = (0..<count).map { SampleBooks.book("\($0)", Int32($0), nil, nil, context) }
        try context.save()
        return books
    }

    private func controller(
        _ request: NSFetchRequest<Book>, sections: String? = nil, _ context: NSManagedObjectContext
    ) throws -> NSFetchedResultsController<Book> {
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: sections, cacheName: nil
        )
        controller.delegate = audience
        try controller.performFetch()
        return controller
    }

    @Test("A change costs evaluations of its objects and logarithmic comparisons", arguments: [nil, "pages"])
    func changeCostsItsObjects(sections: String?) throws {
        try TestStack().inContext { context in
            let books = try fill(context, 2048)
            let diary = ResultsLog()
            let controller = try controller(.books("pages >= 0", by: "pages"), sections: sections, context)
            controller.delegate = diary
            // Which methods the delegate has shows with the first change.
            books[1].setValue(0.5, forKey: "rating")
            context.processPendingChanges()
            try controller.performFetch()
            _ = diary.take()
            books[1000].setValue(1.5, forKey: "rating")
            context.processPendingChanges()
            #expect(controller.cost.evaluations == 1 && controller.cost.comparisons == 2)
            #expect(diary.take().count == 3)

            books[3].pages = 2000
            books[1999].pages = -1
            SampleBooks.book("new", 77, nil, nil, context)
            context.processPendingChanges()
            #expect(controller.cost.evaluations == 4)
            // For each of three objects at most 17 steps down a tree of 2,048, and whether the first still fits.
            #expect(controller.cost.comparisons <= 2 + 2 + 3 * 17)
            #expect(controller.cost.names <= (sections == nil ? 0 : 1 + 2 + 2))
            #expect(controller.cost.fetches == 0)
            #expect(controller.fetchedObjects == (try context.fetch(controller.fetchRequest)))
        }
    }

    @Test("A change is evaluated only by controllers of its entity")
    func otherEntitiesCostNothing() throws {
        try TestStack().inContext { context in
            let books = try fill(context, 500)
            let request = NSFetchRequest<Author>(entityName: "Author")
            request.predicate = NSPredicate(format: "name != nil")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            let others = try (0..<1000).map { _ in
                let controller = NSFetchedResultsController(
                    fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
                    cacheName: nil)
                controller.delegate = audience
                try controller.performFetch()
                return controller
            }
            let own = try controller(.books(by: "pages"), context)
            for book in books { book.setValue(2.5, forKey: "rating") }
            context.processPendingChanges()
            #expect(own.cost.evaluations == 500)
            #expect(others.allSatisfy { $0.cost.evaluations == 0 && $0.cost.comparisons == 0 })
            Author(context: context).name = "a"
            context.processPendingChanges()
            #expect(own.cost.evaluations == 500)
            #expect(others.allSatisfy { $0.cost.evaluations == 1 && $0.fetchedObjects?.count == 1 })
        }
    }

    /// Of many controllers that require different values of their objects, only those that a change may
    /// affect check it.
    @Test("A change is evaluated only by controllers whose predicate its values may match")
    func otherValuesCostNothing() throws {
        try TestStack().inContext { context in
            let books = try fill(context, 1000)
            let all = try (0..<100).map { index in
                try controller(
                    .books("pages >= %@ AND pages < %@", [index * 10, index * 10 + 10], by: "title"), context)
            }
            func asked(_ change: () throws -> Void) throws -> [Int: Int] {
                let before = all.map(\.cost.evaluations)
                try change()
                context.processPendingChanges()
                for (index, each) in all.enumerated() {
                    #expect(each.fetchedObjects == (try context.fetch(each.fetchRequest)), "\(index)")
                }
                let more = zip(all, before).map { $0.cost.evaluations - $1 }
                return Dictionary(uniqueKeysWithValues: more.enumerated().filter { $1 > 0 }.map { ($0, $1) })
            }
            #expect(try asked { books[123].setValue(1.5, forKey: "rating") } == [12: 1])
            // The upper bound belongs to those who may be concerned.
            #expect(try asked { books[120].title = "moved" } == [11: 1, 12: 1])
            #expect(try asked { books[123].pages = 457 } == [12: 1, 45: 1])
            #expect(try asked { books[123].pages = -1 } == [45: 1])
            #expect(try asked { books[123].pages = 458 } == [45: 1])
            #expect(try asked { context.delete(books[123]) } == [45: 1])
            #expect(try asked { SampleBooks.book("new", 777, nil, nil, context) } == [77: 1])
            #expect(try asked { for book in books[301..<303] { book.pages += 10 } } == [30: 2, 31: 2])
            // What is fetched anew is followed by its new objects.
            try all[0].performFetch()
            #expect(try asked { books[5].pages = 55 } == [0: 1, 5: 1])
        }
    }

    /// A related object bears on results by the properties that they read, not by any other.
    @Test("A related object is evaluated only for the properties that the results read")
    func relatedObjectsCostWhatIsRead() throws {
        try TestStack().inContext { context in
            let author = Author(context: context)
            author.name = "m"
            let books = try fill(context, 100)
            for book in books[..<10] { book.author = author }
            try context.save()
            let controller = try controller(
                .books(by: "author.name", "pages"), sections: "author.name", context)
            #expect(controller.sections?.map(\.name) == ["", "m"])

            let book = SampleBooks.book("new", 1000, nil, author, context)
            context.processPendingChanges()
            // The author's books changed too; the order does not read them.
            #expect(controller.cost.evaluations == 1)
            #expect(controller.indexPath(forObject: book) == IndexPath(item: 10, section: 1))

            let diary = ResultsLog()
            controller.delegate = diary
            author.name = "n"
            context.processPendingChanges()
            #expect(controller.cost.evaluations == 12)
            let reported = diary.take()
            #expect(Array(reported.prefix(3)) == ["will", "delete section m 1", "insert section n 1"])
            #expect(reported.count == 3 + 11 + 1 && reported[3] == "move 0 1.0 1.0")
            try context.save()
            #expect(diary.take() == [])
        }
    }

    @Test("Results with a limit are fetched again only when other objects enter the window")
    func windowIsRefetchedWhenNeeded() throws {
        try TestStack().inContext { context in
            let books = try fill(context, 20)
            let controller = try controller(.books(by: "pages", limit: 5), context)
            books[10].pages = 11
            SampleBooks.book("x", 30, nil, nil, context)
            context.processPendingChanges()
            books[3].pages = 2
            SampleBooks.book("first", -1, nil, nil, context)
            context.processPendingChanges()
            #expect(controller.cost.fetches == 0)
            #expect(controller.fetchedObjects?.map(\.title) == ["first", "0", "1", "2", "3"])
            context.delete(books[1])
            context.processPendingChanges()
            #expect(controller.cost.fetches == 1)
            #expect(controller.fetchedObjects?.map(\.title) == ["first", "0", "2", "3", "4"])
        }
    }
}
