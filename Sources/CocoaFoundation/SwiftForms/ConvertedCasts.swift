// Casts. Predicates see objects by their keys, whatever their classes are.

extension PredicateExpressions.ForceCast: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression { try scope.converted(input) }
}

extension PredicateExpressions.ConditionalCast: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        try requireUpcast(Input.Output.self, Desired.self)
        return try scope.converted(input)
    }
}

extension PredicateExpressions.TypeCheck: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        try requireUpcast(Input.Output.self, Desired.self)
        return .predicate(ConstantPredicate(value: true))
    }
}

/// - Throws: ``SwiftPredicateError`` unless every value of the one type is one of the other.
private func requireUpcast(_ input: any Any.Type, _ desired: any Any.Type) throws {
    if input == desired { return }
    var ancestor = input as? NSObject.Type
    while let current = ancestor {
        if current == desired { return }
        ancestor = current.superclass as? NSObject.Type
    }
    throw SwiftPredicateError("A test whether \(input) is \(desired) has no equivalent in NSPredicate.")
}
