extension NSPredicate {
    /// Whether an expression of the predicate, or a part of one, meets a condition. Predicates made of closures have none.
    package func hasExpression(where condition: (NSExpression) -> Bool) -> Bool {
        switch shape {
        case .value, .opaque: false
        case .comparison(let comparison):
            comparison.leftExpression.has(condition) || comparison.rightExpression.has(condition)
        case .compound(_, let parts): parts.contains { $0.hasExpression(where: condition) }
        }
    }
}

extension NSExpression {
    fileprivate func has(_ condition: (NSExpression) -> Bool) -> Bool {
        if condition(self) { return true }
        switch kind {
        case .variable, .constant, .evaluatedObject, .anyKey, .symbol, .custom: return false
        case .keyPath(let operand, _): return operand.has(condition)
        case .function(let target, _, let arguments):
            return target?.has(condition) ?? false || arguments.contains { $0.has(condition) }
        case .aggregate(let elements): return elements.contains { $0.has(condition) }
        case .set(_, let left, let right): return left.has(condition) || right.has(condition)
        case .subquery(let collection, _, let predicate):
            return collection.has(condition) || predicate.hasExpression(where: condition)
        case .assignment(_, let expression): return expression.has(condition)
        case .block(_, let arguments): return arguments.contains { $0.has(condition) }
        case .conditional(let predicate, let one, let other):
            return predicate.hasExpression(where: condition) || one.has(condition) || other.has(condition)
        }
    }
}
