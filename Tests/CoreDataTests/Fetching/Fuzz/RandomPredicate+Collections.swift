// Conditions on what relationships to many lead to.

extension RandomPredicate {
    private static let combinations = ["UNION", "INTERSECT", "MINUS"]

    /// A condition on the objects of a relationship; nil where the entity has none.
    mutating func collection(_ scope: Scope, _ depth: Int) -> String? {
        if below(7) == 0, let condition = valueCondition(scope) { return condition }
        guard let (path, entity) = objects(scope) else { return nil }
        let word = one(of: ["ANY", "ALL", "NONE", "SOME"])
        let found = vocabulary[entity]
        switch below(7) {
        case 0:
            guard let key = pick(found.paths([.text])) else { break }
            return
                "\(word) \(path).\(key) \(one(of: Self.textOperators))\(one(of: Self.options)) \(text(scope, 1))"
        case 1:
            guard let key = pick(found.paths(.numbers)) else { break }
            return "\(word) \(path).\(key) \(one(of: Self.relations)) \(number(scope, 1))"
        case 2:
            guard let key = pick(found.attributes)?.path else { break }
            return "\(word) \(path).\(key) \(one(of: ["==", "!="])) nil"
        case 3:
            guard let object = objectArgument(entity) else { break }
            return one(of: [
                "ANY \(path) == \(object)", "\(path) CONTAINS \(object)", "\(object) IN \(path)",
                "NONE \(path) == \(object)",
            ])
        case 4:
            guard let key = pick(found.paths([.text])) else { break }
            return "\(text(scope, 1)) IN\(one(of: ["", "[cd]"])) \(path).\(key)"
        case 5:
            guard let key = pick(found.paths(.numbers)) else { break }
            return "\(word) \(path).\(key) IN {0, 1, 2, 100}"
        default: break
        }
        return count(scope, depth).map { "\($0) \(one(of: Self.relations)) \(below(3))" }
    }

    /// A relationship to many, or two combined, with its entity; in parentheses where a path may go on.
    private mutating func objects(_ scope: Scope) -> (String, String)? {
        let ways = vocabulary[scope.entity].toMany
        guard let way = pick(ways) else { return nil }
        guard below(5) == 0, !isPlain else { return (scope.prefix + way.path, way.entity) }
        let other = one(of: ways.filter { $0.entity == way.entity })
        let left = picked(scope.prefix + way.path, way.entity)
        let right = picked(scope.prefix + other.path, way.entity)
        return ("(\(left) \(one(of: Self.combinations)) \(right))", way.entity)
    }

    /// A collection, or some of its elements.
    private mutating func picked(_ path: String, _ entity: String) -> String {
        guard below(3) == 0 else { return path }
        let name = newVariable()
        // Without arguments: where the collection is put, another's may come first.
        let scope = Scope(entity: entity, prefix: "\(name).")
        return
            "SUBQUERY(\(path), \(name), \(number(scope, 1)) \(one(of: Self.relations)) \(number(scope, 1)))"
    }

    // MARK: Collections of values

    /// Values of a key of two collections, combined.
    private mutating func values(_ scope: Scope, _ kinds: [ConditionVocabulary.Kind]) -> String? {
        let all = vocabulary[scope.entity].toMany
        guard let way = pick(all.filter { !vocabulary[$0.entity].paths(kinds).isEmpty }) else {
            return nil
        }
        let other = one(of: all.filter { $0.entity == way.entity })
        let key = one(of: vocabulary[way.entity].paths(kinds))
        let word = one(of: Self.combinations)
        return "(\(scope.prefix)\(way.path).\(key) \(word) \(scope.prefix)\(other.path).\(key))"
    }

    private mutating func valueCondition(_ scope: Scope) -> String? {
        let word = one(of: ["ANY", "ALL", "NONE"])
        let relation = one(of: Self.relations)
        switch below(6) {
        case 0:
            guard let values = values(scope, [.text]) else { return nil }
            return "\(word) \(values) \(one(of: Self.textOperators)) \(text(scope, 1))"
        case 1:
            guard let values = values(scope, [.text]) else { return nil }
            return "\(text(scope, 1)) IN\(one(of: ["", "[cd]"])) \(values)"
        case 2:
            guard let values = values(scope, .integers) else { return nil }
            return "\(number(scope, 1)) IN \(values)"
        case 3:
            guard let values = values(scope, [.decimal]) else { return nil }
            return "\(values).@\(one(of: ["count", "sum", "max"])) > \(below(3))"
        case 4:
            guard let values = values(scope, [.date]) else { return nil }
            return "ANY \(values) \(relation) \(date(scope, 1))"
        default:
            // A predicate uses a set, in which each number is once.
            guard !isPlain, let (path, entity) = objects(scope),
                let key = pick(vocabulary[entity].paths(.exact))
            else { return nil }
            let modes = "mode:(\(path).\(key))"
            return below(2) == 0
                ? "\(number(scope, 1)) IN \(modes)" : "\(word) \(modes) \(relation) \(number(scope, 1))"
        }
    }

    // MARK: Numbers from collections

    /// How many objects there are, or a number from those that a condition picks; nil where there is no relationship.
    mutating func count(_ scope: Scope, _ depth: Int) -> String? {
        guard let (path, entity) = objects(scope) else { return nil }
        guard depth > 1, below(3) > 0, !isPlain else { return "\(path).@count" }
        let name = newVariable()
        let inner = predicate(Scope(entity: entity, prefix: "\(name)."), depth - 1)
        let subquery = "SUBQUERY(\(path), \(name), \(inner))"
        guard below(2) == 0, let key = pick(vocabulary[entity].paths(.integers)) else {
            return "\(subquery).@count"
        }
        return one(of: ["\(subquery).@max.\(key)", "\(subquery).\(key).@sum"])
    }

    /// The least or the greatest value of a key; nil where there is none.
    mutating func extreme(_ scope: Scope, _ kinds: [ConditionVocabulary.Kind]) -> String? {
        guard let (path, entity) = objects(scope), let key = pick(vocabulary[entity].paths(kinds)) else {
            return nil
        }
        return one(of: ["\(path).@min.\(key)", "\(path).@max.\(key)", "max:(\(path).\(key))"])
    }

    mutating func aggregate(_ scope: Scope) -> String? {
        guard let (path, entity) = objects(scope) else { return nil }
        // The sum of real numbers depends on their order, which only a store's rows have.
        guard
            let exact = pick(vocabulary[entity].paths(isPlain ? [.integer, .boolean, .decimal] : .exact)),
            let number = pick(vocabulary[entity].paths(.numbers))
        else { return "\(path).@count" }
        switch below(5) {
        case 0: return "\(path).@sum.\(exact)"
        case 1: return "\(path).@avg.\(exact)"
        case 2: return "\(path).@\(one(of: ["min", "max"])).\(number)"
        case _ where isPlain: return "\(path).@sum.\(exact)"
        case 3: return "\(one(of: ["median:", "stddev:"]))(\(path).\(exact))"
        default: return "\(one(of: ["sum:", "max:", "min:", "count:"]))(\(path).\(exact))"
        }
    }
}
