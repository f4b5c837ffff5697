import CoreData
import Foundation
import TestSupport

/// A random format string with its arguments.
struct RandomPredicate {
    /// An argument, or a placeholder for an object of the fetching context.
    enum Argument {
        case value(Any)
        case object(String, Int)
        case objects(String, [Int])
        /// A request for the objects of an entity with a serial below a number, or for their IDs.
        case request(String, below: Int, isOfIDs: Bool)
        /// The fetching context.
        case context
    }

    private(set) var format = ""
    private(set) var arguments: [Argument] = []
    /// Whether it has no conditions inside of expressions, and nothing on which predicates and stores do not agree.
    let isPlain: Bool
    /// Whether it may have fetches in it.
    private let hasFetches: Bool
    let vocabulary: ConditionVocabulary
    private var numbers: SeededNumbers
    private var variableCount = 0

    /// Where a key path begins.
    struct Place {
        let entity: String
        /// Empty for the object itself, or a variable with a dot.
        let prefix: String

        /// The object itself.
        var object: String { prefix.isEmpty ? "SELF" : String(prefix.dropLast()) }
    }

    init(
        about entity: String, _ vocabulary: ConditionVocabulary, depth: Int, isPlain: Bool = false,
        hasFetches: Bool = false, _ numbers: inout SeededNumbers
    ) {
        self.init(vocabulary, isPlain, hasFetches, &numbers) {
            $0.predicate(Place(entity: entity, prefix: ""), depth)
        }
    }

    /// An expression in the place of a predicate: a number, a text or a date.
    init(
        expressionOf entity: String, _ vocabulary: ConditionVocabulary, depth: Int,
        _ numbers: inout SeededNumbers
    ) {
        self.init(vocabulary, false, false, &numbers) { random in
            let place = Place(entity: entity, prefix: "")
            switch random.below(4) {
            case 0: return random.text(place, depth)
            case 1: return random.date(place, depth)
            default: return random.number(place, depth)
            }
        }
    }

    /// A number that is computed of all objects of a group.
    init(
        aggregateOf entity: String, _ vocabulary: ConditionVocabulary, depth: Int,
        _ numbers: inout SeededNumbers
    ) {
        self.init(vocabulary, false, false, &numbers) { random in
            let place = Place(entity: entity, prefix: "")
            switch random.below(6) {
            case 0: return "count:(\(random.text(place, depth)))"
            case 1: return "\(random.one(of: ["max:", "min:"]))(\(random.text(place, depth)))"
            case 2: return "\(random.one(of: ["max:", "min:", "count:"]))(\(random.date(place, depth)))"
            default:
                let name = random.one(of: ["count:", "min:", "max:", "sum:", "average:"])
                let number = "\(name)(\(random.number(place, depth)))"
                return random.below(3) == 0 ? "\(number) \(random.one(of: ["+", "*", "/"])) 2" : number
            }
        }
    }

    private init(
        _ vocabulary: ConditionVocabulary, _ isPlain: Bool, _ hasFetches: Bool,
        _ numbers: inout SeededNumbers,
        _ make: (inout RandomPredicate) -> String
    ) {
        self.numbers = numbers
        self.vocabulary = vocabulary
        self.isPlain = isPlain
        self.hasFetches = hasFetches
        format = make(&self)
        numbers = self.numbers
    }

    // MARK: Choices

    mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &numbers) }
    mutating func one<T>(of list: [T]) -> T { list[below(list.count)] }
    mutating func pick<T>(_ list: [T]) -> T? { list.isEmpty ? nil : one(of: list) }

    mutating func argument(_ value: Any) -> String {
        arguments.append(.value(value))
        return "%@"
    }

    /// `%@` for an object of an entity, seldom of another one; nil where there is none.
    mutating func objectArgument(_ expected: String) -> String? {
        let entity = below(6) == 0 ? one(of: vocabulary.names) : expected
        guard let serial = pick(vocabulary[entity].serials) else { return nil }
        arguments.append(.object(entity, serial))
        return "%@"
    }

    mutating func newVariable() -> String {
        variableCount += 1
        return "$v\(variableCount)"
    }

    // MARK: Predicates

    mutating func predicate(_ place: Place, _ depth: Int) -> String {
        guard depth > 1 else { return comparison(place, 1) }
        switch below(7) {
        case 0: return "(\(predicate(place, depth - 1)) AND \(predicate(place, depth - 1)))"
        case 1: return "(\(predicate(place, depth - 1)) OR \(predicate(place, depth - 1)))"
        case 2: return "NOT (\(predicate(place, depth - 1)))"
        default: return comparison(place, depth)
        }
    }

    static let relations = ["==", "!=", "<", "<=", ">", ">="]
    static let textOperators = ["CONTAINS", "BEGINSWITH", "ENDSWITH", "==", "!=", "<", "<=", ">", ">="]
    static let options = ["", "", "[c]", "[d]", "[cd]", "[n]", "[cn]", "[l]", "[nl]", "[w]", "[cdl]"]

    private mutating func comparison(_ place: Place, _ depth: Int) -> String {
        switch below(16) {
        case 0, 1, 2: return "\(number(place, depth)) \(one(of: Self.relations)) \(number(place, depth))"
        case 3, 4:
            let left = text(place, depth)
            return "\(left) \(one(of: Self.textOperators))\(one(of: Self.options)) \(text(place, depth))"
        case 5:
            let other = below(4) == 0 ? number(place, 1) : date(place, depth)
            return "\(date(place, depth)) \(one(of: Self.relations)) \(other)"
        case 6: return nilTest(place)
        case 7: return list(place, depth)
        case 8: return "\(number(place, depth)) BETWEEN {\(number(place, depth)), \(number(place, depth))}"
        case 9: return pattern(place, depth)
        case 10: return identity(place)
        case 11: return other(place)
        default: return collection(place, depth) ?? nilTest(place)
        }
    }

    private mutating func nilTest(_ place: Place) -> String {
        let path = path(place, ConditionVocabulary.Kind.allCases) ?? place.object
        return "\(path) \(one(of: ["==", "!="])) nil"
    }

    private mutating func list(_ place: Place, _ depth: Int) -> String {
        let word = one(of: ["IN", "IN", "IN[c]", "IN[cd]"])
        switch below(7) {
        case 5:
            return "{\(number(place, 1)), \(number(place, 1)), 1} CONTAINS \(number(place, depth))"
        case 6:
            let list = argument((0..<below(80)).map { _ in one(of: Pools.texts) })
            return "\(list) CONTAINS\(one(of: ["", "[c]", "[cd]"])) \(text(place, depth))"
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
        return
            "\(text(place, depth)) MATCHES\(one(of: ["", "[c]", "[cd]", "[l]", "[n]"])) \(argument(pattern))"
    }

    private mutating func identity(_ place: Place) -> String {
        let (path, entity) = object(place)
        let word = one(of: ["==", "!="])
        if below(3) == 0 {
            let (other, otherEntity) = object(place)
            if vocabulary[entity].root == vocabulary[otherEntity].root { return "\(path) \(word) \(other)" }
        }
        let serials = vocabulary[entity].serials
        if hasFetches, below(4) == 0 {
            arguments.append(.request(entity, below: below(9), isOfIDs: below(2) == 0))
            arguments.append(.context)
            return "\(path) IN FETCH(%@, %@, NO)"
        }
        if below(3) == 0 || serials.isEmpty {
            arguments.append(
                .objects(entity, serials.isEmpty ? [] : (0..<below(4)).map { _ in one(of: serials) }))
            return "\(path) IN %@"
        }
        return "\(path) \(word) \(objectArgument(entity) ?? "nil")"
    }

    /// A condition on what is neither number, text nor date, or on the entity of an object.
    private mutating func other(_ place: Place) -> String {
        switch below(10) {
        case 0, 1:
            guard let path = path(place, [.uuid]) else { break }
            let (uuid, other) = (one(of: Pools.uuids), one(of: Pools.uuids))
            switch below(5) {
            case 0: return "\(path) IN \(argument([uuid, other]))"
            // For `evaluate(with:)` neither an identifier nor a link is a string.
            case 1 where !isPlain:
                return "\(path) IN \(argument([uuid.uuidString, other.uuidString.lowercased()]))"
            case 2: return "{'\(uuid)', \(path)} CONTAINS \(path)"
            case 3 where !isPlain: return "\(path) BETWEEN {'\(uuid)', '\(other)'}"
            default: return "\(path) \(one(of: Self.relations)) \(argument(uuid))"
            }
        case 2, 3:
            guard let path = path(place, [.uri]) else { break }
            switch below(4) {
            case 0: return "\(path) CONTAINS[c] 'EXAMPLE'"
            case 1 where !isPlain:
                return "\(path) IN \(argument(["file:///tmp/a", one(of: Pools.urls).absoluteString]))"
            default: return "\(path) \(one(of: Self.relations)) \(argument(one(of: Pools.urls)))"
            }
        case 4, 5:
            guard let path = path(place, [.data]) else { break }
            return below(2) == 0
                ? "\(path) \(one(of: Self.relations)) \(argument(one(of: Pools.data)))"
                : "\(path) IN \(argument([one(of: Pools.data), Data([7])]))"
        case 6: return entityCondition(place)
        case 7:
            guard let path = path(place, [.boolean]) else { break }
            return "\(path) == \(one(of: ["YES", "NO", "1", "0", "2"]))"
        default:
            if let heir = pick(vocabulary[place.entity].heirs) { return heirCondition(place, heir) }
        }
        return nilTest(place)
    }

    private mutating func entityCondition(_ place: Place) -> String {
        let ways = vocabulary[place.entity].toOne
        let path =
            place.prefix + (below(3) == 0 ? pick(ways).map { $0.path + "." } ?? "" : "") + "entity.name"
        let name = one(of: vocabulary.names)
        switch below(4) {
        case 0: return "\(path) == '\(name)'"
        case 1: return "\(path) \(one(of: ["IN", "IN[c]"])) {'\(name)', 'writer', 'x'}"
        case 2:
            return
                "\(path) \(one(of: ["LIKE", "LIKE[cd]", "MATCHES"])) '\(one(of: ["*e*", "?*", ".*[a-k]", "B*"]))'"
        default:
            return
                "\(path) \(one(of: Self.textOperators))\(one(of: Self.options)) '\(name.prefix(below(name.count + 1)))'"
        }
    }

    /// A condition on an object where that is of a subentity.
    private mutating func heirCondition(_ place: Place, _ heir: ConditionVocabulary.Heir) -> String {
        let ways = vocabulary[place.entity].toOne.filter { $0.entity == place.entity }
        let objects = [place.object] + ways.map { place.prefix + $0.path }
        let object = "CAST(\(one(of: objects)), '\(heir.name)')"
        guard below(2) == 0, let attribute = pick(heir.attributes) else {
            return "\(object) \(one(of: ["==", "!="])) nil"
        }
        let value = "\(object).\(attribute.path)"
        switch attribute.kind {
        case .integer, .boolean, .real, .hard, .decimal:
            return "\(value) \(one(of: Self.relations)) \(number(place, 1))"
        case .text: return "\(value) \(one(of: Self.textOperators)) \(text(place, 1))"
        case .date: return "\(value) \(one(of: Self.relations)) \(date(place, 1))"
        case .uuid, .uri, .data, .opaque: return "\(value) \(one(of: ["==", "!="])) nil"
        }
    }
}
