// Conditions made of conditions.

extension PredicateExpressions.Conjunction: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        .predicate(.compound(.and, try scope.predicate(lhs), try scope.predicate(rhs)))
    }
}

extension PredicateExpressions.Disjunction: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        .predicate(.compound(.or, try scope.predicate(lhs), try scope.predicate(rhs)))
    }
}

extension PredicateExpressions.Negation: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        .predicate(try scope.predicate(wrapped).negated)
    }
}

extension PredicateExpressions.Conditional: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        // Also of conditions not as `(a AND b) OR (NOT a AND c)`: where `a` is unknown, the other branch is taken.
        .value(
            NSExpression(
                forConditional: try scope.predicate(test), trueExpression: try scope.value(trueBranch),
                falseExpression: try scope.value(falseBranch)))
    }
}
