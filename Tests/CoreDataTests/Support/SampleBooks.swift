import CoreData
import Foundation

/// Books whose values differ in every way that conditions and orders distinguish.
enum SampleBooks {
    static let emmaID = UUID(uuidString: "0B6C2A2E-11F0-4E0B-9C57-6C2C3B0C5A01") ?? UUID()

    /// A new stack with the books saved.
    static func stack() throws -> TestStack {
        let stack = try TestStack()
        try stack.inContext { context in
            fill(context)
            try context.save()
        }
        return stack
    }

    /// Inserts the books, in this order: Emma, Persuasion, Germinal, L'Œuvre, Été, EMMA* WAR?.
    static func fill(_ context: NSManagedObjectContext) {
        let austen = author("Jane Austen", context)
        let zola = author("Émile Zola", context)
        let anonymous = author(nil, context)
        let emma = book("Emma", 474, "9.99", austen, context)
        emma.setValue(4.5, forKey: "rating")
        emma.setValue(true, forKey: "isRead")
        emma.publishDate = Date(timeIntervalSinceReferenceDate: 1000.25)
        emma.setValue(emmaID, forKey: "uuid")
        emma.setValue(URL(string: "https://example.org/emma"), forKey: "url")
        emma.setValue(Data([1, 2]), forKey: "cover")
        let persuasion = book("Persuasion", 249, "5.00", austen, context)
        persuasion.setValue(4.0, forKey: "rating")
        persuasion.publishDate = Date(timeIntervalSinceReferenceDate: 2000)
        persuasion.setValue(UUID(), forKey: "uuid")
        persuasion.setValue(URL(string: "https://example.org/persuasion"), forKey: "url")
        persuasion.setValue(Data(), forKey: "cover")
        let germinal = book("Germinal", 591, "12.50", zola, context)
        germinal.setValue(true, forKey: "isRead")
        germinal.publishDate = Date(timeIntervalSinceReferenceDate: 3000)
        germinal.setValue(URL(string: "http://example.net/g"), forKey: "url")
        book("L'Œuvre", 0, nil, zola, context)
        book("Été", -1, nil, anonymous, context)
        book("EMMA* WAR?", 10, "0.1", nil, context)
    }

    @discardableResult
    static func book(
        _ title: String, _ pages: Int32, _ price: String?, _ author: Author?,
        _ context: NSManagedObjectContext
    ) -> Book {
        let book = Book(context: context)
        book.title = title
        book.pages = pages
        book.price = price.map { NSDecimalNumber(string: $0) }
        book.author = author
        return book
    }

    private static func author(_ name: String?, _ context: NSManagedObjectContext) -> Author {
        let author = Author(context: context)
        author.name = name
        return author
    }
}

extension NSFetchRequest<Book> {
    /// A request for books, ordered by keys; a minus before a key means descending.
    static func books(
        _ format: String? = nil, _ arguments: [Any] = [], by keys: String..., limit: Int = 0, offset: Int = 0
    ) -> NSFetchRequest<Book> {
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.predicate = format.map { NSPredicate(format: $0, argumentArray: arguments) }
        request.sortDescriptors = keys.map { key in
            key.hasPrefix("-")
                ? NSSortDescriptor(key: String(key.dropFirst()), ascending: false)
                : NSSortDescriptor(key: key, ascending: true)
        }
        request.fetchLimit = limit
        request.fetchOffset = offset
        return request
    }
}

extension NSManagedObjectContext {
    /// The titles of the books that a request finds.
    func titles(_ request: NSFetchRequest<Book>) throws -> [String] {
        try fetch(request).map { $0.title ?? "nil" }
    }

    /// The book with a title.
    func book(_ title: String) throws -> Book {
        let books = try fetch(.books("title == %@", [title]))
        guard books.count == 1 else { throw CocoaError(.fileNoSuchFile) }
        return books[0]
    }
}
