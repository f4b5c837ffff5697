import CoreData

/// One book: its values, how they come about, and what is stored of them.
struct BookDetailPage {
    /// An attribute, by the kind that the sample shows with it.
    struct Attribute {
        let name: String
        let kind: String
        let value: String
        let isCode: Bool
        /// What the value will be after the next save, when that is another one.
        let later: String?
    }

    struct Stored {
        let columns: [StoredRow.Column]
        let hasRow: Bool
        let table: String
        let key: String
    }

    let frame: Frame
    let language: String
    let row: BookListPage.Row
    let editHref: String
    let deleteHref: String
    let month: String?
    let abstract: String?
    let url: String?
    let urlText: String?
    let attributes: [Attribute]
    let authorBooks: String?
    let authorTotal: String?
    let authorNote: String?
    let stored: Stored

    init(
        _ book: BookSnapshot, author: AuthorSnapshot?, stored: StoredRow?, frame: Frame, visitor: Visitor
    ) {
        self.frame = frame
        language = visitor.languageTag
        row = BookListPage.Row(book, visitor)
        let path = row.href ?? "/"
        editHref = path + "/edit"
        deleteHref = path + "/delete"
        month = book.publishMonthID.flatMap { PublishMonth(id: $0) }.map(visitor.month)
        abstract = book.abstract
        url = book.url?.absoluteString
        urlText = book.url?.host
        attributes = Self.attributes(book, visitor)
        authorBooks = author.map { visitor.number(Int($0.bookCount)) }
        authorTotal = author?.totalPrice.map(visitor.price)
        authorNote = frame.unsaved.hasChanges ? "as of the last save" : nil
        self.stored = Stored(
            columns: stored?.columns ?? [], hasRow: stored != nil, table: stored?.table ?? "ZBOOK",
            key: book.uuid.map { Self.hex($0) } ?? "")
    }

    private static func hex(_ uuid: UUID) -> String {
        uuid.uuidString.replacing("-", with: "").lowercased()
    }

    private static func attributes(_ book: BookSnapshot, _ visitor: Visitor) -> [Attribute] {
        let none = "none"
        func plain(_ name: String, _ kind: String, _ value: String?) -> Attribute {
            Attribute(name: name, kind: kind, value: value ?? none, isCode: false, later: nil)
        }
        func derived(_ name: String, _ derivation: String, _ value: String?, later: String?) -> Attribute {
            Attribute(
                name: name, kind: "Derived: \(derivation)", value: value ?? none, isCode: false,
                later: later == value ? nil : later)
        }
        let canonical = BookListQuery.canonicalForm(book.title)
        let saveTime = book.state == .saved ? book.lastModified.map(visitor.moment) : "the time of the save"
        return [
            plain("title", "String, required, indexed for search", book.title),
            derived("canonicalTitle", "canonical:(title)", book.canonicalTitle, later: canonical),
            plain("publishDate", "Date", book.publishDate.map(visitor.day)),
            Attribute(
                name: "publishMonthID", kind: "Transient: year × 1000 + month",
                value: book.publishMonthID ?? none,
                isCode: true, later: nil),
            plain(
                "price", "Decimal",
                book.price.map { NSDecimalNumber(decimal: $0).description(withLocale: visitor.locale) }),
            Attribute(
                name: "uuid", kind: "UUID", value: book.uuid?.uuidString ?? none, isCode: true, later: nil),
            plain("url", "URI", book.url?.absoluteString),
            plain("abstract", "Binary", book.abstract.map { "\($0.utf8.count) bytes of UTF-8" }),
            plain("abstractText", "String, indexed for search", book.abstractText),
            Attribute(
                name: "tintColor", kind: "Transformable: TintColor", value: book.tint ?? none, isCode: true,
                later: nil),
            plain("author", "Relationship to one Author", book.author),
            derived("authorName", "author.name", book.authorName, later: book.author),
            derived("lastModified", "now()", book.lastModified.map(visitor.moment), later: saveTime),
        ]
    }
}
