/// The structure of a predicate, independent of its class.
///
/// Compound and constant predicates may be of Foundation's own classes, whose text and equality are wrong on Linux; code
/// that needs the structure of a predicate uses its shape instead.
package enum PredicateShape {
    /// `TRUEPREDICATE` or `FALSEPREDICATE`.
    case value(Bool)
    case comparison(NSComparisonPredicate)
    case compound(NSCompoundPredicate.LogicalType, [NSPredicate])
    /// A block predicate, one of Swift's that has no equivalent, or a subclass of a client's own: only its evaluation is
    /// known.
    case opaque
}

extension NSPredicate {
    /// What the predicate is.
    package var shape: PredicateShape {
        switch self {
        case let comparison as NSComparisonPredicate:
            return .comparison(comparison)
        case let compound as NSCompoundPredicate:
            return .compound(compound.compoundPredicateType, compound.subpredicates)
        case let constant as ConstantPredicate:
            return .value(constant.value)
        default:
            // Foundation keeps the value of `NSPredicate(value:)` to itself, but compares it.
            guard type(of: self) == NSPredicate.self else { return .opaque }
            if isEqual(NSPredicate(value: true)) { return .value(true) }
            return isEqual(NSPredicate(value: false)) ? .value(false) : .opaque
        }
    }

    /// Does nothing: kept for source compatibility with Apple's, where decoded predicates are locked.
    public func allowEvaluation() {}
}
