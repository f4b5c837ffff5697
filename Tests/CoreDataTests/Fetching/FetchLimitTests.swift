import CoreData
import Testing

/// Limits and offsets.
@Suite struct FetchLimitTests {
    private static let byPages = ["Été", "L'Œuvre", "EMMA* WAR?", "Persuasion", "Emma", "Germinal"]

    @Test(
        "A limit and an offset select a window of saved objects",
        arguments: [(0, 0), (1, 0), (2, 1), (3, 3), (0, 4), (10, 5), (5, 6), (2, 100)])
    func saved(_ limit: Int, _ offset: Int) throws {
        let rest = Self.byPages.dropFirst(offset)
        let expected = Array(limit > 0 ? rest.prefix(limit) : rest)
        try SampleBooks.stack().inContext { context throws in
            let request = NSFetchRequest<Book>.books(by: "pages", limit: limit, offset: offset)
            #expect(try context.titles(request) == expected)
            #expect(try context.count(for: request) == expected.count)
        }
    }

    /// What a fetch finds before a save is what it finds after it.
    @Test(
        "A window is the same before and after a save of changes",
        arguments: [(0, 0), (1, 0), (2, 1), (3, 3), (0, 4), (10, 5), (5, 6), (2, 100)])
    func withUnsavedChanges(_ limit: Int, _ offset: Int) throws {
        try SampleBooks.stack().inContext { context in
            context.delete(try context.book("L'Œuvre"))
            try context.book("Germinal").pages = -5
            try context.book("Emma").title = "Emma!"
            SampleBooks.book("New", 100, nil, nil, context)
            SampleBooks.book("Other", 1000, nil, nil, context)
            let request = NSFetchRequest<Book>.books(
                "title != 'Persuasion'", by: "pages", limit: limit, offset: offset)
            let all = ["Germinal", "Été", "EMMA* WAR?", "New", "Emma!", "Other"]
            let rest = all.dropFirst(offset)
            let expected = Array(limit > 0 ? rest.prefix(limit) : rest)
            for _ in ["before", "after"] {
                #expect(try context.titles(request) == expected)
                #expect(try context.count(for: request) == expected.count)
                let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
                ids.resultType = .managedObjectIDResultType
                ids.predicate = request.predicate
                ids.sortDescriptors = request.sortDescriptors
                ids.fetchLimit = limit
                ids.fetchOffset = offset
                #expect(try context.fetch(ids) == context.fetch(request).map(\.objectID))
                try context.save()
            }
        }
    }

    @Test("A negative limit or offset is an error that names both", arguments: [(-1, 0), (0, -1)])
    func negative(_ limit: Int, _ offset: Int) throws {
        try SampleBooks.stack().inContext { context in
            let failure = try error { _ = try context.fetch(.books(limit: limit, offset: offset)) }
            #expect(failure.code == 134060)
            #expect(failure.localizedDescription.contains("fetchLimit and fetchOffset"))
        }
    }
}
