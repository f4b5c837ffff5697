extension NSPredicate {
    /// Whether the predicate holds for an object, or the error that says why that is unknown.
    ///
    /// Use this in place of `evaluate(with:)` for predicates that users wrote: `evaluate(with:)` answers
    /// `false` where the values do not fit and stops the process where the predicate cannot be evaluated, as
    /// Apple's raises an exception.
    ///
    /// - Parameters:
    ///   - object: the object that key paths start from.
    ///   - substitutionVariables: the values of variables, by name without the dollar sign.
    /// - Throws: ``PredicateEvaluationError``.
    public func matches(_ object: Any?, substitutionVariables: [String: Any] = [:]) throws -> Bool {
        try MatchBudget.sharing {
            try holds(for: object, scope: EvaluationScope(context: nil, values: substitutionVariables))
        }
    }

    /// Whether the predicate holds, inside an evaluation that has begun.
    func holds(for object: Any?, scope: EvaluationScope) throws -> Bool {
        if scope.logic == .store { return try truth(for: object, scope) ?? false }
        // A subclass of a client's own may evaluate in its own way.
        let type = type(of: self)
        if type == NSComparisonPredicate.self, let comparison = self as? NSComparisonPredicate {
            return try comparison.comparisonHolds(for: object, scope: scope)
        }
        if let constant = self as? ConstantPredicate { return constant.value }
        if let swift = self as? SwiftPredicate { return try swift.holds(for: object) }
        guard type == CompoundPredicate.self || type == NSCompoundPredicate.self,
            let compound = self as? NSCompoundPredicate
        else {
            let bindings = scope.dictionary as? [String: Any] ?? [:]
            return evaluate(with: object, substitutionVariables: bindings)
        }
        switch compound.compoundPredicateType {
        case .and:
            return try compound.subpredicates.allSatisfy { try $0.holds(for: object, scope: scope) }
        case .or:
            return try compound.subpredicates.contains { try $0.holds(for: object, scope: scope) }
        case .not:
            return try compound.subpredicates.first?.holds(for: object, scope: scope) == false
        }
    }

    /// The answer of `evaluate(with:)`, which cannot throw.
    func evaluateOrStop(with object: Any?, _ bindings: [String: Any]?) -> Bool {
        do {
            return try matches(object, substitutionVariables: bindings ?? [:])
        } catch let error as PredicateEvaluationError where error.cause == .values {
            return false
        } catch {
            fatalError("The predicate \"\(formatString)\" cannot be evaluated: \(error)")
        }
    }
}
