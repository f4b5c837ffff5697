import CoreData
import CoreDataTypedPredicates
import Testing

/// Requests written with key paths, Swift's predicates among them.
@Suite struct TypedFetchTests {
    private let stack: TestStack

    init() throws {
        KeyPathNames.register("title", for: \Book.title)
        KeyPathNames.register("pages", for: \Book.pages)
        KeyPathNames.register("price", for: \Book.price)
        KeyPathNames.register("publishDate", for: \Book.publishDate)
        KeyPathNames.register("author", for: \Book.author)
        KeyPathNames.register("name", for: \Author.name)
        stack = try SampleBooks.stack()
    }

    private func titles(_ request: NSFetchRequest<Book>) throws -> [String] {
        try stack.inContext { try $0.titles(request) }
    }

    private func books() -> NSFetchRequest<Book> { NSFetchRequest<Book>(entityName: "Book") }

    @Test("Typed requests filter, sort, limit and offset by key paths")
    func conditionsAndOrders() throws {
        let long = try titles(books().where(\.pages > 200).sort(\.pages, .descending))
        #expect(long == ["Germinal", "Emma", "Persuasion"])
        let two = try titles(books().where(\.pages > 200).where(\.title != "Emma").sort(\.title))
        #expect(two == ["Germinal", "Persuasion"])
        let window = try titles(books().sort(\.pages).offset(1).limit(2))
        #expect(window == ["L'Œuvre", "EMMA* WAR?"])
        #expect(
            try titles(books().where(\.publishDate == nil && \.author != nil).sort(\.title)) == [
                "L'Œuvre", "Été",
            ])
        #expect(try titles(books().where(!(\.pages > 0)).sort(\.title)) == ["L'Œuvre", "Été"])
    }

    @Test("Typed conditions compare strings, lists, ranges and decimals")
    func stringsAndValues() throws {
        #expect(
            try titles(books().where((\Book.title).beginsWith("emma", .caseInsensitive)).sort(\.title))
                == ["EMMA* WAR?", "Emma"])
        #expect(try titles(books().where((\Book.title).in(["Emma", "x"]))) == ["Emma"])
        #expect(
            try titles(books().where(0...249 ~= \.pages).sort(\.pages)) == [
                "L'Œuvre", "EMMA* WAR?", "Persuasion",
            ])
        #expect(
            try titles(books().where(\.price >= NSDecimalNumber(string: "9.99")).sort(\.title)) == [
                "Emma", "Germinal",
            ])
    }

    @Test("Typed conditions follow to-one relationships")
    func relationships() throws {
        let found = try stack.inContext { context in
            let austen = try context.book("Emma").author
            return try context.titles(books().where(\.author === austen).sort(\.title))
        }
        #expect(found == ["Emma", "Persuasion"])
        #expect(
            try titles(books().where(\.author?.name == "Émile Zola").sort(\.title)) == [
                "Germinal", "L'Œuvre",
            ])
    }

    @Test("A typed sort uses the selector that is named")
    func ordersBySelectors() throws {
        #expect(
            try titles(books().sort(\.title, by: "localizedCaseInsensitiveCompare:"))
                == ["Emma", "EMMA* WAR?", "Été", "Germinal", "L'Œuvre", "Persuasion"])
    }

    @Test("A typed request includes unsaved changes")
    func unsavedChangesCount() throws {
        let found = try stack.inContext { context in
            SampleBooks.book("New", 700, nil, nil, context)
            try context.book("Germinal").pages = 0
            return try context.titles(books().where(\.pages > 200).sort(\.pages, .descending))
        }
        #expect(found == ["New", "Emma", "Persuasion"])
    }

    @Test("Swift predicates filter typed requests")
    func swiftPredicates() throws {
        let request = books().sort(\.title)
        request.predicate = NSPredicate(#Predicate<Book> { $0.pages > 200 && $0.title != "Emma" })
        #expect(try titles(request) == ["Germinal", "Persuasion"])
        let names = ["Emma", "Germinal"]
        request.predicate = NSPredicate(
            #Predicate<Book> { names.contains($0.title ?? "") || $0.author == nil })
        #expect(try titles(request) == ["EMMA* WAR?", "Emma", "Germinal"])
        request.predicate = NSPredicate(#Predicate<Book> { $0.author?.name == "Jane Austen" })
        #expect(try titles(request) == ["Emma", "Persuasion"])
        request.predicate = NSPredicate(#Predicate<Book> { $0.title?.starts(with: "E") ?? false })
        #expect(try titles(request) == ["EMMA* WAR?", "Emma"])
        request.predicate = NSPredicate(#Predicate<Book> { (10...300).contains($0.pages) })
        #expect(try titles(request) == ["EMMA* WAR?", "Persuasion"])
    }

    @Test("Typed conditions have any, all and none of a to-many relationship")
    func conditionsOnToManyRelationships() throws {
        KeyPathNames.register("books", for: \Author.books)
        func names(_ condition: TypedPredicate<Author>) throws -> [String] {
            try stack.inContext { context in
                try context.fetch(NSFetchRequest<Author>(entityName: "Author").where(condition))
                    .map { $0.name ?? "nil" }.sorted()
            }
        }
        #expect(try names((\Author.books).any(\.pages > 500)) == ["Émile Zola"])
        #expect(try names((\Author.books).all(\.pages > 200)) == ["Jane Austen"])
        // Of a book without a price it is not known whether it costs more.
        #expect(
            try names((\Author.books).all(\.price >= NSDecimalNumber(string: "5"))) == ["Jane Austen"])
        #expect(try names((\Author.books).none(\.publishDate != nil)) == ["nil"])
    }

    @Test("A Swift sort descriptor orders a request")
    func swiftSortDescriptors() throws {
        let request = books()
        request.sortDescriptors = [NSSortDescriptor(SortDescriptor(\Book.pages, order: .reverse))]
        request.fetchLimit = 2
        #expect(try titles(request) == ["Germinal", "Emma"])
    }
}
