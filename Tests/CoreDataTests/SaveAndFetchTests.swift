import CoreData
import Testing

@Suite struct SaveAndFetchTests {
    @Test("Objects are saved, fetched by a predicate, and have derived values")
    func objectsAreSavedAndFetched() throws {
        let stack = try TestStack()
        try stack.inContext { context in
            let author = Author(context: context)
            author.name = "Franz Kafka"
            for title in ["Der Prozess", "Das Schloß", "Die Verwandlung"] {
                let book = Book(context: context)
                book.title = title
                book.price = NSDecimalNumber(string: "12.34")
                book.author = author
            }
            #expect(author.books.count == 3)
            #expect(author.bookCount == 0)
            try context.save()
            #expect(author.bookCount == 3)
            #expect(author.totalPrice == NSDecimalNumber(string: "37.02"))
            #expect(!author.hasChanges)
        }
        try stack.inContext { context in
            let request = NSFetchRequest<Book>(entityName: "Book")
            request.predicate = NSPredicate(
                format: "canonicalTitle CONTAINS %@ AND author.name == %@", "schloss", "Franz Kafka")
            let books = try context.fetch(request)
            #expect(books.map(\.title) == ["Das Schloß"])
            #expect(books.first?.authorName == "Franz Kafka")
            #expect(books.first?.author?.books.count == 3)
        }
    }
}
