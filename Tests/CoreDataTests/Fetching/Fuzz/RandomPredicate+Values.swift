// Objects, numbers, texts and dates of random conditions.

extension RandomPredicate {
    /// The path of an attribute of some kind, sometimes behind a relationship; nil where there is none.
    mutating func path(_ scope: Scope, _ kinds: [ConditionVocabulary.Kind]) -> String? {
        let entity = vocabulary[scope.entity]
        if below(4) == 0, let way = pick(entity.toOne),
            let key = pick(vocabulary[way.entity].paths(kinds))
        {
            return "\(scope.prefix)\(way.path).\(key)"
        }
        return pick(entity.paths(kinds)).map { scope.prefix + $0 }
    }

    /// An object with its entity.
    mutating func object(_ scope: Scope) -> (String, String) {
        if below(3) == 0, let element = element(scope) { return element }
        guard below(3) > 0, let way = pick(vocabulary[scope.entity].toOne) else {
            return (scope.object, scope.entity)
        }
        return (scope.prefix + way.path, way.entity)
    }

    /// An element of an ordered relationship, with its entity.
    private mutating func element(_ scope: Scope) -> (String, String)? {
        let entity = vocabulary[scope.entity]
        guard let way = pick(entity.ordered) else { return nil }
        let stored = pick(entity.paths([.integer, .real, .decimal])).map { scope.prefix + $0 }
        let index = one(
            of: isPlain
                ? ["FIRST", "LAST", "0"] : ["FIRST", "LAST", "0", "1", "2", stored ?? "3", stored ?? "-1"])
        return ("\(scope.prefix)\(way.path)[\(index)]", way.entity)
    }

    private static let constants = [
        "0", "1", "-1", "2.5", "0.3", "100", "9.99", "1e300", "9223372036854775807",
    ]
    /// Integers that are near a real number, or that do not fit 64 bits with a sign; a predicate
    /// distinguishes them from that number.
    private static let large = [
        "9007199254740993", "9223372036854775808", "9223372036854775809", "18446744073709551615", "1e19",
        "10000000000000000001",
    ]

    mutating func number(_ scope: Scope, _ depth: Int) -> String {
        if depth > 1, let formula = formula(scope, depth) { return formula }
        switch below(4) {
        case 0: break
        case 1:
            if let (object, entity) = element(scope),
                let key = pick(vocabulary[entity].paths(.numbers))
            {
                return "\(object).\(key)"
            }
            fallthrough
        default:
            if let path = path(scope, .numbers) { return path }
        }
        return one(of: isPlain || below(4) > 0 ? Self.constants : Self.large)
    }

    /// A number that is computed; nil for a plain one.
    private mutating func formula(_ scope: Scope, _ depth: Int) -> String? {
        switch below(14) {
        case 0, 1, 2:
            return
                "(\(number(scope, depth - 1)) \(one(of: ["+", "-", "*", "/"])) \(number(scope, depth - 1)))"
        case 3:
            let name = one(of: [
                "abs:", "floor:", "ceiling:", "trunc:", "sqrt:", "noindex:", "ln:", "log:", "exp:",
                "onesComplement:",
            ])
            return "\(name)(\(number(scope, depth - 1)))"
        case 4: return "length:(\(text(scope, depth - 1)))"
        case 5: return count(scope, depth - 1)
        case 6: return aggregate(scope)
        case 7:
            if isPlain { return nil }
            return
                "TERNARY(\(predicate(scope, depth - 1)), \(number(scope, depth - 1)), \(number(scope, depth - 1)))"
        case 8: return "modulus:by:(\(number(scope, depth - 1)), \(number(scope, depth - 1)))"
        case 9:
            let name = one(of: [
                "min:", "max:", "sum:", "average:", "raise:toPower:", "bitwiseAnd:with:", "bitwiseOr:with:",
                "bitwiseXor:with:", "leftshift:by:", "rightshift:by:",
            ])
            return "\(name)(\(number(scope, depth - 1)), \(number(scope, depth - 1)))"
        case 10:
            // A store rounds each decimal number that is computed.
            if isPlain { return nil }
            return "CAST(\(number(scope, depth - 1)), '\(one(of: ["NSNumber", "NSDecimalNumber"]))')"
        case 11:
            let value = below(2) == 0 ? text(scope, depth - 1) : date(scope, depth - 1)
            return "CAST(\(value), 'NSNumber')"
        default: return nil
        }
    }

    mutating func text(_ scope: Scope, _ depth: Int) -> String {
        if depth > 1, below(3) == 0 {
            switch below(6) {
            case 4: return "CAST(\(number(scope, depth - 1)), 'NSString')"
            case 5: if let value = extreme(scope, [.text]) { return value }
            case 0: return "uppercase:(\(text(scope, depth - 1)))"
            case 1: return "lowercase:(\(text(scope, depth - 1)))"
            case 2: return "canonical:(\(text(scope, depth - 1)))"
            case _ where isPlain: return "lowercase:(\(text(scope, 1)))"
            default: return "TERNARY(\(predicate(scope, depth - 1)), \(text(scope, 1)), \(text(scope, 1)))"
            }
        }
        if below(3) > 0, let path = path(scope, [.text]) { return path }
        return argument(one(of: Pools.texts))
    }

    mutating func date(_ scope: Scope, _ depth: Int) -> String {
        if depth > 1, below(5) == 0, let value = extreme(scope, [.date]) { return value }
        if below(3) > 0, let path = path(scope, [.date]) {
            return depth > 1 && below(3) == 0 ? "(\(path) + \(one(of: ["1", "0.5", "86400"])))" : path
        }
        return below(3) == 0 ? "CAST(\(one(of: Pools.small)), 'NSDate')" : argument(one(of: Pools.dates))
    }
}
