import CoreData

/// How an object differs from the store.
enum ChangeState: String, Sendable {
    case saved, new, changed, deleted

    /// The state of an object; one that was set to equal values only counts as saved.
    init(_ object: NSManagedObject) {
        if object.isDeleted {
            self = .deleted
        } else if object.isInserted {
            self = .new
        } else {
            self = object.hasPersistentChangedValues ? .changed : .saved
        }
    }
}

/// The values of a book at one moment: what leaves the context's queue in the place of the object.
struct BookSnapshot: Sendable, Equatable {
    var uuid: UUID?
    var title: String
    var canonicalTitle: String?
    var author: String?
    /// The derived attribute: the author's name as of the last save.
    var authorName: String?
    var publishDate: Date?
    var publishMonthID: String?
    var price: Decimal?
    var url: URL?
    var abstract: String?
    /// The string that is searched.
    var abstractText: String?
    var tint: String?
    var lastModified: Date?
    var state: ChangeState

    /// Takes the values of a book; called on its context's queue.
    init(_ book: Book) {
        uuid = book.uuid
        title = book.title ?? ""
        canonicalTitle = book.canonicalTitle
        author = book.author?.name
        authorName = book.authorName
        publishDate = book.publishDate
        publishMonthID = book.publishMonthID
        price = book.price?.decimalValue
        url = book.url
        abstract = book.abstract.map { String(decoding: $0, as: UTF8.self) }
        abstractText = book.abstractText
        tint = book.tintColor?.hex
        lastModified = book.lastModified
        state = ChangeState(book)
    }

    /// A mark of the values that a form edits: it is another one when one of them is.
    var mark: String {
        let parts = [
            title, author ?? "", publishDate.map { "\($0.timeIntervalSinceReferenceDate)" } ?? "",
            price.map { "\($0)" } ?? "", url?.absoluteString ?? "", abstract ?? "", tint ?? "",
        ]
        // FNV-1a, in 64 bits; the lengths keep parts apart.
        var hash: UInt64 = 14_695_981_039_346_656_037
        for byte in parts.flatMap({ "\($0.utf8.count):\($0)".utf8 }) {
            hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211
        }
        return String(hash, radix: 36)
    }
}

/// The values of an author at one moment.
struct AuthorSnapshot: Sendable, Equatable {
    var name: String
    /// The derived attributes, as of the last save.
    var bookCount: Int64
    var totalPrice: Decimal?
    var state: ChangeState

    /// Takes the values of an author; called on its context's queue.
    init(_ author: Author) {
        name = author.name ?? ""
        bookCount = author.bookCount
        totalPrice = author.totalPrice?.decimalValue
        state =
            author.isInserted || author.isDeleted || author.changedValues()["name"] != nil
            ? ChangeState(author) : .saved
    }
}
