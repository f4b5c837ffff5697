// Collections and their elements.

extension PredicateExpressions.SequenceContains: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        let whole = try scope.value(sequence)
        let part = try scope.value(element)
        if LHS.Output.self is any StringProtocol.Type {
            return .predicate(.comparison(whole, .contains, part))
        }
        return .predicate(.comparison(part, .in, whole))
    }
}

extension PredicateExpressions.SequenceContainsWhere: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        let found = try subquery(sequence, variable.key, test, scope)
        return .predicate(
            .comparison(found.appending(key: "@count"), .notEqualTo, NSExpression(forConstantValue: 0)))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        // An element of which it is unknown whether it meets the condition does not.
        let found = try subquery(sequence, variable.key, test, scope)
        return .predicate(
            .comparison(
                found.appending(key: "@count"), .equalTo, try scope.value(sequence).appending(key: "@count")))
    }
}

extension PredicateExpressions.Filter: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        .value(try subquery(sequence, variable.key, filter, scope))
    }
}

private func subquery(
    _ sequence: any PredicateExpression, _ variable: PredicateExpressions.VariableID,
    _ test: any PredicateExpression, _ scope: ConversionScope
) throws -> NSExpression {
    let (inner, name) = scope.iterating(variable)
    return NSExpression(
        forSubquery: try scope.value(sequence), usingIteratorVariable: name,
        predicate: try inner.predicate(test))
}

extension PredicateExpressions.SequenceMinimum: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        .value(NSExpression(forFunction: "min:", arguments: [try scope.value(elements)]))
    }
}

extension PredicateExpressions.SequenceMaximum: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        .value(NSExpression(forFunction: "max:", arguments: [try scope.value(elements)]))
    }
}

extension PredicateExpressions.CollectionIndexSubscript: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        .value(try scope.value(wrapped).element(at: try scope.value(index)))
    }
}

extension PredicateExpressions.CollectionRangeSubscript: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        throw SwiftPredicateError(
            "A part of a collection (CollectionRangeSubscript) has no equivalent in NSPredicate: an index there selects one element."
        )
    }
}

extension PredicateExpressions.DictionaryKeySubscript: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        .value(try scope.value(wrapped).element(at: try scope.value(key)))
    }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        let value = try scope.value(wrapped).element(at: try scope.value(key))
        return .value(
            NSExpression(
                forConditional: value.isPresent, trueExpression: value,
                falseExpression: try scope.value(self.default)))
    }
}
