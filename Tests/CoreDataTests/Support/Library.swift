import CoreData
import Testing

/// The model of the tests: authors with books, as code.
enum Library {
    static func model() -> NSManagedObjectModel {
        // Whichever test comes first: the module of the tests is not that of the program.
        NSManagedObjectModel.register(Book.self, Author.self)
        let author = NSEntityDescription()
        author.name = "Author"
        author.managedObjectClassName = "Author"
        let book = NSEntityDescription()
        book.name = "Book"
        book.managedObjectClassName = "Book"

        let books = NSRelationshipDescription()
        books.name = "books"
        books.destinationEntity = book
        books.deleteRule = .cascadeDeleteRule
        let writer = NSRelationshipDescription()
        writer.name = "author"
        writer.destinationEntity = author
        writer.maxCount = 1
        writer.deleteRule = .nullifyDeleteRule
        books.inverseRelationship = writer
        writer.inverseRelationship = books

        author.properties = [
            attribute("name", .string),
            derived("bookCount", .integer64, "books.@count"),
            derived("totalPrice", .decimal, "books.price.@sum"),
            derived("shoutedName", .string, "uppercase:(name)"),
            books,
        ]
        book.properties = [
            attribute("title", .string, optional: false),
            derived("canonicalTitle", .string, "canonical:(title)"),
            derived("authorName", .string, "author.name"),
            derived("lastModified", .date, "now()"),
            attribute("publishDate", .date),
            attribute("price", .decimal),
            attribute("pages", .integer32, defaultValue: 0),
            attribute("rating", .double),
            attribute("isRead", .boolean, defaultValue: false),
            attribute("uuid", .uuid),
            attribute("url", .uri),
            attribute("cover", .binaryData),
            transient("note", .string),
            transient("score", .integer64, defaultValue: 7),
            writer,
        ]
        // Documents do not compute: there the attributes are plain ones.
        if !StoreKind.current.derives {
            for entity in [author, book] {
                entity.properties = entity.properties.map { property in
                    guard let derived = property as? NSDerivedAttributeDescription else { return property }
                    return attribute(derived.name, derived.type)
                }
            }
        }
        let model = NSManagedObjectModel()
        model.entities = [author, book]
        return model
    }

    static func attribute(
        _ name: String, _ type: NSAttributeDescription.AttributeType, optional: Bool = true,
        defaultValue: Any? = nil
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.type = type
        attribute.isOptional = optional
        attribute.defaultValue = defaultValue
        return attribute
    }

    static func transient(
        _ name: String, _ type: NSAttributeDescription.AttributeType, defaultValue: Any? = nil
    ) -> NSAttributeDescription {
        let attribute = attribute(name, type, defaultValue: defaultValue)
        attribute.isTransient = true
        return attribute
    }

    static func derived(
        _ name: String, _ type: NSAttributeDescription.AttributeType, _ expression: String
    ) -> NSDerivedAttributeDescription {
        let attribute = NSDerivedAttributeDescription()
        attribute.name = name
        attribute.type = type
        attribute.derivationExpression = NSExpression(format: expression)
        return attribute
    }
}

final class Author: NSManagedObject {
    static let nameKey = ManagedKey<String?>("name")
    static let booksKey = ManagedKey<Set<Book>>("books")
    static let bookCountKey = ManagedKey<Int>("bookCount")
    static let totalPriceKey = ManagedKey<NSDecimalNumber?>("totalPrice")

    var name: String? {
        get { self[Self.nameKey] }
        set { self[Self.nameKey] = newValue }
    }
    var books: Set<Book> {
        get { self[Self.booksKey] }
        set { self[Self.booksKey] = newValue }
    }
    var bookCount: Int { self[Self.bookCountKey] }
    var totalPrice: NSDecimalNumber? { self[Self.totalPriceKey] }
}

final class Book: NSManagedObject {
    static let titleKey = ManagedKey<String?>("title")
    static let canonicalTitleKey = ManagedKey<String?>("canonicalTitle")
    static let authorNameKey = ManagedKey<String?>("authorName")
    static let lastModifiedKey = ManagedKey<Date?>("lastModified")
    static let publishDateKey = ManagedKey<Date?>("publishDate")
    static let priceKey = ManagedKey<NSDecimalNumber?>("price")
    static let pagesKey = ManagedKey<Int32>("pages")
    static let authorKey = ManagedKey<Author?>("author")
    static let noteKey = ManagedKey<String?>("note")

    var title: String? {
        get { self[Self.titleKey] }
        set { self[Self.titleKey] = newValue }
    }
    var canonicalTitle: String? { self[Self.canonicalTitleKey] }
    var authorName: String? { self[Self.authorNameKey] }
    var lastModified: Date? { self[Self.lastModifiedKey] }
    var publishDate: Date? {
        get { self[Self.publishDateKey] }
        set { self[Self.publishDateKey] = newValue }
    }
    var price: NSDecimalNumber? {
        get { self[Self.priceKey] }
        set { self[Self.priceKey] = newValue }
    }
    var pages: Int32 {
        get { self[Self.pagesKey] }
        set { self[Self.pagesKey] = newValue }
    }
    var author: Author? {
        get { self[Self.authorKey] }
        set { self[Self.authorKey] = newValue }
    }
    var note: String? {
        get { self[Self.noteKey] }
        set { self[Self.noteKey] = newValue }
    }
}
