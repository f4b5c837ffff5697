import CoreData
import Testing

/// Requests that differ in the constants of their conditions share a statement, which is written for the first one.
@Suite struct RepeatedRequestTests {
    @Test("Each request of one shape finds the objects of its own constants")
    func constants() throws {
        try SampleBooks.stack().inContext { context throws in
            func titles(_ pages: Int, _ title: String) throws -> [String] {
                try context.titles(.books("pages >= %d AND title != %@", [pages, title], by: "-pages"))
            }
            #expect(try titles(400, "Emma") == ["Germinal"])
            #expect(try titles(400, "Germinal") == ["Emma"])
            #expect(try titles(200, "Germinal") == ["Emma", "Persuasion"])
            #expect(try context.count(for: .books("pages >= %d", [400])) == 2)
            #expect(try context.count(for: .books("pages >= %d", [200])) == 3)
        }
    }

    @Test("A nil among constants asks for a missing value, before and after requests with values")
    func missingValue() throws {
        try SampleBooks.stack().inContext { context throws in
            func titles(_ price: NSDecimalNumber?) throws -> [String] {
                try context.titles(.books("price == %@", [price ?? NSNull()], by: "title"))
            }
            for _ in 0..<2 {
                #expect(try titles(nil) == ["L'Œuvre", "Été"])
                #expect(try titles(12.5) == ["Germinal"])
            }
        }
    }

    @Test("A constant of another type means what it means in a request by itself")
    func otherTypes() throws {
        try SampleBooks.stack().inContext { context throws in
            func titles(_ pages: Any) throws -> [String] {
                try context.titles(.books("pages == %@", [pages], by: "title"))
            }
            #expect(try titles(474) == ["Emma"])
            #expect(try titles("249") == ["Persuasion"])
            #expect(try titles(591.0) == ["Germinal"])
            #expect(try titles(591.5).isEmpty)
            let failure = try error { _ = try titles(Date()) }
            #expect(failure.code == 134060)
            #expect(try titles(474) == ["Emma"])
        }
    }

    @Test("Operators, orders and windows belong to the shape")
    func otherShapes() throws {
        try SampleBooks.stack().inContext { context throws in
            #expect(try context.titles(.books("pages > %d", [249], by: "pages")) == ["Emma", "Germinal"])
            #expect(try context.titles(.books("pages > %d", [249], by: "-pages")) == ["Germinal", "Emma"])
            #expect(try context.titles(.books("pages < %d", [0], by: "pages")) == ["Été"])
            #expect(
                try context.titles(.books("pages > %d", [0], by: "pages", limit: 1, offset: 1)) == [
                    "Persuasion"
                ])
            #expect(
                try context.titles(.books("pages > %d", [9], by: "pages", limit: 2)) == [
                    "EMMA* WAR?", "Persuasion",
                ])
            #expect(
                try context.titles(.books("pages == %d OR title == %@", [0, "Emma"], by: "pages")) == [
                    "L'Œuvre", "Emma",
                ])
            #expect(
                try context.titles(.books("NOT pages == %d AND title == %@", [0, "Emma"], by: "pages")) == [
                    "Emma"
                ])
        }
    }

    @Test("Objects and values beyond a relationship are constants, too")
    func relationships() throws {
        try SampleBooks.stack().inContext { context throws in
            for (name, titles) in [
                ("Jane Austen", ["Emma", "Persuasion"]), ("Émile Zola", ["Germinal", "L'Œuvre"]),
            ] {
                #expect(try context.titles(.books("author.name == %@", [name], by: "title")) == titles)
                let author = try #require(try context.book(titles[0]).author)
                #expect(try context.titles(.books("author == %@", [author], by: "title")) == titles)
            }
            let unsaved = Author(context: context)
            #expect(try context.titles(.books("author == %@", [unsaved])).isEmpty)
            SampleBooks.book("New", 1, nil, unsaved, context)
            #expect(try context.titles(.books("author == %@", [unsaved])) == ["New"])
        }
    }
}
