import CoreDataMacros

/// The model of the runtime tests, as code: books with pages, tags and an author.
enum Shop {
    static func model() -> NSManagedObjectModel {
        let book = entity("ShopBook")
        let novel = entity("ShopNovel")
        let page = entity("ShopPage")
        let tag = entity("ShopTag")
        let author = entity("ShopAuthor")

        let (pages, pageBook) = relationship("pages", to: page, inverse: "book", to: book)
        pages.isOrdered = true
        let (tags, tagBooks) = relationship("tags", to: tag, inverse: "books", to: book)
        tagBooks.maxCount = 0
        let (books, bookAuthor) = relationship("books", to: book, inverse: "author", to: author)
        let binding = NSAttributeDescription()
        binding.name = "binding"
        binding.type = .transformable
        binding.isOptional = true
        binding.valueTransformerName = CodableTransformer<Binding>.register().rawValue
        let publishMonthID = attribute("publishMonthID", .string)
        publishMonthID.isTransient = true

        book.properties = [
            attribute("title", .string), attribute("subtitle", .string), attribute("publishDate", .date),
            attribute("pageCount", .integer32), attribute("isbn", .string), attribute("price", .decimal),
            attribute("note", .string), publishMonthID, binding, pages, tags, bookAuthor,
        ]
        novel.properties = [attribute("genre", .integer16), attribute("plot", .string)]
        page.properties = [attribute("number", .integer64), pageBook]
        tag.properties = [attribute("name", .string), tagBooks]
        author.properties = [attribute("name", .string), books]
        book.subentities = [novel]
        let model = NSManagedObjectModel()
        model.entities = [book, novel, page, tag, author]
        return model
    }

    private static func entity(_ name: String) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.managedObjectClassName = name
        return entity
    }

    private static func attribute(
        _ name: String, _ type: NSAttributeDescription.AttributeType
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.type = type
        attribute.isOptional = true
        return attribute
    }

    /// A to-many relationship, and a to-one relationship back.
    private static func relationship(
        _ name: String, to destination: NSEntityDescription, inverse inverseName: String,
        to owner: NSEntityDescription
    ) -> (NSRelationshipDescription, NSRelationshipDescription) {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.deleteRule = .nullifyDeleteRule
        let inverse = NSRelationshipDescription()
        inverse.name = inverseName
        inverse.destinationEntity = owner
        inverse.maxCount = 1
        inverse.deleteRule = .nullifyDeleteRule
        relationship.inverseRelationship = inverse
        inverse.inverseRelationship = relationship
        return (relationship, inverse)
    }
}

/// A coordinator with one SQLite store in a folder of its own, which goes with it.
final class ShopStack: Sendable {
    private let folder: URL
    let coordinator: NSPersistentStoreCoordinator

    init() throws {
        NSManagedObjectModel.register(
            ShopBook.self, ShopNovel.self, ShopPage.self, ShopTag.self, ShopAuthor.self)
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("Shop-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: Shop.model())
        try coordinator.addPersistentStore(
            type: .sqlite, at: folder.appendingPathComponent("Shop.sqlite"))
    }

    deinit {
        for store in coordinator.persistentStores { try? coordinator.remove(store) }
        try? FileManager.default.removeItem(at: folder)
    }

    /// Runs a block in a new context on its queue.
    func inContext<Value>(_ body: (NSManagedObjectContext) throws -> Value) throws -> Value {
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        return try context.performAndWait { try body(context) }
    }
}
