import CoreData

/// A book: one attribute of each kind that Core Data has.
final class Book: NSManagedObject {
    /// The names that accessors and observers use.
    enum Name {
        static let publishDate = "publishDate"
        static let publishMonthID = "publishMonthID"
        static let abstract = "abstract"
        static let abstractText = "abstractText"
    }

    private static let titleKey = ManagedKey<String?>("title")
    private static let canonicalTitleKey = ManagedKey<String?>("canonicalTitle")
    private static let publishDateKey = ManagedKey<Date?>(Name.publishDate)
    private static let publishMonthIDKey = ManagedKey<String?>(Name.publishMonthID)
    private static let priceKey = ManagedKey<NSDecimalNumber?>("price")
    private static let uuidKey = ManagedKey<UUID?>("uuid")
    private static let urlKey = ManagedKey<URL?>("url")
    private static let abstractKey = ManagedKey<Data?>(Name.abstract)
    private static let abstractTextKey = ManagedKey<String?>(Name.abstractText)
    private static let tintColorKey = ManagedKey<TintColor?>("tintColor")
    private static let authorKey = ManagedKey<Author?>("author")
    private static let authorNameKey = ManagedKey<String?>("authorName")
    private static let lastModifiedKey = ManagedKey<Date?>("lastModified")

    var title: String? {
        get { self[Self.titleKey] }
        set { self[Self.titleKey] = newValue }
    }
    var price: NSDecimalNumber? {
        get { self[Self.priceKey] }
        set { self[Self.priceKey] = newValue }
    }
    var uuid: UUID? {
        get { self[Self.uuidKey] }
        set { self[Self.uuidKey] = newValue }
    }
    var url: URL? {
        get { self[Self.urlKey] }
        set { self[Self.urlKey] = newValue }
    }
    var tintColor: TintColor? {
        get { self[Self.tintColorKey] }
        set { self[Self.tintColorKey] = newValue }
    }
    var author: Author? {
        get { self[Self.authorKey] }
        set { self[Self.authorKey] = newValue }
    }

    // Derived: the store computes these when the context is saved.

    var canonicalTitle: String? { self[Self.canonicalTitleKey] }
    var authorName: String? { self[Self.authorNameKey] }
    var lastModified: Date? { self[Self.lastModifiedKey] }

    // MARK: The published month, a transient attribute derived from the date

    private var primitivePublishDate: Date? {
        get { self[primitive: Self.publishDateKey] }
        set { self[primitive: Self.publishDateKey] = newValue }
    }
    private var primitivePublishMonthID: String? {
        get { self[primitive: Self.publishMonthIDKey] }
        set { self[primitive: Self.publishMonthIDKey] = newValue }
    }

    var publishDate: Date? {
        get {
            willAccessValue(forKey: Name.publishDate)
            defer { didAccessValue(forKey: Name.publishDate) }
            return primitivePublishDate
        }
        set {
            willChangeValue(forKey: Name.publishDate)
            defer { didChangeValue(forKey: Name.publishDate) }
            primitivePublishDate = newValue
            primitivePublishMonthID = nil
        }
    }

    /// The year times 1000 plus the month, as text: `"1925004"` for April 1925. Sections are named by it.
    var publishMonthID: String? {
        willAccessValue(forKey: Name.publishMonthID)
        defer { didAccessValue(forKey: Name.publishMonthID) }
        guard primitivePublishMonthID == nil, let date = primitivePublishDate else {
            return primitivePublishMonthID
        }
        primitivePublishMonthID = PublishMonth(date)?.id
        return primitivePublishMonthID
    }

    class func keyPathsForValuesAffectingPublishMonthID() -> Set<String> { [Name.publishDate] }

    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        let inherited = super.keyPathsForValuesAffectingValue(forKey: key)
        return key == Name.publishMonthID
            ? inherited.union(keyPathsForValuesAffectingPublishMonthID()) : inherited
    }

    override class var managedProperties: [ManagedProperty] {
        [
            .stored("title", \Book.title), .stored("canonicalTitle", \Book.canonicalTitle),
            .stored("price", \Book.price), .stored("uuid", \Book.uuid), .stored("url", \Book.url),
            .custom(Name.abstract, \Book.abstract), .stored(Name.abstractText, \Book.abstractText),
            .stored("tintColor", \Book.tintColor),
            .stored("author", \Book.author), .stored("authorName", \Book.authorName),
            .stored("lastModified", \Book.lastModified),
            .custom(Name.publishDate, \Book.publishDate),
            .custom(Name.publishMonthID, \Book.publishMonthID),
        ]
    }

    // MARK: The abstract, as bytes and as the text that is searched

    /// UTF-8. The search has an index of strings, not of bytes: the text is kept beside them.
    var abstract: Data? {
        get { self[Self.abstractKey] }
        set {
            self[Self.abstractKey] = newValue
            self[Self.abstractTextKey] = newValue.map(Self.text)
        }
    }

    var abstractText: String? { self[Self.abstractTextKey] }

    /// Sets the text of an abstract that was stored when the model had no attribute for it.
    func fillInAbstractText() { self[Self.abstractTextKey] = abstract.map(Self.text) }

    private static func text(_ abstract: Data) -> String { String(decoding: abstract, as: UTF8.self) }

    // MARK: Life

    override func awakeFromInsert() {
        super.awakeFromInsert()
        self[primitive: Self.uuidKey] = UUID()
    }

    /// After undo, redo and rollback the date may be another one than the month was made from.
    override func awake(fromSnapshotEvents flags: NSSnapshotEventType) {
        super.awake(fromSnapshotEvents: flags)
        primitivePublishMonthID = nil
    }
}

extension Book {
    class func fetchRequest() -> NSFetchRequest<Book> { NSFetchRequest(entityName: "Book") }
}
