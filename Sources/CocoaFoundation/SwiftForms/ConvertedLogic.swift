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
        let test = try scope.predicate(test)
        if If.Output.self == Bool.self {
            let yes = NSPredicate.compound(.and, test, try scope.predicate(trueBranch))
            let no = NSPredicate.compound(.and, test.negated, try scope.predicate(falseBranch))
            return .predicate(.compound(.or, yes, no))
        }
        return .value(
            NSExpression(
                forConditional: test, trueExpression: try scope.value(trueBranch),
                falseExpression: try scope.value(falseBranch)))
    }
}
