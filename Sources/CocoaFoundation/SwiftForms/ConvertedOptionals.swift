// Values that may be missing.

extension PredicateExpressions.ForcedUnwrap: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression { try scope.converted(inner) }
}

/// An expression that is nil, or made of a value that is there.
private protocol OptionalTransform {
    /// The value, and what is made of it.
    func parts(in scope: ConversionScope) throws -> (wrapped: NSExpression, result: ConvertedExpression)
}

extension PredicateExpressions.OptionalFlatMap: OptionalTransform {
    fileprivate func parts(
        in scope: ConversionScope
    ) throws -> (wrapped: NSExpression, result: ConvertedExpression) {
        let wrapped = try scope.value(wrapped)
        return (wrapped, try scope.binding(variable.key, to: wrapped).converted(transform))
    }
}

extension PredicateExpressions.OptionalFlatMap: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        let (wrapped, result) = try parts(in: scope)
        switch result {
        case .order: return result
        case .value(let value) where value.extendsKeyPath(of: wrapped): return .value(value)
        case .value(let value): return .value(value.unless(wrapped))
        case .predicate(let predicate): return .value(predicate.asValue.unless(wrapped))
        }
    }
}

extension PredicateExpressions.NilCoalesce: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        if let transform = lhs as? any OptionalTransform {
            let (wrapped, result) = try transform.parts(in: scope)
            if case .predicate(let predicate) = result {
                return .predicate(try alternative(predicate, wrapped, scope))
            }
        }
        if RHS.Output.self == Bool.self {
            let value = try scope.value(lhs)
            return .predicate(try alternative(value.asPredicate, value, scope))
        }
        let value = try scope.value(lhs)
        return .value(
            NSExpression(
                forConditional: value.isPresent, trueExpression: value, falseExpression: try scope.value(rhs))
        )
    }

    /// The predicate where the value is there, and the right side where it is not.
    private func alternative(
        _ predicate: NSPredicate, _ value: NSExpression, _ scope: ConversionScope
    ) throws -> NSPredicate {
        let present = NSPredicate.compound(.and, value.isPresent, predicate)
        let other = try scope.predicate(rhs)
        guard let other = other as? ConstantPredicate else {
            return .compound(.or, present, .compound(.and, value.isMissing, other))
        }
        return other.value ? .compound(.or, value.isMissing, predicate) : present
    }
}

extension NSExpression {
    /// Whether the expression is a key path through another: it has no value where that has none.
    fileprivate func extendsKeyPath(of other: NSExpression) -> Bool {
        guard case .keyPath(let operand, let path) = kind, !path.contains("@") else { return false }
        if case .keyPath(let start, let prefix) = other.kind, operand == start {
            return path == prefix || path.hasPrefix(prefix + ".")
        }
        return operand == other
    }

    /// The value, or none where another is missing.
    fileprivate func unless(_ other: NSExpression) -> NSExpression {
        NSExpression(
            forConditional: other.isPresent, trueExpression: self,
            falseExpression: NSExpression(forConstantValue: nil))
    }
}
