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
            let operands = expression.kind.operands.map(PredicatePart.expression)
            switch expression.kind {
            case .subquery(_, _, let predicate), .conditional(let predicate, _, _):
                return operands + [.predicate(predicate)]
            default: return operands
            }
        }
    }
}

extension NSExpression.Kind {
    /// Whether its parts may have parts in turn: not so constants and their like, and plain key paths.
    var isDeep: Bool {
        if case .keyPath(let operand, _) = self { return operand.kind.hasOperands }
        return hasOperands
    }

    private var hasOperands: Bool {
        switch self {
        case .variable, .constant, .evaluatedObject, .anyKey, .symbol, .custom: false
        default: true
        }
    }

    /// The expressions that it is made of, those inside its predicate left out.
    var operands: [NSExpression] {
        switch self {
        case .variable, .constant, .evaluatedObject, .anyKey, .symbol, .custom: []
        case .keyPath(let operand, _), .assignment(_, let operand), .subquery(let operand, _, _): [operand]
        case .function(let target, _, let arguments): arguments + (target.map { [$0] } ?? [])
        case .aggregate(let elements), .block(_, let elements): elements
        case .set(_, let left, let right), .conditional(_, let left, let right): [left, right]
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
        // What most conditions are takes no list of parts.
        if case .comparison(let comparison) = shape {
            let (left, right) = (comparison.leftExpression, comparison.rightExpression)
            if !left.kind.isDeep, !right.kind.isDeep {
                right.visitWithOperand(visit)
                left.visitWithOperand(visit)
                return true
            }
        }
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

extension NSExpression {
    /// Visits an expression that is not deep, and what a key path begins with.
    fileprivate func visitWithOperand(_ visit: (NSExpression) -> Void) {
        visit(self)
        if case .keyPath(let operand, _) = kind { visit(operand) }
    }
}
