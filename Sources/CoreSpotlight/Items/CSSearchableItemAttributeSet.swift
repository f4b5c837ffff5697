import Foundation

/// The attributes of an item: the texts by which it is found, and what a program shows of it.
///
/// ```swift
/// let attributes = CSSearchableItemAttributeSet(itemContentType: "public.text")
/// attributes.title = book.title
/// attributes.keywords = ["novel", "classic"]
/// ```
///
/// Strings and arrays of strings are searched, each under its own name in a `CSSearchQuery`. Dates, numbers, URLs and data are kept for
/// the program and are not searched. Not thread-safe.
open class CSSearchableItemAttributeSet: NSObject, NSCopying {
    /// Makes a set without values.
    ///
    /// - Parameter itemContentType: the uniform type identifier of the item, such as `public.text`.
    public init(itemContentType: String) {
        contentType = itemContentType
        super.init()
    }

    // MARK: Texts

    /// The title of the item.
    open var title: String?
    /// The name that is shown for the item.
    open var displayName: String?
    /// Other names of the item.
    open var alternateNames: [String]?
    /// What the item is about.
    open var contentDescription: String?
    /// Words that go with the item.
    open var keywords: [String]?
    /// The whole text of the item.
    open var textContent: String?
    /// The subject.
    open var subject: String?
    /// A comment.
    open var comment: String?
    /// The kind of the item, as people name it.
    open var kind: String?
    /// A headline.
    open var headline: String?
    /// The theme.
    open var theme: String?
    /// Who wrote it.
    open var authorNames: [String]?
    /// The program that made it.
    open var creator: String?
    /// Who edited it.
    open var editors: [String]?
    /// Who published it.
    open var publishers: [String]?
    /// Who took part in it.
    open var participants: [String]?
    /// Organizations that it belongs to.
    open var organizations: [String]?
    /// Projects that it belongs to.
    open var projects: [String]?
    /// Who the copyright is of.
    open var copyright: String?
    /// The languages of the item.
    open var languages: [String]?
    /// The artist.
    open var artist: String?
    /// The album.
    open var album: String?
    /// The composer.
    open var composer: String?
    /// The genre of a piece of music.
    open var musicalGenre: String?
    /// The city.
    open var city: String?
    /// The state or province.
    open var stateOrProvince: String?
    /// The country.
    open var country: String?
    /// The name of the location.
    open var namedLocation: String?
    /// Telephone numbers.
    open var phoneNumbers: [String]?
    /// Addresses of electronic mail.
    open var emailAddresses: [String]?

    // MARK: Other values

    /// The uniform type identifier of the item.
    open var contentType: String?
    /// The item that this one is about.
    open var relatedUniqueIdentifier: String?
    /// The identifier of the item.
    open var identifier: String?
    /// The group of the item.
    open var domainIdentifier: String?
    /// Where the contents are.
    open var contentURL: URL?
    /// The address of the item.
    open var url: URL?
    /// Where a small picture of the item is.
    open var thumbnailURL: URL?
    /// A small picture of the item.
    open var thumbnailData: Data?
    /// When the contents were made.
    open var contentCreationDate: Date?
    /// When the contents were changed.
    open var contentModificationDate: Date?
    /// When the item was added.
    open var addedDate: Date?
    /// When the item was used last.
    open var lastUsedDate: Date?
    /// The first date that the item is about.
    open var startDate: Date?
    /// The last date that the item is about.
    open var endDate: Date?
    /// How much the item matters, from 0 to 100. Kept; ranks are computed from the texts.
    open var rankingHint: NSNumber?
    /// The rating of the item.
    open var rating: NSNumber?
    /// How long the item lasts, in seconds.
    open var duration: NSNumber?
    /// The latitude, in degrees.
    open var latitude: NSNumber?
    /// The longitude, in degrees.
    open var longitude: NSNumber?

    private var customValues: [CSCustomAttributeKey: any NSSecureCoding] = [:]

    /// Sets the value of an attribute of the program's own. A string, or an array of strings, is searched.
    open func setValue(_ value: (any NSSecureCoding)?, forCustomKey key: CSCustomAttributeKey) {
        customValues[key] = value
    }

    /// The value of an attribute of the program's own.
    open func value(forCustomKey key: CSCustomAttributeKey) -> (any NSSecureCoding)? { customValues[key] }

    /// A set with the same values.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = CSSearchableItemAttributeSet(itemContentType: contentType ?? "")
        for path in Self.texts { copy[keyPath: path.path] = self[keyPath: path.path] }
        for path in Self.lists { copy[keyPath: path.path] = self[keyPath: path.path] }
        copy.contentType = contentType
        copy.relatedUniqueIdentifier = relatedUniqueIdentifier
        copy.identifier = identifier
        copy.domainIdentifier = domainIdentifier
        (copy.contentURL, copy.url, copy.thumbnailURL) = (contentURL, url, thumbnailURL)
        copy.thumbnailData = thumbnailData
        (copy.contentCreationDate, copy.contentModificationDate) = (
            contentCreationDate, contentModificationDate
        )
        (copy.addedDate, copy.lastUsedDate) = (addedDate, lastUsedDate)
        (copy.startDate, copy.endDate) = (startDate, endDate)
        (copy.rankingHint, copy.rating, copy.duration) = (rankingHint, rating, duration)
        (copy.latitude, copy.longitude) = (latitude, longitude)
        copy.customValues = customValues
        return copy
    }
}

/// The key of an attribute that a program defines itself, for `setValue(_:forCustomKey:)` of an attribute set.
///
/// A string or an array of strings under such a key is searched by queries for all attributes (`*`); a query cannot name the key. Two keys
/// with the same name are equal.
public final class CSCustomAttributeKey: NSObject, Sendable {
    /// The name of the attribute.
    public let keyName: String

    /// Makes a key; nil for a name with anything but letters of ASCII, digits and underscores.
    public init?(keyName: String) {
        let isValid = keyName.utf8.allSatisfy {
            0x30...0x39 ~= $0 || 0x41...0x5A ~= $0 || 0x61...0x7A ~= $0 || $0 == 0x5F
        }
        guard isValid, !keyName.isEmpty else { return nil }
        self.keyName = keyName
    }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? CSCustomAttributeKey)?.keyName == keyName
    }

    public override var hash: Int { keyName.hashValue }
}

// MARK: Fields

extension CSSearchableItemAttributeSet {
    private typealias Text = (
        name: String, path: ReferenceWritableKeyPath<CSSearchableItemAttributeSet, String?>
    )
    private typealias List = (
        name: String, path: ReferenceWritableKeyPath<CSSearchableItemAttributeSet, [String]?>
    )

    private static var texts: [Text] {
        [
            ("title", \.title), ("displayName", \.displayName), ("contentDescription", \.contentDescription),
            ("textContent", \.textContent), ("subject", \.subject), ("comment", \.comment), ("kind", \.kind),
            ("headline", \.headline), ("theme", \.theme), ("creator", \.creator), ("copyright", \.copyright),
            ("artist", \.artist), ("album", \.album), ("composer", \.composer),
            ("musicalGenre", \.musicalGenre), ("city", \.city), ("stateOrProvince", \.stateOrProvince),
            ("country", \.country), ("namedLocation", \.namedLocation),
        ]
    }

    private static var lists: [List] {
        [
            ("alternateNames", \.alternateNames), ("keywords", \.keywords), ("authorNames", \.authorNames),
            ("editors", \.editors), ("publishers", \.publishers), ("participants", \.participants),
            ("organizations", \.organizations), ("projects", \.projects), ("languages", \.languages),
            ("phoneNumbers", \.phoneNumbers), ("emailAddresses", \.emailAddresses),
        ]
    }

    /// The names of all fields of an index of items; the last one has the values of custom keys.
    static var fieldNames: [String] { texts.map(\.name) + lists.map(\.name) + ["custom"] }

    /// The text of each field that has one.
    var fieldTexts: [(field: Int, text: String)] {
        var found: [(field: Int, text: String)] = []
        for (index, field) in Self.texts.enumerated() {
            if let text = self[keyPath: field.path] { found.append((index, text)) }
        }
        let first = Self.texts.count
        for (index, field) in Self.lists.enumerated() {
            if let texts = self[keyPath: field.path] { found.append((first + index, Self.joined(texts))) }
        }
        let custom = customValues.sorted { $0.key.keyName < $1.key.keyName }.flatMap { value -> [String] in
            switch value.value {
            case let text as NSString: [text as String]
            case let texts as NSArray: texts.compactMap { $0 as? String }
            default: []
            }
        }
        if !custom.isEmpty { found.append((Self.fieldNames.count - 1, Self.joined(custom))) }
        return found
    }

    private static func joined(_ texts: [String]) -> String { texts.joined(separator: "\n") }
}
