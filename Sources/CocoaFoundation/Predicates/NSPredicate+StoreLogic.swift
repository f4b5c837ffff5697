// A predicate with the logic of a store.
//
// SQL's logic has three values: a comparison with a missing value is unknown, and what is unknown is not found.
// `NSPredicate.evaluate(with:)` has two, and finds that nil is not equal to "x". A fetch must give one answer for saved
// and unsaved objects; it is the store's.

extension NSPredicate {
    /// Whether a fetch with this predicate finds the object.
    ///
    /// - Throws: `PredicateEvaluationError` for a predicate that cannot be evaluated.
    package func isMetInStore(by object: Any?, variables: [String: Any] = [:]) throws -> Bool {
        try MatchBudget.sharing {
            try truth(for: object, EvaluationScope(context: nil, values: variables, logic: .store)) ?? false
        }
    }

    /// Whether the predicate holds by the logic of a store; nil for unknown.
    func truth(for object: Any?, _ scope: EvaluationScope, depth: Int = 0) throws -> Bool? {
        guard depth < Self.depthLimit else {
            throw PredicateEvaluationError(
                .predicate, "The predicate is nested deeper than \(Self.depthLimit) levels.")
        }
        switch shape {
        case .value(let value): return value
        case .opaque:
            if let swift = self as? SwiftPredicate { return try swift.holds(for: object) }
            return evaluate(with: object, substitutionVariables: scope.dictionary as? [String: Any])
        case .comparison(let comparison):
            do {
                return try comparison.truth(for: object, scope)
            } catch let error as PredicateEvaluationError
                where error.cause == .values && !error.isOfPattern
            {
                return false
            }
        case .compound(.not, let parts):
            // NOT of nothing is false, as it is without a store.
            guard let part = parts.first else { return false }
            return try part.truth(for: object, scope, depth: depth + 1).map { !$0 }
        case .compound(let type, _):
            // One part that is false decides AND, one that is true OR.
            let deciding = type == .or
            var isUnknown = false
            for part in chainedParts {
                switch try part.truth(for: object, scope, depth: depth + 1) {
                case deciding: return deciding
                case nil: isUnknown = true
                default: break
                }
            }
            return isUnknown ? nil : !deciding
        }
    }

    /// How deep a predicate of a fetch may be nested.
    package static let depthLimit = 500

    /// The parts of a compound predicate, those of parts of the same type in their positions: `a OR (b OR c)` has three.
    package var chainedParts: [NSPredicate] {
        guard case .compound(let type, let parts) = shape, type != .not else { return [] }
        var result: [NSPredicate] = []
        var rest: [NSPredicate] = parts.reversed()
        while let next = rest.popLast() {
            if case .compound(type, let inner) = next.shape {
                rest += inner.reversed()
            } else {
                result.append(next)
            }
        }
        return result
    }
}
