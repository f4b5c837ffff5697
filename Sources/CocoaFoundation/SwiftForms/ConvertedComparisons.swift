// Comparisons of two values, and ranges.

extension PredicateExpressions.Equal: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        .predicate(try equality(lhs, rhs, .equalTo, scope))
    }
}

extension PredicateExpressions.NotEqual: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        .predicate(try equality(lhs, rhs, .notEqualTo, scope))
    }
}

private func equality(
    _ lhs: any PredicateExpression, _ rhs: any PredicateExpression, _ type: NSComparisonPredicate.Operator,
    _ scope: ConversionScope
) throws -> NSPredicate {
    switch (try scope.converted(lhs), try orderConstant(rhs)) {
    case (.order(let left, let right, let options), let order?):
        return .comparison(left, order.comparison(isNegated: type == .notEqualTo), right, options)
    case (.predicate(let predicate), _):
        guard case .value(let other) = try scope.converted(rhs),
            other.isConstant(true) || other.isConstant(false)
        else { break }
        return other.isConstant(type == .equalTo) ? predicate : predicate.negated
    default: break
    }
    return .comparison(try scope.value(lhs), type, try scope.value(rhs))
}

private func orderConstant(_ expression: any PredicateExpression) throws -> ComparisonResult? {
    (expression as? PredicateExpressions.Value<ComparisonResult>)?.value
}

extension ComparisonResult {
    /// The operator of a comparison that has this result, or that has not.
    fileprivate func comparison(isNegated: Bool) -> NSComparisonPredicate.Operator {
        switch self {
        case .orderedAscending: isNegated ? .greaterThanOrEqualTo : .lessThan
        case .orderedSame: isNegated ? .notEqualTo : .equalTo
        case .orderedDescending: isNegated ? .lessThanOrEqualTo : .greaterThan
        }
    }
}

extension PredicateExpressions.Comparison: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        let type: NSComparisonPredicate.Operator =
            switch op {
            case .lessThan: .lessThan
            case .lessThanOrEqual: .lessThanOrEqualTo
            case .greaterThan: .greaterThan
            case .greaterThanOrEqual: .greaterThanOrEqualTo
            @unknown default:
                throw SwiftPredicateError("The comparison \(op) has no equivalent in NSPredicate.")
            }
        return .predicate(.comparison(try scope.value(lhs), type, try scope.value(rhs)))
    }
}

// MARK: Ranges

/// The bounds of a range; nil where it has none.
private struct RangeBounds {
    let lower: NSExpression?
    let upper: NSExpression?
    /// Whether the upper bound is in the range.
    var isClosed = false
}

/// An expression for a range.
private protocol RangeConvertible {
    func bounds(in scope: ConversionScope) throws -> RangeBounds
}

extension PredicateExpressions.Range: RangeConvertible {
    fileprivate func bounds(in scope: ConversionScope) throws -> RangeBounds {
        RangeBounds(lower: try scope.value(lower), upper: try scope.value(upper))
    }
}

extension PredicateExpressions.ClosedRange: RangeConvertible {
    fileprivate func bounds(in scope: ConversionScope) throws -> RangeBounds {
        RangeBounds(lower: try scope.value(lower), upper: try scope.value(upper), isClosed: true)
    }
}

extension PredicateExpressions.Value: RangeConvertible {
    fileprivate func bounds(in scope: ConversionScope) throws -> RangeBounds {
        guard let range = value as? any ConstantRange else {
            throw SwiftPredicateError("\(Output.self) is not a range that NSPredicate has an equivalent for.")
        }
        func constant(_ bound: Any?) throws -> NSExpression? {
            try bound.map { NSExpression(forConstantValue: try predicateConstant($0)) }
        }
        return RangeBounds(
            lower: try constant(range.lowest), upper: try constant(range.highest), isClosed: range.isClosed)
    }
}

/// A range of Swift.
private protocol ConstantRange {
    var lowest: Any? { get }
    var highest: Any? { get }
    var isClosed: Bool { get }
}

extension Swift.Range: ConstantRange {
    fileprivate var lowest: Any? { lowerBound }
    fileprivate var highest: Any? { upperBound }
    fileprivate var isClosed: Bool { false }
}

extension Swift.ClosedRange: ConstantRange {
    fileprivate var lowest: Any? { lowerBound }
    fileprivate var highest: Any? { upperBound }
    fileprivate var isClosed: Bool { true }
}

extension PartialRangeFrom: ConstantRange {
    fileprivate var lowest: Any? { lowerBound }
    fileprivate var highest: Any? { nil }
    fileprivate var isClosed: Bool { false }
}

extension PartialRangeThrough: ConstantRange {
    fileprivate var lowest: Any? { nil }
    fileprivate var highest: Any? { upperBound }
    fileprivate var isClosed: Bool { true }
}

extension PartialRangeUpTo: ConstantRange {
    fileprivate var lowest: Any? { nil }
    fileprivate var highest: Any? { upperBound }
    fileprivate var isClosed: Bool { false }
}

extension PredicateExpressions.RangeExpressionContains: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        guard let range = range as? any RangeConvertible else {
            throw SwiftPredicateError("\(type(of: range)) has no equivalent in NSPredicate.")
        }
        let bounds = try range.bounds(in: scope)
        let element = try scope.value(element)
        let below = bounds.lower.map { NSPredicate.comparison(element, .greaterThanOrEqualTo, $0) }
        let above = bounds.upper.map {
            NSPredicate.comparison(element, bounds.isClosed ? .lessThanOrEqualTo : .lessThan, $0)
        }
        if bounds.isClosed, let lower = bounds.lower, let upper = bounds.upper {
            return .predicate(.comparison(element, .between, NSExpression(forAggregate: [lower, upper])))
        }
        if let below, let above { return .predicate(.compound(.and, below, above)) }
        return .predicate(below ?? above ?? ConstantPredicate(value: true))
    }
}
