import CoreData
import TestSupport
import Testing

/// Conditions for which an index is there are searched by it.
@Suite struct QueryPlanTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let format: String
        /// What a line of SQLite's plan must contain.
        let step: String
        var testDescription: String { format }
    }

    /// Books with an index on title, on the canonical title, and on pages.
    private static func stack() throws -> TestStack {
        let model = Library.model()
        let book = try #require(model.entitiesByName["Book"])
        book.indexes = try ["title", "canonicalTitle", "pages", "uuid"].map { name in
            let property = try #require(book.propertiesByName[name])
            return NSFetchIndexDescription(
                name: "by\(name)",
                elements: [NSFetchIndexElementDescription(property: property, collationType: .binary)])
        }
        return try TestStack(model)
    }

    @Test(
        "A condition on an indexed attribute uses the index",
        arguments: [
            Case(format: "title == 'Emma'", step: "USING INDEX Z_Book_bytitle (ZTITLE=?)"),
            Case(format: "title ==[n] 'Emma'", step: "USING INDEX Z_Book_bytitle (ZTITLE=?)"),
            Case(format: "title BEGINSWITH 'Em'", step: "USING INDEX Z_Book_bytitle (ZTITLE>? AND ZTITLE<?)"),
            Case(
                format: "title BEGINSWITH[n] 'Em'", step: "USING INDEX Z_Book_bytitle (ZTITLE>? AND ZTITLE<?)"
            ),
            Case(format: "canonicalTitle ==[n] 'emma'", step: "USING INDEX Z_Book_bycanonicalTitle"),
            Case(format: "canonicalTitle IN[n] {'emma', 'x'}", step: "USING INDEX Z_Book_bycanonicalTitle"),
            Case(
                format: "canonicalTitle ==[n] canonical:('ÉTÉ')", step: "USING INDEX Z_Book_bycanonicalTitle"),
            Case(format: "canonicalTitle BEGINSWITH 'em'", step: "USING INDEX Z_Book_bycanonicalTitle"),
            Case(format: "title IN {'a', 'b'}", step: "USING INDEX Z_Book_bytitle (ZTITLE=?)"),
            Case(format: "pages BETWEEN {1, 5}", step: "USING INDEX Z_Book_bypages (ZPAGES>? AND ZPAGES<?)"),
            Case(
                format: "pages > 5 AND pages <= 7", step: "USING INDEX Z_Book_bypages (ZPAGES>? AND ZPAGES<?)"
            ),
            Case(format: "pages == nil", step: "USING INDEX Z_Book_bypages (ZPAGES=?)"),
            Case(format: "SELF IN author.books", step: "ZBOOK_ZAUTHOR_INDEX"),
            Case(format: "author.books.@count > 1", step: "ZBOOK_ZAUTHOR_INDEX"),
            Case(format: "ANY author.books.pages > 1", step: "ZBOOK_ZAUTHOR_INDEX"),
            Case(
                format: "ANY (author.books.title UNION author.books.authorName) == 'x'",
                step: "ZBOOK_ZAUTHOR_INDEX"),
            Case(format: "5 IN mode:(author.books.pages)", step: "ZBOOK_ZAUTHOR_INDEX"),
            Case(format: "author.name == 'x'", step: "ZBOOK_ZAUTHOR_INDEX"),
        ])
    func indexIsUsed(_ test: Case) throws {
        try Self.stack().inContext { context throws in
            let plans = try context.explanations(of: .books(test.format))
            let plan = try #require(plans.first)
            #expect(plan.plan.contains { $0.contains(test.step) }, "\(plan.plan), \(plan.statement)")
        }
    }

    @Test("Combined relationships are searched by their keys", arguments: ["UNION", "INTERSECT", "MINUS"])
    func combinedRelationshipsUseKeys(_ word: String) throws {
        try Self.stack().inContext { context throws in
            let format = "ANY (author.books \(word) author.books).pages > 1"
            let plan = try #require(try context.explanations(of: .books(format)).first)
            #expect(plan.plan.filter { $0.contains("SCAN") } == ["SCAN t0"], "\(plan.plan)")
            // A list that depends on the owner would be made again for each row of the other one.
            let lists = plan.plan.filter { $0.contains("CORRELATED LIST SUBQUERY") }
            #expect(lists.count <= (word == "UNION" ? 2 : 1), "\(plan.plan)")
        }
    }

    @Test("A union with an empty list is searched by key")
    func emptyUnionUsesKeys() throws {
        try Self.stack().inContext { context throws in
            let request = NSFetchRequest<Book>.books(
                "(author.books UNION %@).@count > 1", [[NSManagedObject]()])
            let plan = try #require(try context.explanations(of: request).first)
            #expect(plan.plan.filter { $0.contains("SCAN") } == ["SCAN t0"], "\(plan.plan)")
        }
    }

    @Test("A list of a thousand values is searched by the index", arguments: ["uuid", "title"])
    func longListUsesTheIndex(_ key: String) throws {
        try Self.stack().inContext { context throws in
            let values: [Any] = (0..<1000).map { key == "uuid" ? UUID() as Any : "\($0)" }
            let plan = try #require(try context.explanations(of: .books("%K IN %@", [key, values])).first)
            #expect(plan.plan.contains { $0.contains("USING INDEX Z_Book_by\(key)") }, "\(plan.plan)")
        }
    }

    @Test("A key path that is used several times is joined once")
    func pathIsJoinedOnce() throws {
        try Self.stack().inContext { context throws in
            let request = NSFetchRequest<Book>.books(
                "author.name == 'x' AND author.name != 'y' OR author.name BEGINSWITH 'z'", by: "author.name")
            let statement = try #require(try context.explanations(of: request).first).statement
            #expect(statement.components(separatedBy: " JOIN ").count == 2, "\(statement)")
        }
    }

    /// Conditions on objects, which are searched by the keys of their own or of others.
    @Test(
        "Conditions on objects are searched by primary and foreign keys",
        arguments: [
            ("Book", "author == %@", "SEARCH t0 USING INDEX ZBOOK_ZAUTHOR_INDEX (ZAUTHOR=?)"),
            ("Book", "author IN %@", "SEARCH t0 USING INDEX ZBOOK_ZAUTHOR_INDEX (ZAUTHOR=?)"),
            ("Book", "SELF == %@", "SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?)"),
            ("Book", "SELF IN %@", "SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?)"),
            ("Author", "ANY books == %@", "SEARCH t1 USING INTEGER PRIMARY KEY (rowid=?)"),
            ("Author", "%@ IN books", "ZBOOK"),
        ])
    func objectsAreSearchedByTheirKeys(_ entity: String, _ format: String, _ step: String) throws {
        let stack = try Self.stack()
        try stack.inContext { context in
            SampleBooks.fill(context)
            try context.save()
        }
        try stack.inContext { context throws in
            let emma = try context.book("Emma")
            let author = try #require(emma.author)
            let object: NSManagedObject = format.hasPrefix("author") ? author : emma
            // A short list has a parameter for each object, a long one is one argument.
            let lists = [[object], Array(repeating: object, count: 100)]
            let arguments: [Any] =
                format.hasSuffix("IN %@") ? lists : [object]
            for argument in arguments {
                let request = NSFetchRequest<NSManagedObject>(entityName: entity)
                request.predicate = NSPredicate(format: format, argumentArray: [argument])
                let plan = try #require(try context.explanations(of: request).first)
                #expect(plan.plan.contains { $0.contains(step) }, "\(plan.plan), \(plan.statement)")
                #expect(entity == "Author" || !plan.plan.contains { $0.hasPrefix("SCAN t0") }, "\(plan.plan)")
                #expect(!(try context.fetch(request)).isEmpty)
            }
        }
    }

    /// Links from many to many are found by the keys of the join table, and not by going through it.
    @Test(
        "Conditions over many-to-many relationships search the join table by index",
        arguments: ["ANY tags == %@", "%@ IN tags", "tags CONTAINS %@"])
    func joinTablesAreSearched(_ format: String) throws {
        let stack = try TestStack(RandomTown.model())
        try stack.inContext { context throws in
            var numbers = SeededNumbers(seed: 3)
            RandomTown(&numbers).fill(context)
            try context.save()
            let tag = try #require(
                try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Tag")).first)
            for entity in ["Person", "Book"] {
                let request = NSFetchRequest<NSManagedObject>(entityName: entity)
                request.predicate = NSPredicate(format: format, argumentArray: [tag])
                let plan = try #require(try context.explanations(of: request).first)
                let scans = plan.plan.filter { $0.contains("SCAN") && $0 != "SCAN t0" }
                #expect(scans.isEmpty, "\(plan.plan), \(plan.statement)")
                #expect(
                    plan.plan.contains { $0.contains("SEARCH") && $0.contains("INDEX") },
                    "\(plan.plan), \(plan.statement)")
            }
        }
    }

    /// The index gives the rows in order, so that no more than the wanted ones are read.
    @Test(
        "A limited fetch takes its order from the index",
        arguments: [nil, "pages > 100", "pages BETWEEN {1, 500}"])
    func limitedOrderUsesTheIndex(_ format: String?) throws {
        try Self.stack().inContext { context throws in
            let request = NSFetchRequest<Book>.books(format, by: "pages", limit: 10)
            let plan = try #require(try context.explanations(of: request).first)
            #expect(plan.plan.contains { $0.contains("USING INDEX Z_Book_bypages") }, "\(plan.plan)")
            #expect(!plan.plan.contains { $0.contains("TEMP B-TREE") }, "\(plan.plan)")
        }
    }

    /// Documented: an index has the unfolded strings, so that every row is evaluated.
    @Test(
        "A comparison without regard to case or diacritics scans the table",
        arguments: [
            "title ==[cd] 'emma'", "title ==[c] 'emma'", "title BEGINSWITH[cd] 'em'", "title IN[c] {'emma'}",
        ])
    func foldedStringsScan(_ format: String) throws {
        try Self.stack().inContext { context throws in
            let plan = try #require(try context.explanations(of: .books(format)).first)
            #expect(plan.plan == ["SCAN t0"])
        }
    }

    @Test("noindex: keeps the index from being used")
    func noindexScans() throws {
        try Self.stack().inContext { context throws in
            let plan = try #require(try context.explanations(of: .books("noindex:(pages) == 5")).first)
            #expect(plan.plan == ["SCAN t0"])
        }
    }
}
