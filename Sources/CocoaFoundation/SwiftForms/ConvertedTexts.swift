// Texts.

extension PredicateExpressions.CollectionContainsCollection: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        guard Base.Output.self is any StringProtocol.Type, Other.Output.self is any StringProtocol.Type else {
            throw SwiftPredicateError(
                "NSPredicate can test only whether a string contains another one (CollectionContainsCollection)."
            )
        }
        return .predicate(.comparison(try scope.value(base), .contains, try scope.value(other)))
    }
}

extension PredicateExpressions.SequenceStartsWith: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        guard Base.Output.self is any StringProtocol.Type, Prefix.Output.self is any StringProtocol.Type
        else {
            throw SwiftPredicateError(
                "NSPredicate can test only whether a string begins with another one (SequenceStartsWith).")
        }
        return .predicate(.comparison(try scope.value(base), .beginsWith, try scope.value(prefix)))
    }
}

extension PredicateExpressions.StringContainsRegex: ConvertibleExpression {
    /// `MATCHES` requires the whole string to match.
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        guard let value = regex as? PredicateExpressions.Value<PredicateExpressions.PredicateRegex> else {
            throw SwiftPredicateError("A regular expression (StringContainsRegex) must be a constant.")
        }
        let pattern = "(?s:.*)(?:\(value.value.stringRepresentation))(?s:.*)"
        return .predicate(
            .comparison(try scope.value(subject), .matches, NSExpression(forConstantValue: pattern)))
    }
}

extension PredicateExpressions.StringLocalizedStandardContains: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        .predicate(
            .comparison(
                try scope.value(root), .contains, try scope.value(other),
                [.caseInsensitive, .diacriticInsensitive, .localeSensitive]))
    }
}

extension PredicateExpressions.StringLocalizedCompare: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        .order(try scope.value(root), try scope.value(other), .localeSensitive)
    }
}

extension PredicateExpressions.StringCaseInsensitiveCompare: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        .order(try scope.value(root), try scope.value(other), .caseInsensitive)
    }
}
