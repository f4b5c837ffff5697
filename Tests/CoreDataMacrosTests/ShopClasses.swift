import CoreDataMacros

/// Written as in Apple's sample code for transient attributes, with the macros in the place of `@objc`.
@ManagedObject(stored: "note", custom: "label")
class ShopBook: NSManagedObject, Identifiable {
    struct Name {
        static let publishDate = "publishDate"
        static let publishMonthID = "publishMonthID"
    }

    @Managed var title: String?
    /// Named otherwise in the model.
    @Managed("subtitle") public final var secondTitle: String?
    @Managed var pageCount: Int32
    @Managed private(set) var isbn: String?
    @Managed var price: NSDecimalNumber?
    @Managed var binding: Binding?
    @Managed var author: ShopAuthor!
    @Managed var pages: NSOrderedSet?
    @Managed var tags: Set<ShopTag>
    @Managed(primitive: true) var primitivePublishDate: Date?
    @Managed(primitive: true) var primitivePublishMonthID: String?

    /// Setting it forgets the month.
    public var publishDate: Date? {
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

    /// The month of publication; transient.
    public var publishMonthID: String? {
        willAccessValue(forKey: Name.publishMonthID)
        defer { didAccessValue(forKey: Name.publishMonthID) }

        guard primitivePublishMonthID == nil, let date = primitivePublishDate else {
            return primitivePublishMonthID
        }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let components = calendar.dateComponents([.year, .month], from: date)
        if let year = components.year, let month = components.month {
            primitivePublishMonthID = "\(year * 1000 + month)"
        }
        return primitivePublishMonthID
    }

    class func keyPathsForValuesAffectingPublishMonthID() -> Set<String> {
        return [Name.publishDate]
    }

    /// Not in the model.
    var headline: String { "\(title ?? "?") (\(pageCount))" }

    static func keyPathsForValuesAffectingHeadline() -> Set<String> { ["title", "pageCount"] }

    func validateTitle(_ value: inout String?) throws {
        if value?.isEmpty == true { throw ShopError.untitled }
        value = value?.trimmingCharacters(in: .whitespaces)
    }

    func assignISBN(_ isbn: String) { self.isbn = isbn }
}

/// Properties and methods outside the class.
extension ShopBook {
    @Managed var note: String?

    var label: String {
        get { note.map { "[\($0)]" } ?? "" }
        set { note = newValue }
    }

    @ManagedAccessor func addToTags(_ value: ShopTag)
    @ManagedAccessor func addToTags(_ values: NSSet)
    @ManagedAccessor func addToTags(_ values: Set<ShopTag>)
    @ManagedAccessor func removeFromTags(_ value: ShopTag)
    @ManagedAccessor func removeFromTags(_ values: NSSet)
    @ManagedAccessor func removeFromTags(_ values: Set<ShopTag>)

    /// Adds a page at the end.
    @ManagedAccessor public func addToPages(_ value: ShopPage)
    @ManagedAccessor func addToPages(_ values: NSOrderedSet)
    @ManagedAccessor func removeFromPages(_ value: ShopPage)
    @ManagedAccessor func removeFromPages(_ values: NSOrderedSet)
    @ManagedAccessor func insertIntoPages(_ value: ShopPage, at idx: Int)
    @ManagedAccessor func insertIntoPages(_ values: [ShopPage], at indexes: NSIndexSet)
    @ManagedAccessor func insertIntoPages(_ values: NSArray, at indexes: IndexSet)
    @ManagedAccessor func removeFromPages(at idx: Int)
    @ManagedAccessor func removeFromPages(at indexes: NSIndexSet)
    @ManagedAccessor func replacePages(at idx: Int, with value: ShopPage)
    @ManagedAccessor func replacePages(at indexes: IndexSet, with values: [ShopPage])
}

@ManagedObject
final class ShopNovel: ShopBook {
    enum Genre: Int16, ManagedComponent {
        case crime, romance
    }

    @Managed var genre: Genre?
    @Managed var plot: String?

    var mood: String { genre == .crime ? "dark" : "light" }

    class func keyPathsForValuesAffectingMood() -> Set<String> { ["genre"] }

    func validatePlot(_ value: inout String?) { value = value ?? "unknown" }
}

@ManagedObject
final class ShopPage: NSManagedObject {
    @Managed var number: Int
    @Managed var book: ShopBook?

    /// Written with primitive values by name.
    var caption: String {
        get {
            willAccessValue(forKey: "caption")
            defer { didAccessValue(forKey: "caption") }
            return primitiveValue(forKey: "caption") as? String ?? "Page \(number)"
        }
        set {
            willChangeValue(forKey: "caption")
            setPrimitiveValue(newValue, forKey: "caption")
            didChangeValue(forKey: "caption")
        }
    }

    @Managed private(set) var lastModified: Date?

    override func willSave() {
        super.willSave()
        setPrimitiveValue(PropertyTests.march, forKey: "lastModified")
    }
}

@ManagedObject
final class ShopTag: NSManagedObject {
    @Managed var name: String?
    @Managed var books: Set<ShopBook>
}

@ManagedObject
final class ShopAuthor: NSManagedObject {
    @Managed var name: String?
    @Managed var books: Set<ShopBook>

    @ManagedAccessor func addToBooks(_ value: ShopBook)
}

/// The value of a transformable attribute.
struct Binding: Codable, Equatable {
    var material: String
    var isSewn: Bool
}

enum ShopError: Error {
    case untitled
}
