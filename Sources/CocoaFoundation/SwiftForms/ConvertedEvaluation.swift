// Expressions that are evaluated inside a predicate: each replaces its call.

extension PredicateExpressions.ExpressionEvaluate: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        // Without any object at hand only what does not depend on one has a value.
        guard let body = try? expression.evaluate(PredicateBindings()) else {
            throw SwiftPredicateError(
                "An expression that is evaluated (ExpressionEvaluate) must be a constant: NSPredicate has no expressions as values."
            )
        }
        var meanings: [NSExpression] = []
        for part in repeat each input { meanings.append(try scope.value(part)) }
        var keys: [PredicateExpressions.VariableID] = []
        for variable in repeat each body.variable { keys.append(variable.key) }
        let inner = zip(keys, meanings).reduce(scope) { $0.binding($1.0, to: $1.1) }
        return try inner.converted(body.expression)
    }
}
