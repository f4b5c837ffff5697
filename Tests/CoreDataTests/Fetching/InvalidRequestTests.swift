import CoreData
import Testing

/// Requests that a store cannot answer: an error that names what is wrong, whatever the context holds.
@Suite struct InvalidRequestTests {
    struct Case: CustomTestStringConvertible, @unchecked Sendable {
        let format: String
        var arguments: [Any] = []
        /// What the error's text names.
        let words: [String]
        var testDescription: String { format }
    }

    static let predicates: [Case] = [
        Case(format: "nothing == 1", words: ["nothing", "Book"]),
        Case(format: "pages > 1000000 AND nothing == 1", words: ["nothing", "Book"]),
        Case(format: "author.nothing == 1", words: ["author.nothing", "Author"]),
        Case(format: "title.length == 1", words: ["title.length", "Book"]),
        Case(format: "note == 'x'", words: ["note", "transient"]),
        Case(format: "score > 1", words: ["score", "transient"]),
        Case(format: "author.books == 'x'", words: ["books", "to-many", "Author"]),
        Case(format: "author.books.title == 'x'", words: ["books", "to-many", "Author"]),
        Case(format: "pages > 'many'", words: ["pages", "many"]),
        Case(format: "pages > %@", arguments: [Date(timeIntervalSince1970: 0)], words: ["pages", "Date"]),
        Case(format: "publishDate > 'today'", words: ["publishDate", "today"]),
        Case(format: "uuid == 'x'", words: ["uuid", "x"]),
        Case(format: "cover == 'x'", words: ["cover", "x"]),
        Case(format: "author == 'x'", words: ["author", "x"]),
        Case(format: "pages BETWEEN {'a', 'b'}", words: ["pages", "a"]),
        Case(format: "pages BETWEEN {1}", words: ["pages", "BETWEEN"]),
        Case(format: "pages CONTAINS 'x'", words: ["pages", "CONTAINS"]),
        Case(format: "pages BEGINSWITH 'x'", words: ["pages", "text"]),
        Case(format: "pages ==[c] 5", words: ["pages", "text"]),
        Case(format: "title == $NAME", words: ["NAME"]),
        Case(format: "title MATCHES '['", words: ["["]),
    ]

    @Test("A predicate that a store cannot evaluate is an error that names the reason", arguments: predicates)
    func predicate(_ bad: Case) throws {
        try SampleBooks.stack().inContext { context in
            let request = NSFetchRequest<Book>.books(bad.format, bad.arguments)
            try expectError(bad.words) { _ = try context.fetch(request) }
            try expectError(bad.words) { _ = try context.count(for: request) }
        }
    }

    @Test("An invalid predicate is the same error with unsaved changes", arguments: predicates)
    func predicateWithUnsavedChanges(_ bad: Case) throws {
        try SampleBooks.stack().inContext { context in
            try context.book("Germinal").pages += 1
            SampleBooks.fill(context)
            let request = NSFetchRequest<Book>.books(bad.format, bad.arguments)
            try expectError(bad.words) { _ = try context.fetch(request) }
            try expectError(bad.words) { _ = try context.count(for: request) }
        }
    }

    static let keys: [(key: String, words: [String])] = [
        ("nothing", ["nothing", "Book"]), ("author.nothing", ["author.nothing", "Author"]),
        ("note", ["note", "transient"]), ("author.books", ["books", "to-many"]),
        ("title.length", ["title.length"]),
    ]

    @Test(
        "An invalid sort key is an error that names the reason, with and without unsaved changes",
        arguments: keys)
    func sortDescriptor(_ key: String, _ words: [String]) throws {
        try SampleBooks.stack().inContext { context in
            let request = NSFetchRequest<Book>.books(by: key)
            try expectError(words) { _ = try context.fetch(request) }
            try context.book("Germinal").pages += 1
            SampleBooks.fill(context)
            try expectError(words) { _ = try context.fetch(request) }
        }
    }

    @Test("Block predicates and comparators are refused by a SQLite store")
    func code() throws {
        try SampleBooks.stack().inContext { context in
            let blocks = NSFetchRequest<Book>.books()
            blocks.predicate = NSPredicate { _, _ in true }
            try expectError(["code"]) { _ = try context.fetch(blocks) }
            let comparators = NSFetchRequest<Book>.books()
            comparators.sortDescriptors = [
                NSSortDescriptor(key: "title", ascending: true, comparator: { _, _ in .orderedSame })
            ]
            try expectError(["NSSortDescriptor"]) { _ = try context.fetch(comparators) }
            SampleBooks.fill(context)
            try expectError(["code"]) { _ = try context.fetch(blocks) }
            try expectError(["NSSortDescriptor"]) { _ = try context.fetch(comparators) }
        }
    }

    private func expectError(_ words: [String], _ body: () throws -> Void) throws {
        let failure = try error(of: body)
        #expect(failure.domain == NSCocoaErrorDomain)
        #expect(failure.code == 134060, "\(failure)")
        for word in words { #expect(failure.localizedDescription.contains(word), "\(failure)") }
    }
}
