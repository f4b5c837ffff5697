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
    struct Scope {
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
            $0.predicate(Scope(entity: entity, prefix: ""), depth)
        }
    }

    /// An expression in the place of a predicate: a number, a text or a date.
    init(
        expressionOf entity: String, _ vocabulary: ConditionVocabulary, depth: Int,
        _ numbers: inout SeededNumbers
    ) {
        self.init(vocabulary, false, false, &numbers) { random in
            let scope = Scope(entity: entity, prefix: "")
            switch random.below(4) {
            case 0: return random.text(scope, depth)
            case 1: return random.date(scope, depth)
            default: return random.number(scope, depth)
            }
        }
    }

    /// A number that is computed of all objects of a group.
    init(
        aggregateOf entity: String, _ vocabulary: ConditionVocabulary, depth: Int,
        _ numbers: inout SeededNumbers
    ) {
        self.init(vocabulary, false, false, &numbers) { random in
            let scope = Scope(entity: entity, prefix: "")
            switch random.below(6) {
            case 0: return "count:(\(random.text(scope, depth)))"
            case 1: return "\(random.one(of: ["max:", "min:"]))(\(random.text(scope, depth)))"
            case 2: return "\(random.one(of: ["max:", "min:", "count:"]))(\(random.date(scope, depth)))"
            default:
                let name = random.one(of: ["count:", "min:", "max:", "sum:", "average:"])
                let number = "\(name)(\(random.number(scope, depth)))"
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

    mutating func predicate(_ scope: Scope, _ depth: Int) -> String {
        guard depth > 1 else { return comparison(scope, 1) }
        switch below(7) {
        case 0: return "(\(predicate(scope, depth - 1)) AND \(predicate(scope, depth - 1)))"
        case 1: return "(\(predicate(scope, depth - 1)) OR \(predicate(scope, depth - 1)))"
        case 2: return "NOT (\(predicate(scope, depth - 1)))"
        default: return comparison(scope, depth)
        }
    }

    static let relations = ["==", "!=", "<", "<=", ">", ">="]
    static let textOperators = ["CONTAINS", "BEGINSWITH", "ENDSWITH", "==", "!=", "<", "<=", ">", ">="]
    static let options = ["", "", "[c]", "[d]", "[cd]", "[n]", "[cn]", "[l]", "[nl]", "[w]", "[cdl]"]

    private mutating func comparison(_ scope: Scope, _ depth: Int) -> String {
        switch below(16) {
        case 0, 1, 2: return "\(number(scope, depth)) \(one(of: Self.relations)) \(number(scope, depth))"
        case 3, 4:
            let left = text(scope, depth)
            return "\(left) \(one(of: Self.textOperators))\(one(of: Self.options)) \(text(scope, depth))"
        case 5:
            let other = below(4) == 0 ? number(scope, 1) : date(scope, depth)
            return "\(date(scope, depth)) \(one(of: Self.relations)) \(other)"
        case 6: return nilTest(scope)
        case 7: return list(scope, depth)
        case 8: return "\(number(scope, depth)) BETWEEN {\(number(scope, depth)), \(number(scope, depth))}"
        case 9: return pattern(scope, depth)
        case 10: return identity(scope)
        case 11: return other(scope)
        default: return collection(scope, depth) ?? nilTest(scope)
        }
    }

    private mutating func nilTest(_ scope: Scope) -> String {
        let path = path(scope, ConditionVocabulary.Kind.allCases) ?? scope.object
        return "\(path) \(one(of: ["==", "!="])) nil"
    }

    private mutating func list(_ scope: Scope, _ depth: Int) -> String {
        let word = one(of: ["IN", "IN", "IN[c]", "IN[cd]"])
        switch below(7) {
        case 5:
            return "{\(number(scope, 1)), \(number(scope, 1)), 1} CONTAINS \(number(scope, depth))"
        case 6:
            let list = argument((0..<below(80)).map { _ in one(of: Pools.texts) })
            return "\(list) CONTAINS\(one(of: ["", "[c]", "[cd]"])) \(text(scope, depth))"
        case 0:
            return
                "\(text(scope, depth)) \(word) \(argument((0..<below(4)).map { _ in one(of: Pools.texts) }))"
        case 1: return "\(number(scope, depth)) IN {\(number(scope, depth)), \(number(scope, depth)), 1}"
        case 2:
            return "\(number(scope, depth)) IN \(argument((0..<below(80)).map { _ in one(of: Pools.small) }))"
        case 3: return "\(text(scope, depth)) IN \(text(scope, depth))"
        default:
            let many = Array((0..<70).map { "x\($0)" }) + [one(of: Pools.texts)]
            return "\(text(scope, depth)) \(word) \(argument(many))"
        }
    }

    private mutating func pattern(_ scope: Scope, _ depth: Int) -> String {
        if below(2) == 0 {
            let pattern = one(of: ["a*", "*b", "?", "*", "", "a?c", #"\*"#, "É*", "*ss*", "[a]"])
            return "\(text(scope, depth)) LIKE\(one(of: Self.options)) \(argument(pattern))"
        }
        let pattern = one(of: ["a.*", ".", "", "[a-c]+", "(?i)A", "\\d+", ".*é.*", "a|b"])
        return
            "\(text(scope, depth)) MATCHES\(one(of: ["", "[c]", "[cd]", "[l]", "[n]"])) \(argument(pattern))"
    }

    private mutating func identity(_ scope: Scope) -> String {
        let (path, entity) = object(scope)
        let word = one(of: ["==", "!="])
        if below(3) == 0 {
            let (other, otherEntity) = object(scope)
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
    private mutating func other(_ scope: Scope) -> String {
        switch below(10) {
        case 0, 1:
            guard let path = path(scope, [.uuid]) else { break }
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
            guard let path = path(scope, [.uri]) else { break }
            switch below(4) {
            case 0: return "\(path) CONTAINS[c] 'EXAMPLE'"
            case 1 where !isPlain:
                return "\(path) IN \(argument(["file:///tmp/a", one(of: Pools.urls).absoluteString]))"
            default: return "\(path) \(one(of: Self.relations)) \(argument(one(of: Pools.urls)))"
            }
        case 4, 5:
            guard let path = path(scope, [.data]) else { break }
            return below(2) == 0
                ? "\(path) \(one(of: Self.relations)) \(argument(one(of: Pools.data)))"
                : "\(path) IN \(argument([one(of: Pools.data), Data([7])]))"
        case 6: return entityCondition(scope)
        case 7:
            guard let path = path(scope, [.boolean]) else { break }
            return "\(path) == \(one(of: ["YES", "NO", "1", "0", "2"]))"
        default:
            if let subentity = pick(vocabulary[scope.entity].subentityNames) {
                return subentityCondition(scope, subentity)
            }
        }
        return nilTest(scope)
    }

    private mutating func entityCondition(_ scope: Scope) -> String {
        let ways = vocabulary[scope.entity].toOne
        let path =
            scope.prefix + (below(3) == 0 ? pick(ways).map { $0.path + "." } ?? "" : "") + "entity.name"
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
    private mutating func subentityCondition(_ scope: Scope, _ subentity: ConditionVocabulary.Subentity)
        -> String
    {
        let ways = vocabulary[scope.entity].toOne.filter { $0.entity == scope.entity }
        let objects = [scope.object] + ways.map { scope.prefix + $0.path }
        let object = "CAST(\(one(of: objects)), '\(subentity.name)')"
        guard below(2) == 0, let attribute = pick(subentity.attributes) else {
            return "\(object) \(one(of: ["==", "!="])) nil"
        }
        let value = "\(object).\(attribute.path)"
        switch attribute.kind {
        case .integer, .boolean, .real, .hard, .decimal:
            return "\(value) \(one(of: Self.relations)) \(number(scope, 1))"
        case .text: return "\(value) \(one(of: Self.textOperators)) \(text(scope, 1))"
        case .date: return "\(value) \(one(of: Self.relations)) \(date(scope, 1))"
        case .uuid, .uri, .data, .opaque: return "\(value) \(one(of: ["==", "!="])) nil"
        }
    }
}
