/// A predicate or an expression, as a part of another.
private enum PredicatePart {
    case predicate(NSPredicate)
    case expression(NSExpression)

    /// The next parts inside.
    var parts: [PredicatePart] {
        switch self {
        case .predicate(let predicate):
            switch predicate.shape {
            case .value, .opaque: return []
            case .comparison(let comparison):
                return [.expression(comparison.leftExpression), .expression(comparison.rightExpression)]
            case .compound(.not, let parts): return parts.map(PredicatePart.predicate)
            case .compound: return predicate.chainedParts.map(PredicatePart.predicate)
            }
        case .expression(let expression):
            switch expression.kind {
            case .variable, .constant, .evaluatedObject, .anyKey, .symbol, .custom: return []
            case .keyPath(let operand, _): return [.expression(operand)]
            case .function(let target, _, let arguments):
                return (arguments + (target.map { [$0] } ?? [])).map(PredicatePart.expression)
            case .aggregate(let elements), .block(_, let elements):
                return elements.map(PredicatePart.expression)
            case .set(_, let left, let right): return [.expression(left), .expression(right)]
            case .subquery(let collection, _, let predicate):
                return [.expression(collection), .predicate(predicate)]
            case .assignment(_, let expression): return [.expression(expression)]
            case .conditional(let predicate, let one, let other):
                return [.predicate(predicate), .expression(one), .expression(other)]
            }
        }
    }
}

extension NSPredicate {
    /// Visits the expressions of the predicate, and the parts of each. Predicates made of closures have none.
    ///
    /// - Returns: whether the predicate is within the limit of depth: not nested so deep that walking through it by
    ///   recursion would take too much of the stack. A chain of AND, or of OR, is one level, however it is nested.
    @discardableResult
    package func visitExpressions(_ visit: (NSExpression) -> Void) -> Bool {
        var isWithinLimit = true
        var rest: [(part: PredicatePart, depth: Int)] = [(.predicate(self), 1)]
        while let next = rest.popLast() {
            if next.depth > Self.depthLimit { isWithinLimit = false }
            if case .expression(let expression) = next.part { visit(expression) }
            for part in next.part.parts { rest.append((part, next.depth + 1)) }
        }
        return isWithinLimit
    }
}
