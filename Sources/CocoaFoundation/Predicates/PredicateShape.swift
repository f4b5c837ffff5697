/// What a predicate is, whoever made it.
///
/// Compound predicates are Foundation's own class, whose text and equality are wrong on Linux; code that
/// needs the structure of a predicate asks for its shape instead.
package enum PredicateShape {
    /// `TRUEPREDICATE` or `FALSEPREDICATE`.
    case value(Bool)
    case comparison(NSComparisonPredicate)
    case compound(NSCompoundPredicate.LogicalType, [NSPredicate])
    /// A block predicate, or a subclass of a client's own: only its evaluation is known.
    case opaque
}

extension NSPredicate {
    /// What the predicate is.
    package var shape: PredicateShape { fatalError("not yet written") }

    /// The predicate's text, right for every predicate.
    ///
    /// The same as Apple's `predicateFormat`, which Foundation marks as deprecated on Linux.
    public var formatString: String { fatalError("not yet written") }

    /// Whether two predicates have the same structure, operators and values.
    ///
    /// Use this in place of `==` when predicates may contain `NSCompoundPredicate`: Foundation on Linux
    /// says that any two of those are equal.
    public func isEquivalent(to other: NSPredicate) -> Bool { fatalError("not yet written") }

    /// The predicate with its variables replaced by values.
    ///
    /// Variables without a value in `variables` stay.
    public func withSubstitutionVariables(_ variables: [String: Any]) -> Self {
        fatalError("not yet written")
    }

    /// Whether the predicate holds for an object, or the error that says why it cannot be told.
    ///
    /// - Throws: ``PredicateEvaluationError``.
    public func matches(_ object: Any?, substitutionVariables: [String: Any] = [:]) throws -> Bool {
        fatalError("not yet written")
    }

    /// Does nothing: kept for source compatibility with Apple's, where decoded predicates are locked.
    public func allowEvaluation() {}
}
