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
            // Not as `(a AND b) OR (NOT a AND c)`: where `a` is unknown, the other branch is taken.
            func number(_ branch: any PredicateExpression) throws -> NSExpression {
                NSExpression(
                    forConditional: try scope.predicate(branch),
                    trueExpression: NSExpression(forConstantValue: 1),
                    falseExpression: NSExpression(forConstantValue: 0))
            }
            let value = NSExpression(
                forConditional: test, trueExpression: try number(trueBranch),
                falseExpression: try number(falseBranch))
            return .predicate(.comparison(value, .equalTo, NSExpression(forConstantValue: 1)))
        }
        return .value(
            NSExpression(
                forConditional: test, trueExpression: try scope.value(trueBranch),
                falseExpression: try scope.value(falseBranch)))
    }
}
