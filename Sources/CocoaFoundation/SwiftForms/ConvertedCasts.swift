// Casts and tests of types. Predicates distinguish objects by their kinds, with `CAST(object, "kind")`; values have no such
// test, since a predicate takes numbers of all types for numbers.

extension PredicateExpressions.ForceCast: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        // Of values the cast says what they are, and predicates do not need that.
        guard let cast = try Cast(Input.Output.self, Desired.self, isForced: true) else {
            return try scope.converted(input)
        }
        return .value(cast.applied(to: try scope.value(input)))
    }
}

extension PredicateExpressions.ConditionalCast: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        guard let cast = try Cast(Input.Output.self, Desired.self) else { return try scope.converted(input) }
        return .value(cast.applied(to: try scope.value(input)))
    }
}

extension PredicateExpressions.TypeCheck: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        if let cast = try Cast(Input.Output.self, Desired.self) {
            return .predicate(cast.applied(to: try scope.value(input)).isPresent)
        }
        let isOptional = Input.Output.self is any OptionalValue.Type && Input.Output.self != Desired.self
        return .predicate(
            isOptional ? try scope.value(input).isPresent : ConstantPredicate(value: true))
    }
}

/// A cast of an object to a class that not all of them are of.
private struct Cast {
    private let kind: String

    /// - Returns: nil where every value of the one type is one of the other.
    /// - Throws: ``SwiftPredicateError`` for types that are not those of objects.
    init?(_ input: any Any.Type, _ desired: any Any.Type, isForced: Bool = false) throws {
        let present = (input as? any OptionalValue.Type)?.wrappedType ?? input
        if input == desired || present == desired { return nil }
        guard let given = present as? NSObject.Type, let wanted = desired as? NSObject.Type else {
            if isForced { return nil }
            throw SwiftPredicateError(
                "A test whether \(input) is \(desired) has no equivalent in NSPredicate, which tests the class of an object, not the type of a value."
            )
        }
        var ancestor: AnyClass? = given
        while let current = ancestor {
            if current == wanted { return nil }
            ancestor = (current as? NSObject.Type)?.superclass
        }
        guard let kind = kindName(of: wanted) else {
            throw SwiftPredicateError(
                "No model in use names the class \(desired), so that a cast to it has no equivalent in NSPredicate."
            )
        }
        guard ValueConversion.mayBeKind(kind) else {
            throw SwiftPredicateError(
                "A test whether \(input) is \(desired) has no equivalent in NSPredicate: CAST takes \(kind) as a type of values."
            )
        }
        self.kind = kind
    }

    /// `CAST(object, "kind")`.
    func applied(to object: NSExpression) -> NSExpression {
        NSExpression(
            forFunction: "castObject:toType:", arguments: [object, NSExpression(forConstantValue: kind)])
    }
}
