import CoreData
import Foundation
import TestSupport

/// People, books and tags with random values and links, the same for the same numbers.
///
/// Every object has a `serial`, by which those of two contexts are compared.
struct RandomTown {
    static let people = 7
    static let books = 8
    static let tags = 4

    /// A value that is made in each context by itself.
    private enum Value {
        case plain(Any?)
        case composite(number: Int?, label: String?)
    }

    private let values: [String: [[String: Value]]]
    private let owners: [Int?]
    private let bosses: [Int?]
    private let friends: [(Int, Int)]
    private let personTags: [(Int, Int)]
    private let bookTags: [(Int, Int)]
    private let readers: [(Int, Int)]
    private let isAuthor: [Bool]

    static func model() -> NSManagedObjectModel {
        let person = NSEntityDescription(
            "Person", attribute("serial", .integer32), attribute("name", .string), attribute("nick", .string),
            attribute("age", .integer32), attribute("size", .integer16), attribute("big", .integer64),
            attribute("score", .double), attribute("wild", .double), attribute("weight", .float),
            attribute("money", .decimal), attribute("born", .date), attribute("flag", .boolean),
            attribute("code", .uuid), attribute("link", .uri), attribute("blob", .binaryData),
            composite("spot", attribute("number", .integer64), attribute("label", .string)))
        let author = NSEntityDescription("Writer", attribute("pen", .string))
        person.subentities = [author]
        let book = NSEntityDescription(
            "Book", attribute("serial", .integer32), attribute("title", .string),
            attribute("pages", .integer32),
            attribute("rating", .double), attribute("price", .decimal), attribute("printed", .date))
        let tag = NSEntityDescription(
            "Tag", attribute("serial", .integer32), attribute("label", .string), attribute("rank", .integer16)
        )
        pair(person.relate("books", to: book, many: true), book.relate("owner", to: person))
        pair(person.relate("reports", to: person, many: true), person.relate("boss", to: person))
        let friends = person.relate("friends", to: person, many: true)
        friends.inverseRelationship = friends
        pair(person.relate("tags", to: tag, many: true), tag.relate("people", to: person, many: true))
        pair(book.relate("tags", to: tag, many: true), tag.relate("books", to: book, many: true))
        pair(
            book.relate("readers", to: person, many: true, ordered: true),
            person.relate("read", to: book, many: true))
        return NSManagedObjectModel(of: person, author, book, tag)
    }

    /// - Parameter isComplete: whether every attribute has a value, and every relationship leads to something.
    init(_ numbers: inout SeededNumbers, isComplete: Bool = false) {
        func some(_ count: Int) -> Int? { count == 0 ? nil : Int.random(in: 0..<count, using: &numbers) }
        func link(_ chance: Int, _ count: Int) -> Int? {
            some(chance) == 0 && !isComplete ? nil : some(count)
        }
        var values: [String: [[String: Value]]] = [:]
        func pick<T>(_ pool: [T], orNil chance: Int = 4) -> Value {
            if some(chance) == 0, !isComplete { return .plain(nil) }
            let value = pool.randomElement(using: &numbers)
            // A NaN is a missing value.
            if isComplete, let real = value as? Double, real.isNaN { return .plain(0.0) }
            return .plain(value)
        }
        values["Person"] = (0..<Self.people).map { _ in
            [
                "name": pick(Pools.texts), "nick": pick(Pools.texts), "age": pick(Pools.small),
                "size": pick([-3, 0, 1, 7]), "big": pick(Pools.large), "score": pick(Pools.doubles),
                "wild": pick(Pools.wild), "weight": pick([0, 0.1, -1.5, 3.25, Float.infinity]),
                "money": pick(Pools.decimals), "born": pick(Pools.dates), "flag": pick([true, false]),
                "code": pick(Pools.uuids), "link": pick(Pools.urls), "blob": pick(Pools.data),
                "spot": .composite(
                    number: link(4, 3),
                    label: link(3, Pools.texts.count).map { Pools.texts[$0] }
                ),
            ]
        }
        values["Book"] = (0..<Self.books).map { _ in
            [
                "title": pick(Pools.texts), "pages": pick(Pools.small), "rating": pick(Pools.doubles),
                "price": pick(Pools.decimals), "printed": pick(Pools.dates),
            ]
        }
        values["Tag"] = (0..<Self.tags).map { _ in ["label": pick(Pools.texts), "rank": pick([0, 1, 2])] }
        self.values = values
        let circle = (0..<Self.people).map { ($0 + 1) % Self.people }
        owners = (0..<Self.books).map { index in
            isComplete && index < Self.people ? index : link(4, Self.people)
        }
        bosses = isComplete ? circle : (0..<Self.people).map { _ in link(3, Self.people) }
        isAuthor = (0..<Self.people).map { _ in some(3) == 0 }
        func pairs(_ left: Int, _ right: Int) -> [(Int, Int)] {
            (0..<6).map { _ in (some(left) ?? 0, some(right) ?? 0) }
        }
        func all(_ left: Int, _ right: Int) -> [(Int, Int)] {
            isComplete ? (0..<max(left, right)).map { ($0 % left, $0 % right) } : []
        }
        friends = pairs(Self.people, Self.people) + (isComplete ? Array(zip(0..., circle)) : [])
        personTags = pairs(Self.people, Self.tags) + all(Self.people, Self.tags)
        bookTags = pairs(Self.books, Self.tags) + all(Self.books, Self.tags)
        readers = pairs(Self.books, Self.people) + all(Self.books, Self.people)
    }

    /// Inserts everything into a context.
    func fill(_ context: NSManagedObjectContext) {
        func objects(_ name: String) -> [NSManagedObject] {
            (values[name] ?? []).enumerated().map { index, values in
                let entity = name == "Person" && isAuthor[index] ? "Writer" : name
                let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
                object.setValue(index, forKey: "serial")
                for (key, value) in values {
                    switch value {
                    case .plain(let value): object.setValue(value, forKey: key)
                    case .composite(let number, let label):
                        var elements: [String: Any] = [:]
                        elements["number"] = number
                        elements["label"] = label
                        object.setValue(elements, forKey: key)
                    }
                }
                if entity == "Writer" { object.setValue("pen \(index)", forKey: "pen") }
                return object
            }
        }
        let people = objects("Person")
        let books = objects("Book")
        let tags = objects("Tag")
        for (book, owner) in zip(books, owners) { book.setValue(owner.map { people[$0] }, forKey: "owner") }
        for (person, boss) in zip(people, bosses) { person.setValue(boss.map { people[$0] }, forKey: "boss") }
        for (one, other) in friends { people[one].mutableSetValue(forKey: "friends").add(people[other]) }
        for (person, tag) in personTags { people[person].mutableSetValue(forKey: "tags").add(tags[tag]) }
        for (book, tag) in bookTags { books[book].mutableSetValue(forKey: "tags").add(tags[tag]) }
        for (book, person) in readers {
            books[book].mutableOrderedSetValue(forKey: "readers").add(people[person])
        }
    }
}

/// Values that are alike, or at the ends of their types.
enum Pools {
    static let texts = [
        "", "a", "A", "ab", "abc", "B", "ä", "a\u{308}", "É", "e\u{301}", "straße", "STRASSE", "ﬁ", "fi", "İ",
        "ı", "i",
        "Σ", "ς", "σ", "%", "_", "*", "?", "a*b", "it's", "\"q\"", "\\", "👩‍👩‍👧", "👩", "日本", "か", "が", " ", "a b",
        "\t", "\n", "10", "9",
        "'; DROP TABLE ZPERSON; --", "a\u{0}b",
    ]
    static let small = [-100, -1, 0, 1, 2, 3, 7, 100, 100_000]
    static let large: [Int64] = [.min, .min + 1, -1, 0, 1, 2, 1 << 53, 1 << 53 + 1, .max - 1, .max]
    static let doubles = [-2.5, -1, 0, 0.1, 0.2, 0.3, 0.25, 0.5, 1, 2, 100, 1e6]
    static let wild = [
        Double.nan, .infinity, -.infinity, -0.0, 0, 1e308, -1e308, .leastNonzeroMagnitude, 0.1, 0.3, 1 / 3,
        9.007199254740993e15,
        1e18, 9.3e18, 9.223372036854775808e18, 1e19, 1.8446744073709551616e19,
    ]
    static let decimals = [
        "0", "0.1", "0.2", "0.3", "1", "-1", "9.99", "19.98", "1000000", "0.30000000000000004",
        "12345678901234567", "1e20", "10000000000000000001",
    ].compactMap { Decimal(string: $0) }.map { NSDecimalNumber(decimal: $0) }
    static let dates = [
        -978_307_200.0, -978_307_199.5, -1, 0, 0.001, 1, 86400, 700_000_000, 700_000_000.25, -63_114_076_800,
        9_007_199_254_740_992,
    ].map { Date(timeIntervalSinceReferenceDate: $0) }
    static let uuids = [
        "00000000-0000-0000-0000-000000000000", "0B6C2A2E-11F0-4E0B-9C57-6C2C3B0C5A01",
        "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
    ].compactMap(UUID.init(uuidString:))
    static let urls = ["https://a.example/", "https://b.example/x?y=1#z", "file:///tmp/a"].compactMap(
        URL.init(string:))
    static let data = [Data(), Data([0]), Data([0, 1]), Data([255])]
}
