import CoreData
import Testing

/// Without sort descriptors, results are in the order of the keys, whichever index finds them.
@Suite struct KeyOrderTests {
    private static let titles = ["Emma", "Persuasion", "Germinal", "L'Œuvre", "Été", "EMMA* WAR?"]
    /// Of these the index has another order.
    private static let long = ["Emma", "Persuasion", "Germinal", "EMMA* WAR?"]

    private static func stack() throws -> TestStack {
        let model = Library.model()
        let book = try #require(model.entitiesByName["Book"])
        let pages = try #require(book.propertiesByName["pages"])
        book.indexes = [
            NSFetchIndexDescription(
                name: "byPages",
                elements: [NSFetchIndexElementDescription(property: pages, collationType: .binary)])
        ]
        let stack = try TestStack(model)
        try stack.inContext { context in
            SampleBooks.fill(context)
            try context.save()
        }
        return stack
    }

    @Test("Results without sort descriptors are in key order although an index finds them")
    func indexGivesNoOrder() throws {
        try Self.stack().inContext { context throws in
            let request = NSFetchRequest<Book>.books("pages > 5")
            let plan = try #require(try context.explanations(of: request).first).plan
            #expect(plan.contains { $0.contains("byPages") } && !plan.contains { $0.contains("ORDER BY") })
            #expect(try context.titles(request) == Self.long)
            #expect(try context.lazyResults(of: request).map(\.title) == Self.long)
            request.fetchBatchSize = 2
            #expect(try context.titles(request) == Self.long)
            request.fetchBatchSize = 0
            request.propertiesToFetch = ["title"]
            #expect(try context.titles(request) == Self.long)
            let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
            ids.predicate = request.predicate
            ids.resultType = .managedObjectIDResultType
            let found = try context.fetch(ids).compactMap { (context.object(with: $0) as? Book)?.title }
            #expect(found == Self.long)
            request.propertiesToFetch = nil
            request.fetchLimit = 3
            #expect(try context.titles(request) == Array(Self.long.prefix(3)))
        }
    }

    @Test("A fetch of all objects needs no sort in SQL")
    func fetchOfAllIsNotSorted() throws {
        try Self.stack().inContext { context throws in
            let plan = try #require(try context.explanations(of: .books()).first)
            #expect(plan.plan == ["SCAN t0"] && !plan.statement.contains("ORDER BY"))
        }
    }

    @Test("Unsorted results have the same order before and after a save")
    func unsavedChangesKeepKeyOrder() throws {
        try Self.stack().inContext { context throws in
            try context.book("Persuasion").pages = 7
            try context.book("Emma").pages = 8
            context.delete(try context.book("Germinal"))
            SampleBooks.book("New", 700, nil, nil, context)
            SampleBooks.book("Newer", 1, nil, nil, context)
            let request = NSFetchRequest<Book>.books("pages > 5")
            let expected = ["Emma", "Persuasion", "EMMA* WAR?", "New"]
            #expect(try context.titles(request) == expected)
            #expect(try context.lazyResults(of: request).map(\.title) == expected)
            let child = NSManagedObjectContext(.privateQueue)
            child.parent = context
            try child.performAndWait {
                #expect(try child.titles(request) == expected)
                try child.book("EMMA* WAR?").pages = 2
                try child.book("Été").pages = 6
                #expect(try child.titles(request) == ["Emma", "Persuasion", "Été", "New"])
                child.rollback()
            }
            try context.save()
            #expect(try context.titles(request) == expected)
            #expect(try context.lazyResults(of: request).map(\.title) == expected)
        }
    }

    @Test("Unsorted results of several stores come store by store")
    func storesFollowEachOther() throws {
        let stack = try Self.stack()
        let other = stack.folder.appendingPathComponent("Other.sqlite")
        let second = try stack.coordinator.addPersistentStore(type: .sqlite, at: other)
        try stack.inContext { context throws in
            let book = SampleBooks.book("Zz", 9, nil, nil, context)
            context.assign(book, to: second)
            try context.save()
            try context.book("Persuasion").pages = 8
            book.pages = 10
            SampleBooks.book("New", 7, nil, nil, context)
            let last = SampleBooks.book("Last", 7, nil, nil, context)
            context.assign(last, to: second)
            let request = NSFetchRequest<Book>.books("pages > 5")
            let before = try context.titles(request)
            try context.save()
            #expect(try context.titles(request) == before)
            #expect(before == Self.long + ["New", "Zz", "Last"])
        }
    }
}
