extension _PredicateFormatParsing {
    /// Makes a predicate from one of Swift's.
    ///
    /// A predicate with a part that has no equivalent is evaluated by Swift's own code: `evaluate(with:)` works for objects
    /// of its type, and a fetch is refused (134060) with the reason, which ``init(converting:)`` throws. Apple's initialiser
    /// gives `nil` there.
    ///
    /// - Returns: `nil` when the predicate is not of the requested subclass.
    public init?<Input>(_ predicate: Predicate<Input>) where Input: NSObject {
        do {
            let made = try NSPredicate.converted(predicate)
            guard let made = made as? Self else { return nil }
            self = made
        } catch {
            guard let made = SwiftPredicate(predicate, reason: error) as? Self else { return nil }
            self = made
        }
    }

    /// Makes a predicate from one of Swift's.
    ///
    /// Key paths become keys by ``KeyPathNames``. A condition on a missing value is that of `NSPredicate`: in a
    /// fetch it is not met, `!=` included. The number of characters of a string becomes `length:`, which counts UTF-16 code units.
    /// A cast of an object to a subclass becomes `CAST(object, "kind")`, with the name of the entity for managed objects. An
    /// `Expression` that is evaluated inside replaces its call.
    ///
    /// - Throws: ``SwiftPredicateError`` with the part that has no equivalent: a key path without a key, a constant of
    ///   a type that predicates cannot compare, a cast of a value, a part of a collection or the characters of a string.
    public init<Input>(converting predicate: Predicate<Input>) throws where Input: NSObject {
        guard let made = try NSPredicate.converted(predicate) as? Self else {
            throw SwiftPredicateError("The predicate is not a \(Self.self).")
        }
        self = made
    }
}

extension NSPredicate {
    fileprivate static func converted<Input>(
        _ predicate: Predicate<Input>
    ) throws(SwiftPredicateError) -> NSPredicate {
        let scope = ConversionScope().binding(predicate.variable.key, to: .expressionForEvaluatedObject())
        do {
            return try scope.predicate(predicate.expression)
        } catch {
            throw error as? SwiftPredicateError ?? SwiftPredicateError("\(error)")
        }
    }
}

extension NSExpression {
    /// Makes an expression from one of Swift's; nil when a part of it has no equivalent, or it has several inputs.
    ///
    /// The input stands for the evaluated object. ``init(converting:)`` says what has no equivalent.
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
