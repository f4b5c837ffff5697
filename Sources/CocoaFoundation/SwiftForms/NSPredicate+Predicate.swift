extension PredicateFormatParsing {
    /// Makes a predicate from one of Swift's; nil when a part of it has no equivalent.
    ///
    /// ``init(converting:)`` tells which part that is.
    public init?<Input>(_ predicate: Predicate<Input>) where Input: NSObject {
        guard let made = try? Self(converting: predicate) else { return nil }
        self = made
    }

    /// Makes a predicate from one of Swift's.
    ///
    /// Key paths become keys by ``KeyPathNames``. A condition on a missing value is that of `NSPredicate`: in a
    /// fetch it is not met, `!=` included. The number of characters of a text becomes `length:`, which counts UTF-16 code units.
    ///
    /// - Throws: ``SwiftPredicateError`` with the part that has no equivalent: a key path without a key, a constant of
    ///   a type that predicates cannot compare, a downcast, a part of a collection or the characters of a text.
    public init<Input>(converting predicate: Predicate<Input>) throws where Input: NSObject {
        let scope = ConversionScope().binding(predicate.variable.key, to: .expressionForEvaluatedObject())
        guard let made = try scope.predicate(predicate.expression) as? Self else {
            throw SwiftPredicateError("The predicate is no \(Self.self).")
        }
        self = made
    }
}

extension NSExpression {
    /// Makes an expression from one of Swift's; nil when a part of it has no equivalent, or it has several inputs.
    ///
    /// The input stands for the evaluated object. ``init(converting:)`` tells what has no equivalent.
    public convenience init?<each Input, Output>(_ expression: Expression<repeat each Input, Output>) {
        guard let made = try? NSExpression.converted(expression) else { return nil }
        self.init(kind: made.kind)
    }

    /// Makes an expression from one of Swift's.
    ///
    /// - Throws: ``SwiftPredicateError`` with the part that has no equivalent.
    public convenience init<each Input, Output>(
        converting expression: Expression<repeat each Input, Output>
    ) throws {
        self.init(kind: try NSExpression.converted(expression).kind)
    }

    private static func converted<each Input, Output>(
        _ expression: Expression<repeat each Input, Output>
    ) throws -> NSExpression {
        var keys: [PredicateExpressions.VariableID] = []
        for variable in repeat each expression.variable { keys.append(variable.key) }
        guard keys.count <= 1 else {
            throw SwiftPredicateError("An NSExpression has one object, not \(keys.count) inputs.")
        }
        var scope = ConversionScope()
        for key in keys { scope = scope.binding(key, to: .expressionForEvaluatedObject()) }
        return try scope.value(expression.expression)
    }
}
