// Numbers.

extension PredicateExpressions.Arithmetic: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        let name =
            switch op {
            case .add: "add:to:"
            case .subtract: "from:subtract:"
            case .multiply: "multiply:by:"
            @unknown default:
                throw SwiftPredicateError("The operation \(op) has no equivalent in NSPredicate.")
            }
        return .value(try function(name, lhs, rhs, scope))
    }
}

extension PredicateExpressions.FloatDivision: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        .value(try function("divide:by:", lhs, rhs, scope))
    }
}

extension PredicateExpressions.IntDivision: ConvertibleExpression {
    // Integers are divided as integers.
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        .value(try function("divide:by:", lhs, rhs, scope))
    }
}

extension PredicateExpressions.IntRemainder: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        .value(try function("modulus:by:", lhs, rhs, scope))
    }
}

extension PredicateExpressions.UnaryMinus: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        if let number = wrapped as? PredicateExpressions.Value<Wrapped.Output> {
            return .value(NSExpression(forConstantValue: try predicateConstant(-number.value)))
        }
        let minus = NSExpression(forConstantValue: -1)
        return .value(
            NSExpression(forFunction: "multiply:by:", arguments: [minus, try scope.value(wrapped)]))
    }
}

private func function(
    _ name: String, _ lhs: any PredicateExpression, _ rhs: any PredicateExpression, _ scope: ConversionScope
) throws -> NSExpression {
    NSExpression(forFunction: name, arguments: [try scope.value(lhs), try scope.value(rhs)])
}
