import CoreData
import Foundation
import TestSupport

/// A random format string with its arguments.
struct RandomPredicate {
    /// An argument, or what stands for an object of the context that asks.
    enum Argument {
        case value(Any)
        case object(String, Int)
        case objects(String, [Int])
    }

    private(set) var format = ""
    private(set) var arguments: [Argument] = []
    private var numbers: SeededNumbers
    private var variableCount = 0

    /// Where a key path begins.
    private struct Place {
        let entity: String
        /// Empty for the object itself, or a variable with a dot.
        let prefix: String
    }

    init(about entity: String, depth: Int, _ numbers: inout SeededNumbers) {
        self.numbers = numbers
        format = predicate(Place(entity: entity, prefix: ""), depth)
        numbers = self.numbers
    }

    private mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &numbers) }
    private mutating func one<T>(of list: [T]) -> T { list[below(list.count)] }
    private mutating func argument(_ value: Any) -> String {
        arguments.append(.value(value))
        return "%@"
    }

    // MARK: Predicates

    private mutating func predicate(_ place: Place, _ depth: Int) -> String {
        guard depth > 1 else { return comparison(place, 1) }
        switch below(7) {
        case 0: return "(\(predicate(place, depth - 1)) AND \(predicate(place, depth - 1)))"
        case 1: return "(\(predicate(place, depth - 1)) OR \(predicate(place, depth - 1)))"
        case 2: return "NOT (\(predicate(place, depth - 1)))"
        default: return comparison(place, depth)
        }
    }

    private static let relations = ["==", "!=", "<", "<=", ">", ">="]
    private static let textOperators = ["CONTAINS", "BEGINSWITH", "ENDSWITH", "==", "!=", "<", ">="]
    private static let options = ["", "", "[c]", "[d]", "[cd]", "[n]"]

    private mutating func comparison(_ place: Place, _ depth: Int) -> String {
        switch below(16) {
        case 0, 1, 2: return "\(number(place, depth)) \(one(of: Self.relations)) \(number(place, depth))"
        case 3, 4:
            let left = text(place, depth)
            return "\(left) \(one(of: Self.textOperators))\(one(of: Self.options)) \(text(place, depth))"
        case 5: return "\(date(place, depth)) \(one(of: Self.relations)) \(date(place, depth))"
        case 6: return nilTest(place)
        case 7: return list(place, depth)
        case 8: return "\(number(place, depth)) BETWEEN {\(number(place, depth)), \(number(place, depth))}"
        case 9: return pattern(place, depth)
        case 10: return identity(place)
        case 11: return other(place)
        default: return collection(place, depth)
        }
    }

    private mutating func nilTest(_ place: Place) -> String {
        let path = path(place, one(of: Self.attributes[place.entity] ?? []))
        return "\(path) \(one(of: ["==", "!="])) nil"
    }

    private mutating func list(_ place: Place, _ depth: Int) -> String {
        let word = one(of: ["IN", "IN", "IN[c]", "IN[cd]"])
        switch below(5) {
        case 0:
            return
                "\(text(place, depth)) \(word) \(argument((0..<below(4)).map { _ in one(of: Pools.texts) }))"
        case 1: return "\(number(place, depth)) IN {\(number(place, depth)), \(number(place, depth)), 1}"
        case 2:
            return "\(number(place, depth)) IN \(argument((0..<below(80)).map { _ in one(of: Pools.small) }))"
        case 3: return "\(text(place, depth)) IN \(text(place, depth))"
        default:
            let many = Array((0..<70).map { "x\($0)" }) + [one(of: Pools.texts)]
            return "\(text(place, depth)) \(word) \(argument(many))"
        }
    }

    private mutating func pattern(_ place: Place, _ depth: Int) -> String {
        if below(2) == 0 {
            let pattern = one(of: ["a*", "*b", "?", "*", "", "a?c", #"\*"#, "É*", "*ss*", "[a]"])
            return "\(text(place, depth)) LIKE\(one(of: Self.options)) \(argument(pattern))"
        }
        let pattern = one(of: ["a.*", ".", "", "[a-c]+", "(?i)A", "\\d+", ".*é.*", "a|b"])
        return "\(text(place, depth)) MATCHES\(one(of: ["", "[c]", "[cd]"])) \(argument(pattern))"
    }

    private mutating func identity(_ place: Place) -> String {
        let (path, entity) = object(place)
        let word = one(of: ["==", "!="])
        if below(3) == 0 {
            let (other, otherEntity) = object(place)
            if entity == otherEntity { return "\(path) \(word) \(other)" }
        }
        let count = RandomPredicate.count(entity)
        if below(3) == 0 {
            arguments.append(.objects(entity, (0..<below(4)).map { _ in below(count) }))
            return "\(path) IN %@"
        }
        arguments.append(.object(entity, below(count)))
        return "\(path) \(word) %@"
    }

    private mutating func other(_ place: Place) -> String {
        guard place.entity == "Person" else { return nilTest(place) }
        switch below(8) {
        case 0: return "\(place.prefix)code \(one(of: Self.relations)) \(argument(one(of: Pools.uuids)))"
        case 1: return "\(place.prefix)code IN \(argument([one(of: Pools.uuids), one(of: Pools.uuids)]))"
        case 2: return "\(place.prefix)link \(one(of: ["==", "!="])) \(argument(one(of: Pools.urls)))"
        case 3: return "\(place.prefix)link CONTAINS[c] 'EXAMPLE'"
        case 4: return "\(place.prefix)blob \(one(of: Self.relations)) \(argument(one(of: Pools.data)))"
        case 5: return "\(place.prefix)entity.name == \(one(of: ["'Person'", "'Writer'", "'Tag'"]))"
        case 6: return "\(place.prefix)blob IN \(argument([one(of: Pools.data), Data([7])]))"
        default: return "\(place.prefix)flag == \(one(of: ["YES", "NO", "1", "0", "2"]))"
        }
    }

    // MARK: Collections

    /// Relationships to many, with the entities that they lead to.
    private static let many: [String: [(String, String)]] = [
        "Person": [
            ("books", "Book"), ("reports", "Person"), ("friends", "Person"), ("tags", "Tag"),
            ("read", "Book"),
            ("boss.books", "Book"), ("boss.friends", "Person"), ("books.tags", "Tag"),
            ("books.owner", "Person"), ("books.owner.friends", "Person"),
        ],
        "Book": [
            ("tags", "Tag"), ("readers", "Person"), ("owner.friends", "Person"), ("owner.books", "Book"),
        ],
        "Tag": [("people", "Person"), ("books", "Book"), ("books.readers", "Person")],
    ]
    private static let one: [String: [(String, String)]] = [
        "Person": [("boss", "Person"), ("boss.boss", "Person")],
        "Book": [("owner", "Person"), ("owner.boss", "Person")], "Tag": [],
    ]
    private static let attributes: [String: [String]] = [
        "Person": [
            "name", "age", "big", "score", "wild", "weight", "money", "born", "flag", "code", "link", "blob",
            "boss",
            "spot.number", "spot.label",
        ],
        "Book": ["title", "pages", "rating", "price", "printed", "owner"], "Tag": ["label", "rank"],
    ]
    private static let integers = [
        "Person": ["age", "size", "flag", "spot.number"], "Book": ["pages"], "Tag": ["rank"],
    ]
    private static let reals = ["Person": ["score"], "Book": ["rating"], "Tag": []]
    private static let hard = ["Person": ["wild", "weight", "big"], "Book": [], "Tag": []]
    private static let decimals = ["Person": ["money"], "Book": ["price"], "Tag": []]
    private static let texts = [
        "Person": ["name", "nick", "spot.label"], "Book": ["title"], "Tag": ["label"],
    ]
    private static let dates = ["Person": ["born"], "Book": ["printed"], "Tag": []]

    private static func count(_ entity: String) -> Int {
        entity == "Person" ? RandomTown.people : entity == "Book" ? RandomTown.books : RandomTown.tags
    }

    /// A relationship to many, or two combined, with its entity; in parentheses where a path may go on.
    private mutating func objects(_ place: Place) -> (String, String) {
        let ways = Self.many[place.entity] ?? []
        let (path, entity) = one(of: ways)
        guard below(5) == 0 else { return (place.prefix + path, entity) }
        let (other, _) = one(of: ways.filter { $0.1 == entity })
        let word = one(of: ["UNION", "INTERSECT", "MINUS"])
        return ("(\(place.prefix)\(path) \(word) \(place.prefix)\(other))", entity)
    }

    private mutating func collection(_ place: Place, _ depth: Int) -> String {
        let (path, entity) = objects(place)
        let word = one(of: ["ANY", "ALL", "NONE", "SOME"])
        switch below(7) {
        case 0:
            let text = one(of: Self.texts[entity] ?? [])
            return """
                \(word) \(path).\(text) \(one(of: Self.textOperators))\(one(of: Self.options)) \
                \(self.text(place, 1))
                """
        case 1:
            let key = one(of: numberKeys(entity))
            return "\(word) \(path).\(key) \(one(of: Self.relations)) \(number(place, 1))"
        case 2:
            let key = one(of: Self.attributes[entity] ?? [])
            return "\(word) \(path).\(key) \(one(of: ["==", "!="])) nil"
        case 3:
            arguments.append(.object(entity, below(Self.count(entity))))
            return one(of: [
                "ANY \(path) == %@", "\(path) CONTAINS %@",
                "%@ IN \(path)", "NONE \(path) == %@",
            ])
        case 4:
            let key = one(of: Self.texts[entity] ?? [])
            return "\(text(place, 1)) IN\(one(of: ["", "[cd]"])) \(path).\(key)"
        case 5:
            let key = one(of: numberKeys(entity))
            return "\(word) \(path).\(key) IN {0, 1, 2, 100}"
        default: return "\(count(place, depth)) \(one(of: Self.relations)) \(below(3))"
        }
    }

    private func numberKeys(_ entity: String) -> [String] {
        [Self.integers, Self.reals, Self.hard, Self.decimals].flatMap { $0[entity] ?? [] }
    }

    private mutating func count(_ place: Place, _ depth: Int) -> String {
        let (path, entity) = objects(place)
        guard depth > 1, below(3) > 0 else { return "\(path).@count" }
        variableCount += 1
        let name = "$v\(variableCount)"
        let inner = predicate(Place(entity: entity, prefix: "\(name)."), depth - 1)
        let subquery = "SUBQUERY(\(path), \(name), \(inner))"
        let key = one(of: Self.integers[entity] ?? [])
        return one(of: [
            "\(subquery).@count", "\(subquery).@count", "\(subquery).@max.\(key)", "\(subquery).\(key).@sum",
        ])
    }

    // MARK: Values

    /// One of a book's readers, who have an order.
    private mutating func element(_ place: Place) -> String {
        "\(place.prefix)readers[\(one(of: ["FIRST", "LAST", "0", "1", "2"]))]"
    }

    private mutating func path(_ place: Place, _ key: String) -> String {
        let ways = Self.one[place.entity] ?? []
        guard !ways.isEmpty, below(4) == 0, let way = Optional(one(of: ways)) else {
            return place.prefix + key
        }
        // Only people have a boss, so that a person's key is one of the boss's, too.
        guard way.1 == place.entity else { return place.prefix + key }
        return "\(place.prefix)\(way.0).\(key)"
    }

    private mutating func object(_ place: Place) -> (String, String) {
        let ways = Self.one[place.entity] ?? []
        if place.entity == "Book", below(3) == 0 { return (element(place), "Person") }
        guard !ways.isEmpty, below(3) > 0 else {
            return (place.prefix.isEmpty ? "SELF" : String(place.prefix.dropLast()), place.entity)
        }
        let way = one(of: ways)
        return (place.prefix + way.0, way.1)
    }

    private mutating func number(_ place: Place, _ depth: Int) -> String {
        guard depth > 1 else {
            switch below(4) {
            case 0:
                return one(of: ["0", "1", "-1", "2.5", "0.3", "100", "9.99", "1e300", "9223372036854775807"])
            case 1 where place.entity == "Book": return "\(element(place)).\(one(of: numberKeys("Person")))"
            default: return path(place, one(of: numberKeys(place.entity)))
            }
        }
        switch below(12) {
        case 0, 1, 2:
            return
                "(\(number(place, depth - 1)) \(one(of: ["+", "-", "*", "/"])) \(number(place, depth - 1)))"
        case 3:
            let name = one(of: ["abs:", "floor:", "ceiling:", "trunc:", "sqrt:", "noindex:"])
            return "\(name)(\(number(place, depth - 1)))"
        case 4: return "length:(\(text(place, depth - 1)))"
        case 5: return count(place, depth - 1)
        case 6: return aggregate(place)
        case 7:
            return
                "TERNARY(\(predicate(place, depth - 1)), \(number(place, depth - 1)), \(number(place, depth - 1)))"
        case 8: return "modulus:by:(\(number(place, depth - 1)), \(number(place, depth - 1)))"
        case 9:
            let name = one(of: ["min:", "max:", "bitwiseAnd:with:", "bitwiseXor:with:"])
            return "\(name)(\(number(place, depth - 1)), \(number(place, depth - 1)))"
        default: return number(place, 1)
        }
    }

    private mutating func aggregate(_ place: Place) -> String {
        let (path, entity) = objects(place)
        // Sums of real numbers depend on the order; these are exact.
        let exact = [Self.integers, Self.reals, Self.decimals].flatMap { $0[entity] ?? [] }
        switch below(5) {
        case 0: return "\(path).@sum.\(one(of: exact))"
        case 1: return "\(path).@avg.\(one(of: exact))"
        case 2: return "\(path).@\(one(of: ["min", "max"])).\(one(of: numberKeys(entity)))"
        case 3: return "\(one(of: ["median:", "stddev:"]))(\(path).\(one(of: exact)))"
        default: return "\(one(of: ["sum:", "max:", "min:", "count:"]))(\(path).\(one(of: exact)))"
        }
    }

    private mutating func text(_ place: Place, _ depth: Int) -> String {
        if depth > 1, below(3) == 0 {
            switch below(4) {
            case 0: return "uppercase:(\(text(place, depth - 1)))"
            case 1: return "lowercase:(\(text(place, depth - 1)))"
            case 2: return "canonical:(\(text(place, depth - 1)))"
            default: return "TERNARY(\(predicate(place, depth - 1)), \(text(place, 1)), \(text(place, 1)))"
            }
        }
        if below(3) == 0 { return argument(one(of: Pools.texts)) }
        return path(place, one(of: Self.texts[place.entity] ?? []))
    }

    private mutating func date(_ place: Place, _ depth: Int) -> String {
        let keys = Self.dates[place.entity] ?? []
        if keys.isEmpty || below(3) == 0 {
            return below(3) == 0 ? "CAST(\(one(of: Pools.small)), 'NSDate')" : argument(one(of: Pools.dates))
        }
        let path = path(place, one(of: keys))
        return depth > 1 && below(3) == 0 ? "(\(path) + \(one(of: ["1", "0.5", "86400"])))" : path
    }
}
