import CoreData
import Testing

/// What a save must not do for the sake of validation.
@Suite struct ValidationCostTests {
    @Test("Validation does not load a relationship without limits")
    func relationshipWithoutLimits() throws {
        let stack = try TestStack()
        try stack.inContext { context in
            let author = Author(context: context)
            author.name = "Selma Lagerlöf"
            author.books = [Book(context: context)]
            author.books.first?.title = "Jerusalem"
            try context.save()
        }
        try stack.inContext { context in
            let author = try #require(try context.fetch(NSFetchRequest<Author>(entityName: "Author")).first)
            let book = Book(context: context)
            book.title = "Gösta Berlings saga"
            book.author = author
            try context.save()
            #expect(author.hasFault(forRelationshipNamed: "books"))
            #expect(author.bookCount == 2)
            #expect(author.books.count == 2)
        }
    }

    @Test("Validation does not set values that it leaves unchanged")
    func unchangedValuesAreNotSet() throws {
        let stack = try TestStack()
        try stack.inContext { context in
            let book = Book(context: context)
            book.title = "Nils Holgersson"
            book.setValue(URL(string: "https://example.org/nils"), forKey: "url")
            book.setValue(Data([1, 2, 3]), forKey: "cover")
            book.setValue(UUID(), forKey: "uuid")
            book.price = NSDecimalNumber(string: "9.90")
            try context.save()
            book.pages = 300
            try book.validateForUpdate()
            #expect(book.changedValues().keys.sorted() == ["pages"])
        }
    }
}
