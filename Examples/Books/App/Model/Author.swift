import CoreData

/// The author of some of the books. Deleting an author leaves the books, without an author.
final class Author: NSManagedObject {
    private static let nameKey = ManagedKey<String?>("name")
    private static let booksKey = ManagedKey<Set<Book>>("books")
    private static let bookCountKey = ManagedKey<Int64>("bookCount")
    private static let totalPriceKey = ManagedKey<NSDecimalNumber?>("totalPrice")

    var name: String? {
        get { self[Self.nameKey] }
        set { self[Self.nameKey] = newValue }
    }
    var books: Set<Book> {
        get { self[Self.booksKey] }
        set { self[Self.booksKey] = newValue }
    }

    // Derived: the store computes these when the context is saved.

    var bookCount: Int64 { self[Self.bookCountKey] }
    var totalPrice: NSDecimalNumber? { self[Self.totalPriceKey] }

    override class var managedProperties: [ManagedProperty] {
        [
            .stored("name", \Author.name), .stored("books", \Author.books),
            .stored("bookCount", \Author.bookCount), .stored("totalPrice", \Author.totalPrice),
        ]
    }
}

extension Author {
    class func fetchRequest() -> NSFetchRequest<Author> { NSFetchRequest(entityName: "Author") }
}
