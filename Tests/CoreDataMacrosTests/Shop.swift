import CoreDataMacros

/// The model of the runtime tests, as code: books with pages, tags and an author.
enum Shop {
    static func model() -> NSManagedObjectModel {
        let book = TestModel.entity("ShopBook")
        let novel = TestModel.entity("ShopNovel")
        let page = TestModel.entity("ShopPage")
        let tag = TestModel.entity("ShopTag")
        let author = TestModel.entity("ShopAuthor")

        let (pages, pageBook) = TestModel.relationship("pages", to: page, inverse: "book", to: book)
        pages.isOrdered = true
        let (tags, tagBooks) = TestModel.relationship("tags", to: tag, inverse: "books", to: book)
        tagBooks.maxCount = 0
        let (books, bookAuthor) = TestModel.relationship("books", to: book, inverse: "author", to: author)
        let binding = TestModel.transformable("binding", by: CodableTransformer<Binding>.register())
        let publishMonthID = TestModel.attribute("publishMonthID", .string)
        publishMonthID.isTransient = true

        book.properties = [
            TestModel.attribute("title", .string), TestModel.attribute("subtitle", .string),
            TestModel.attribute("publishDate", .date),
            TestModel.attribute("pageCount", .integer32), TestModel.attribute("isbn", .string),
            TestModel.attribute("price", .decimal),
            TestModel.attribute("note", .string), publishMonthID, binding, pages, tags, bookAuthor,
        ]
        novel.properties = [TestModel.attribute("genre", .integer16), TestModel.attribute("plot", .string)]
        page.properties = [
            TestModel.attribute("number", .integer64), TestModel.attribute("caption", .string),
            TestModel.attribute("lastModified", .date), pageBook,
        ]
        tag.properties = [TestModel.attribute("name", .string), tagBooks]
        author.properties = [TestModel.attribute("name", .string), books]
        book.subentities = [novel]
        let model = NSManagedObjectModel()
        model.entities = [book, novel, page, tag, author]
        return model
    }
}

/// A stack of the shop's model.
struct ShopStack {
    private let stack: TestStack

    init() throws {
        NSManagedObjectModel.register(
            ShopBook.self, ShopNovel.self, ShopPage.self, ShopTag.self, ShopAuthor.self)
        stack = try TestStack(Shop.model())
    }

    /// Runs a block in a new context on its queue.
    func inContext<Value>(_ body: (NSManagedObjectContext) throws -> Value) throws -> Value {
        try stack.inContext(body)
    }
}
