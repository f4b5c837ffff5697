import CocoaFoundation

/// A volume of the tests of Swift's predicates: a class with keys for its key paths.
class Volume: NSObject, KeyValueCoding, KeyPathNaming {
    var title = ""
    var subtitle: String?
    var pages = 0
    var price = 0.0
    var isRead = false
    var isLent: Bool?
    var date: Date?
    var tags: [String] = []
    var scores: [String: Int] = [:]
    var origin: Volume?
    var parts: [Volume] = []
    var anything: Any = 1
    /// A property without a key.
    var secret = 0

    convenience init(_ title: String, pages: Int = 0) {
        self.init()
        self.title = title
        self.pages = pages
    }

    private static let properties: [(key: String, keyPath: any PartialKeyPath<Volume> & Sendable)] = [
        ("title", \.title), ("subtitle", \.subtitle), ("pages", \.pages), ("price", \.price),
        ("isRead", \.isRead),
        ("isLent", \.isLent), ("date", \.date), ("tags", \.tags), ("scores", \.scores), ("origin", \.origin),
        ("parts", \.parts), ("anything", \.anything),
    ]

    class var keyPathNames: [(key: String, keyPath: AnyKeyPath)] { properties.map { ($0.key, $0.keyPath) } }

    func value(forKey key: String) -> Any? {
        Self.properties.first { $0.key == key }.map { self[keyPath: $0.keyPath] }
    }

    func setValue(_ value: Any?, forKey key: String) {}
}

/// A volume of a kind of its own.
final class Folio: Volume {
    var height = 0

    override class var keyPathNames: [(key: String, keyPath: AnyKeyPath)] {
        super.keyPathNames + [("height", \Folio.height), ("title", \Folio.title)]
    }

    override func value(forKey key: String) -> Any? {
        key == "height" ? height : super.value(forKey: key)
    }
}

/// Entries whose values differ.
enum Catalogue {
    static var entries: [Volume] {
        let atlas = Volume("Atlas", pages: 12)
        atlas.subtitle = "Maps"
        atlas.price = 10.5
        atlas.isRead = true
        atlas.isLent = false
        atlas.date = Date(timeIntervalSinceReferenceDate: 100)
        atlas.tags = ["a", "b"]
        atlas.scores = ["x": 1]
        let emma = Volume("Emma", pages: 7)
        emma.price = 2
        emma.isLent = true
        emma.tags = ["z"]
        emma.origin = atlas
        emma.parts = [Volume("One", pages: 3), Volume("Two", pages: 9)]
        let ete = Volume("été", pages: -4)
        ete.subtitle = ""
        ete.price = -1.5
        ete.date = Date(timeIntervalSinceReferenceDate: 200)
        ete.scores = ["y": 2]
        ete.origin = emma
        ete.parts = [Volume("Three", pages: 30)]
        return [atlas, emma, ete]
    }
}
