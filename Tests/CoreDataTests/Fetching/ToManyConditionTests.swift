import CoreData
import Testing

/// Conditions on the objects that a relationship to many leads to, in the store and among unsaved objects.
@Suite struct ToManyConditionTests {
    struct Condition: CustomTestStringConvertible, Sendable {
        let format: String
        let names: [String]
        var testDescription: String { format }

        init(_ format: String, _ names: String...) {
            self.format = format
            self.names = names
        }
    }

    private static let austen = "Jane Austen"
    private static let zola = "Émile Zola"
    private static let nameless = "nil"

    static let quantified: [Condition] = [
        .init("ANY books.title == 'Emma'", austen),
        .init("SOME books.title BEGINSWITH[c] 'ger'", zola),
        .init("ANY books.pages > 500", zola),
        .init("ANY books.pages < 250", austen, nameless, zola),
        .init("ALL books.pages > 200", austen),
        .init("ALL books.price > 1", austen),
        .init("ANY books.price == nil", nameless, zola),
        .init("ALL books.price == nil", nameless),
        .init("NONE books.price == nil", austen),
        .init("NONE books.title CONTAINS 'm'", nameless),
        .init("NOT (ANY books.isRead == YES)", nameless),
        .init("ANY books.title IN {'Emma', 'Germinal'}", austen, zola),
        .init("ANY books.pages BETWEEN {0, 249}", austen, zola),
        .init("ANY books.title LIKE[cd] '*ete'", nameless),
        .init("ANY books.title ==[cd] 'ete'", nameless),
        .init("ANY books.author.name == name", austen, zola),
        .init("ANY books.author.books.title == 'Persuasion'", austen),
        .init("ALL books.author.name BEGINSWITH 'J'", austen),
        .init("'Emma' IN books.title", austen),
        .init("'EMMA' IN[c] books.title", austen),
        .init("books.title CONTAINS 'Germinal'", zola),
        .init("books.title CONTAINS[cd] 'ETE'", nameless),
        .init("NOT ('Emma' IN books.title)", nameless, zola),
    ]

    static let counted: [Condition] = [
        .init("books.@count == 2", austen, zola),
        .init("books.@count > 1 AND name BEGINSWITH 'J'", austen),
        .init("books[SIZE] == 1", nameless),
        .init("count:(books) == 1", nameless),
        .init("books.price.@count == 1", zola),
        .init("books.@sum.pages > 600", austen),
        .init("books.pages.@sum == -1", nameless),
        .init("books.@max.pages == 591", zola),
        .init("max:(books.pages) == 474", austen),
        .init("books.@min.price == 5", austen),
        .init("books.@min.price == nil", nameless),
        .init("books.@avg.pages == 361.5", austen),
        .init("books.@sum.price == 14.99", austen),
        .init("books.@sum.price == 0", nameless),
        .init("books.@avg.price == 7.495", austen),
        .init("SUBQUERY(books, $b, $b.pages > 300).@count == 1", austen, zola),
        .init("SUBQUERY(books, $b, $b.title BEGINSWITH 'E' AND $b.price > 9).@count > 0", austen),
        .init("SUBQUERY(books, $b, $b.price == nil)[SIZE] > 0", nameless, zola),
        .init("SUBQUERY(books, $b, $b.pages > 300).@max.price > 10", zola),
        .init("ANY SUBQUERY(books, $b, $b.pages > 300).title == 'Emma'", austen),
        .init(
            "SUBQUERY(books, $b, SUBQUERY($b.author.books, $c, $c.pages > $b.pages).@count == 1).@count == 1",
            austen, zola),
        .init("SUBQUERY(books, $b, $b.author.name == name).@count == 2", austen, zola),
        .init("books.@count * 10 + 1 == 11", nameless),
    ]

    static let computed: [Condition] = [
        .init("name MATCHES '.*(Austen|Zola)'", austen, zola),
        .init("length:(name) == 10", zola),
        .init("lowercase:(name) == 'émile zola'", zola),
        .init("canonical:(name) == 'emile zola'", zola),
        .init("TERNARY(name BEGINSWITH 'J', 1, 2) == 1", austen),
        .init("TERNARY(name == nil, books.@count, 0) == 1", nameless),
        .init("CAST(books.@count, 'NSString') == '2'", austen, zola),
        .init("7 / 2 == 3 AND name != nil", austen, zola),
        .init("name == nil OR name == 'Jane Austen'", austen, nameless),
        .init("modulus:by:(books.@count, 2) == 1", nameless),
        .init("max:(books.@count, 2) == 2", austen, nameless, zola),
        .init("entity.name == 'Author'", austen, nameless, zola),
        .init("entity.name == 'Book'"),
    ]

    private static func names(_ condition: Condition, _ context: NSManagedObjectContext) throws -> [String] {
        let request = NSFetchRequest<Author>(entityName: "Author")
        request.predicate = NSPredicate(format: condition.format)
        let found = try context.fetch(request).map { $0.name ?? "nil" }.sorted()
        #expect(try context.count(for: request) == found.count)
        return found
    }

    @Test(
        "A to-many condition finds the expected authors in the store",
        arguments: quantified + counted + computed)
    func saved(_ condition: Condition) throws {
        try SampleBooks.stack().inContext { context throws in
            #expect(try Self.names(condition, context) == condition.names.sorted())
        }
    }

    @Test(
        "A to-many condition finds the expected authors among unsaved objects",
        arguments: quantified + counted + computed)
    func unsaved(_ condition: Condition) throws {
        try TestStack().inContext { context throws in
            SampleBooks.fill(context)
            #expect(try Self.names(condition, context) == condition.names.sorted())
        }
    }

    @Test("Conditions on members of a relationship accept objects and IDs")
    func objectsOfARelationship() throws {
        try SampleBooks.stack().inContext { context throws in
            let emma = try context.book("Emma")
            func names(_ format: String, _ arguments: Any...) throws -> [String] {
                let request = NSFetchRequest<Author>(entityName: "Author")
                request.predicate = NSPredicate(format: format, argumentArray: arguments)
                return try context.fetch(request).map { $0.name ?? "nil" }.sorted()
            }
            #expect(try names("ANY books == %@", emma) == [Self.austen])
            #expect(try names("%@ IN books", emma) == [Self.austen])
            #expect(try names("books CONTAINS %@", emma.objectID) == [Self.austen])
            #expect(try names("ANY books IN %@", [emma]) == [Self.austen])
            #expect(try names("NONE books == %@", emma) == ["nil", Self.zola].sorted())
            #expect(try context.titles(.books("SELF IN author.books", by: "title")).count == 5)
            #expect(try context.titles(.books("author.books.@count == 0")) == ["EMMA* WAR?"])
            #expect(
                try context.titles(.books("entity == %@", [try #require(emma.author).entity])) == [])
            #expect(try context.count(for: .books("entity == %@", [emma.entity])) == 6)
        }
    }

    struct Refusal: CustomTestStringConvertible, Sendable {
        let format: String
        let reason: String
        var testDescription: String { format }
    }

    @Test(
        "An unsupported to-many condition is refused with its reason",
        arguments: [
            Refusal(format: "books.title == 'Emma'", reason: "to-many key not allowed here"),
            Refusal(format: "books == nil", reason: "to-many key not allowed here"),
            Refusal(format: "ALL name == 'Emma'", reason: "must be a to-many relationship"),
            Refusal(format: "count:(name) > 1", reason: "Unsupported function expression count:"),
            Refusal(
                format: "name == CAST(5, 'NSDate')", reason: "cannot be compared with a value of type string"),
            Refusal(format: "sqrt:(name) > 1", reason: "Unsupported function expression sqrt:"),
            Refusal(format: "ANY books.note == 'x'", reason: "'note' is transient"),
            Refusal(format: "books.@foo == 1", reason: "Unknown operator @foo"),
            Refusal(format: "name.@count == 1", reason: "needs a to-many relationship"),
            Refusal(format: "books.@sum.title == 1", reason: "the values are not numbers"),
            Refusal(format: "books.@unionOfObjects.title == 1", reason: "does not compute it"),
            Refusal(format: "SUBQUERY(books, $b, $x.pages > 1).@count == 1", reason: "$x"),
            Refusal(format: "books.nothing.@count == 1", reason: "it has no property 'nothing'"),
            Refusal(format: "books[FIRST].title == 'x'", reason: "an index needs an ordered relationship"),
            Refusal(format: "books[name].title == 'x'", reason: "the index must be a constant"),
            Refusal(format: "books[SIZE].title == 'x'", reason: "a number has no keys"),
            Refusal(format: "name > books", reason: "to-many key not allowed here"),
            Refusal(format: "SELF < 5", reason: "cannot be compared"),
            Refusal(
                format: "(books UNION books.title).@count > 1",
                reason: "combine only collections of values, or of objects"),
            Refusal(
                format: "(books MINUS SELF).@count > 1",
                reason: "combine only relationships and lists of objects"
            ),
            Refusal(format: "(books UNION {1, 2}).@count > 1", reason: "other values than objects"),
            Refusal(format: "FUNCTION(name, 'length') > 1", reason: "cannot call methods"),
            Refusal(format: "name MATCHES '('", reason: "Unsupported predicate"),
        ])
    func unsupportedIsRefused(_ refusal: Refusal) throws {
        try SampleBooks.stack().inContext { context throws in
            let request = NSFetchRequest<Author>(entityName: "Author")
            request.predicate = NSPredicate(format: refusal.format)
            let error = #expect(throws: NSError.self) { try context.fetch(request) }
            #expect(error?.code == 134060)
            #expect(error?.localizedDescription.contains(refusal.reason) ?? false, "\(error as Any)")
        }
    }
}
