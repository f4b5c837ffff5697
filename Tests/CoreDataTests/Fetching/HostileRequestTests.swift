import CoreData
import Foundation
import Testing

/// Text of a stranger in a request finds nothing that it should not, harms nothing, and takes no more than it should.
@Suite struct HostileRequestTests {
    private static let attacks = [
        "'; DROP TABLE ZBOOK; --", "x' OR '1'='1", "\" OR 1=1 --", "\\' OR 1=1", "%' OR 1=1", "Z_PK",
        "1) OR (1=1",
        "?", "?1", ":a", "@a", "$a", "\u{0}", "x'; ATTACH '/tmp/x' AS y; --",
    ]

    @Test("A hostile string as a value matches only itself", arguments: attacks)
    func hostileValueIsAString(_ attack: String) throws {
        try SampleBooks.stack().inContext { context throws in
            for format in [
                "title == %@", "title ==[cd] %@", "title IN {%@}", "ANY author.books.title == %@",
                "title BEGINSWITH %@",
                "SUBQUERY(author.books, $b, $b.title == %@).@count > 0", "uppercase:(title) == %@",
            ] {
                #expect(try context.count(for: .books(format, [attack])) == 0, "\(format)")
            }
            #expect(try context.count(for: .books()) == 6)
            try context.book("Emma").title = attack
            try context.save()
            #expect(try context.titles(.books("title == %@", [attack])) == [attack])
            #expect(
                try context.titles(.books("title IN %@", [(0..<100).map { "\($0)" } + [attack]])) == [attack])
        }
    }

    @Test("A hostile string as a key, an entity or a column is an error", arguments: attacks)
    func hostileKeyIsUnknown(_ attack: String) throws {
        try SampleBooks.stack().inContext { context throws in
            #expect(throws: NSError.self) { try context.fetch(.books("%K == 1", [attack])) }
            #expect(throws: NSError.self) { try context.fetch(.books("author.%K == 1", [attack])) }
            #expect(throws: NSError.self) { try context.fetch(.books("ANY author.books.%K == 1", [attack])) }
            #expect(throws: NSError.self) { try context.fetch(.books(nil, by: attack)) }
            let entity = NSFetchRequest<NSManagedObject>(entityName: attack)
            #expect(throws: NSError.self) { try context.fetch(entity) }
            let columns = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
            columns.resultType = .dictionaryResultType
            columns.propertiesToFetch = [attack]
            #expect(throws: NSError.self) { try context.fetch(columns) }
            #expect(try context.count(for: .books()) == 6)
        }
    }

    @Test("A computed column with a hostile name is an ordinary column")
    func hostileColumnNameIsQuoted() throws {
        try SampleBooks.stack().inContext { context throws in
            let column = NSExpressionDescription()
            column.name = "x\"; DROP TABLE ZBOOK; --"
            column.expression = NSExpression(forKeyPath: "title")
            column.expressionResultType = .stringAttributeType
            let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = [column]
            #expect(try context.fetch(request).count == 6)
        }
    }

    @Test("Lists of a hundred thousand elements match their members")
    func hundredThousandElements() throws {
        try SampleBooks.stack().inContext { context throws in
            let texts = (0..<100_000).map { "title \($0)" } + ["EMMA"]
            #expect(try context.titles(.books("title IN[c] %@", [texts])) == ["Emma"])
            #expect(try context.count(for: .books("NOT title IN %@", [texts])) == 6)
            let ids = (0..<100_000).map { _ in UUID() } + [SampleBooks.emmaID]
            #expect(try context.titles(.books("uuid IN %@", [ids])) == ["Emma"])
            let numbers = Array(474..<100_474)
            #expect(try context.count(for: .books("pages IN %@", [numbers])) == 2)
            #expect(try context.count(for: .books("ANY author.books.pages IN %@", [numbers])) == 4)
        }
    }

    @Test("Five thousand conditions are evaluated, flat and nested, by SQL and in memory")
    func fiveThousandConditions() throws {
        try SampleBooks.stack().inContext { context throws in
            let parts = (0..<5000).map { NSPredicate(format: "pages == %d", $0 + 474) }
            let request = NSFetchRequest<Book>.books()
            request.predicate = NSCompoundPredicate(orPredicateWithSubpredicates: parts)
            #expect(try context.count(for: request) == 2)
            // The same, each inside the one before.
            request.predicate = parts.reduce(NSPredicate(value: false)) {
                NSCompoundPredicate(orPredicateWithSubpredicates: [$0, $1])
            }
            #expect(try context.count(for: request) == 2)
            context.insert(try context.book("Emma"))
            try context.book("Emma").pages = 475
            #expect(try context.count(for: request) == 2)
        }
    }

    @Test("A predicate or an expression nested 2000 levels deep is an error")
    func deepNestingIsAnError() throws {
        try SampleBooks.stack().inContext { context throws in
            let request = NSFetchRequest<Book>.books()
            request.predicate = (0..<2000).reduce(NSPredicate(format: "pages == 1")) { inner, _ in
                NSCompoundPredicate(notPredicateWithSubpredicate: inner)
            }
            #expect(throws: NSError.self) { try context.fetch(request) }
            let sum = (0..<2000).reduce(NSExpression(forKeyPath: "pages")) { inner, _ in
                NSExpression(forFunction: "add:to:", arguments: [inner, NSExpression(forConstantValue: 1)])
            }
            request.predicate = NSComparisonPredicate(
                leftExpression: sum, rightExpression: NSExpression(forConstantValue: 1), modifier: .direct,
                type: .equalTo)
            #expect(throws: NSError.self) { try context.fetch(request) }
        }
    }
}
