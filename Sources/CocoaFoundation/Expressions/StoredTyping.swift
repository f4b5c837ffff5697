/// Objects that know the types of the properties that key paths lead to.
///
/// The sum of no values is a zero of their type, which then decides whether a division is one of integers: a SQL store
/// knows it from the column.
package protocol StoredTyping {
    /// Whether the keys lead to decimal numbers.
    func leadsToDecimals(_ keys: [String]) -> Bool

    /// What knows the types of the properties of a kind of objects; nil where there is no such kind.
    func typing(ofKindNamed name: String) -> (any StoredTyping)?
}

extension NSExpression {
    /// The value of a sum or a mean, by the logic of a store: zero as a decimal number where decimal numbers would have been
    /// added up.
    func typedZero(_ value: Any?, _ object: Any?, _ scope: EvaluationScope) throws -> Any? {
        guard let zero = value as? Int, zero == 0, let (start, keys) = try typedPath(object, scope),
            start.leadsToDecimals(keys)
        else { return value }
        return Decimal(0)
    }

    /// The object with which the expression's key path begins, and the keys; nil for an expression without one.
    private func typedPath(
        _ object: Any?, _ scope: EvaluationScope
    ) throws -> (start: any StoredTyping, keys: [String])? {
        switch kind {
        case .evaluatedObject: return Self.start(object)
        case .variable(let name): return Self.start(try scope.value(of: name))
        case .keyPath(let operand, let path):
            guard let (start, keys) = try operand.typedPath(object, scope) else { return nil }
            var rest: [String] = []
            for case .key(let key) in (steps ?? KeyPathSteps(path)).steps { rest.append(key) }
            return (start, keys + rest)
        case .subquery(let collection, _, _): return try collection.typedPath(object, scope)
        case .set(_, let left, let right):
            return try left.typedPath(object, scope) ?? right.typedPath(object, scope)
        case .function(nil, "objectFrom:withIndex:", let arguments):
            return try arguments.first?.typedPath(object, scope)
        case .function(nil, "castObject:toType:", let arguments):
            guard arguments.count == 2, case .constant(let name as String) = arguments[1].kind,
                let (start, _) = try arguments[0].typedPath(object, scope)
            else { return nil }
            return start.typing(ofKindNamed: name).map { ($0, []) }
        default: return nil
        }
    }

    private static func start(_ value: Any?) -> (start: any StoredTyping, keys: [String])? {
        (presentValue(value) as? any StoredTyping).map { ($0, []) }
    }
}

extension KeyPathSteps {
    /// Whether the path ends with a sum or a mean.
    var isSum: Bool {
        steps.contains { step in
            switch step {
            case .collection(.sum), .collection(.average): true
            default: false
            }
        }
    }
}
