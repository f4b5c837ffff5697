import CoreData
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

    @Test(arguments: [
        Case(format: "title == 'Emma'", step: "USING INDEX Z_Book_bytitle (ZTITLE=?)"),
        Case(format: "title ==[n] 'Emma'", step: "USING INDEX Z_Book_bytitle (ZTITLE=?)"),
        Case(format: "title BEGINSWITH 'Em'", step: "USING INDEX Z_Book_bytitle (ZTITLE>? AND ZTITLE<?)"),
        Case(format: "title BEGINSWITH[n] 'Em'", step: "USING INDEX Z_Book_bytitle (ZTITLE>? AND ZTITLE<?)"),
        Case(format: "canonicalTitle ==[n] 'emma'", step: "USING INDEX Z_Book_bycanonicalTitle"),
        Case(format: "canonicalTitle IN[n] {'emma', 'x'}", step: "USING INDEX Z_Book_bycanonicalTitle"),
        Case(
            format: "canonicalTitle ==[n] canonical:('ÉTÉ')", step: "USING INDEX Z_Book_bycanonicalTitle"),
        Case(format: "canonicalTitle BEGINSWITH 'em'", step: "USING INDEX Z_Book_bycanonicalTitle"),
        Case(format: "title IN {'a', 'b'}", step: "USING INDEX Z_Book_bytitle (ZTITLE=?)"),
        Case(format: "pages BETWEEN {1, 5}", step: "USING INDEX Z_Book_bypages (ZPAGES>? AND ZPAGES<?)"),
        Case(format: "pages > 5 AND pages <= 7", step: "USING INDEX Z_Book_bypages (ZPAGES>? AND ZPAGES<?)"),
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
    func anIndexServes(_ test: Case) throws {
        try Self.stack().inContext { context throws in
            let plans = try context.explanations(of: .books(test.format))
            let plan = try #require(plans.first)
            #expect(plan.plan.contains { $0.contains(test.step) }, "\(plan.plan), \(plan.statement)")
        }
    }

    @Test(arguments: ["UNION", "INTERSECT", "MINUS"])
    func combinedRelationshipsAreSearchedByTheirKeys(_ word: String) throws {
        try Self.stack().inContext { context throws in
            let format = "ANY (author.books \(word) author.books).pages > 1"
            let plan = try #require(try context.explanations(of: .books(format)).first)
            #expect(plan.plan.filter { $0.contains("SCAN") } == ["SCAN t0"], "\(plan.plan)")
            // A list that depends on the owner would be made again for each row of the other one.
            let lists = plan.plan.filter { $0.contains("CORRELATED LIST SUBQUERY") }
            #expect(lists.count <= (word == "UNION" ? 2 : 1), "\(plan.plan)")
        }
    }

    @Test func aUnionWithNothingIsSearched() throws {
        try Self.stack().inContext { context throws in
            let request = NSFetchRequest<Book>.books(
                "(author.books UNION %@).@count > 1", [[NSManagedObject]()])
            let plan = try #require(try context.explanations(of: request).first)
            #expect(plan.plan.filter { $0.contains("SCAN") } == ["SCAN t0"], "\(plan.plan)")
        }
    }

    @Test(arguments: ["uuid", "title"])
    func aLongListIsSearchedByTheIndex(_ key: String) throws {
        try Self.stack().inContext { context throws in
            let values: [Any] = (0..<1000).map { key == "uuid" ? UUID() as Any : "\($0)" }
            let plan = try #require(try context.explanations(of: .books("%K IN %@", [key, values])).first)
            #expect(plan.plan.contains { $0.contains("USING INDEX Z_Book_by\(key)") }, "\(plan.plan)")
        }
    }

    @Test func aPathIsJoinedOnce() throws {
        try Self.stack().inContext { context throws in
            let request = NSFetchRequest<Book>.books(
                "author.name == 'x' AND author.name != 'y' OR author.name BEGINSWITH 'z'", by: "author.name")
            let statement = try #require(try context.explanations(of: request).first).statement
            #expect(statement.components(separatedBy: " JOIN ").count == 2, "\(statement)")
        }
    }

    @Test func noIndexKeepsTheIndexAway() throws {
        try Self.stack().inContext { context throws in
            let plan = try #require(try context.explanations(of: .books("noindex:(pages) == 5")).first)
            #expect(plan.plan == ["SCAN t0"])
        }
    }
}
