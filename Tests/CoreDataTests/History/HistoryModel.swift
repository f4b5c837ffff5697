import CoreData

/// A model with all that a bitmap of changed columns tells apart: inheritance, ordered and many-to-many relationships,
/// values that outlive their objects.
///
/// The entities are numbered Author 1, Book 2, Novel 3, Review 4, Tag 5.
enum HistoryModel {
    static var tracking: [AnyHashable: Any] { [NSPersistentHistoryTrackingKey: true] }

    static func model() -> NSManagedObjectModel {
        let author = NSEntityDescription("Author", attribute("name", .string))
        let novel = NSEntityDescription("Novel", attribute("genre", .string))
        let book = NSEntityDescription(
            "Book", kept("isbn", .uuid), attribute("note", .string), kept("pages", .integer32),
            kept("title", .string), subentities: [novel])
        let review = NSEntityDescription("Review", attribute("stars", .integer16), attribute("text", .string))
        let tag = NSEntityDescription("Tag", attribute("name", .string))
        pair(book.relate("author", to: author), author.relate("books", to: book, many: true))
        pair(
            book.relate("reviews", to: review, many: true, ordered: true, rule: .cascadeDeleteRule),
            review.relate("book", to: book))
        pair(book.relate("tags", to: tag, many: true), tag.relate("books", to: book, many: true))
        return NSManagedObjectModel(of: author, book, novel, review, tag)
    }

    private static func kept(
        _ name: String, _ type: NSAttributeDescription.AttributeType
    ) -> NSAttributeDescription {
        let attribute = attribute(name, type)
        attribute.preservesValueInHistoryOnDeletion = true
        return attribute
    }
}

extension NSManagedObjectContext {
    /// The transactions that a request finds.
    func transactions(
        _ request: NSPersistentHistoryChangeRequest = .fetchHistory(after: nil as NSPersistentHistoryToken?)
    ) throws -> [NSPersistentHistoryTransaction] {
        let result = try execute(request) as? NSPersistentHistoryResult
        return result?.result as? [NSPersistentHistoryTransaction] ?? []
    }
}

extension NSPersistentHistoryChange {
    /// The names of the changed properties, sorted.
    var updatedNames: [String] { (updatedProperties ?? []).map(\.name).sorted() }
}
