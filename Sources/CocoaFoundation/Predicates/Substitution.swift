extension NSPredicate {
    /// The predicate with its variables replaced by values.
    ///
    /// A value that is an expression takes the variable's place as it is; any other value becomes a constant.
    /// Variables without a value in `variables` stay, and so do the iterators of subqueries. Predicates made
    /// of closures stay as they are.
    ///
    /// - Parameter variables: the values by the names of the variables, without the dollar sign.
    /// - Precondition: the predicate is none of a client's own subclass of `NSComparisonPredicate` or
    ///   `NSCompoundPredicate`.
    public func withSubstitutionVariables(_ variables: [String: Any]) -> Self {
        let expressions = variables.mapValues { $0 as? NSExpression ?? NSExpression(forConstantValue: $0) }
        let result = replacing(expressions)
        guard let result = result as? Self else {
            fatalError("\(type(of: self)) must override withSubstitutionVariables(_:)")
        }
        return result
    }

    /// The predicate with its variables, and the evaluated object, if wanted, replaced by expressions.
    func replacing(
        _ variables: [String: NSExpression], object: NSExpression? = nil
    ) -> NSPredicate {
        switch shape {
        case .value, .opaque:
            return self
        case .comparison(let comparison):
            return NSComparisonPredicate(
                leftExpression: comparison.leftExpression.replacing(variables, object: object),
                rightExpression: comparison.rightExpression.replacing(variables, object: object),
                modifier: comparison.comparisonPredicateModifier, type: comparison.predicateOperatorType,
                options: comparison.options)
        case .compound(let type, let parts):
            return CompoundPredicate(
                type: type, subpredicates: parts.map { $0.replacing(variables, object: object) })
        }
    }
}

extension NSExpression {
    /// The expression with its variables, and the evaluated object, if wanted, replaced by other expressions.
    package func replacing(
        _ variables: [String: NSExpression], object: NSExpression? = nil
    ) -> NSExpression {
        switch kind {
        case .variable(let name):
            return variables[name] ?? self
        case .evaluatedObject:
            return object ?? self
        case .constant, .anyKey, .symbol, .custom:
            return self
        case .keyPath(let operand, let path):
            return NSExpression(
                kind: .keyPath(operand: operand.replacing(variables, object: object), path: path))
        case .function(let target, let name, let arguments):
            return NSExpression(
                kind: .function(
                    target: target?.replacing(variables, object: object), name: name,
                    arguments: arguments.map { $0.replacing(variables, object: object) }))
        case .aggregate(let elements):
            return NSExpression(forAggregate: elements.map { $0.replacing(variables, object: object) })
        case .set(let operation, let left, let right):
            return NSExpression(
                kind: .set(
                    operation, left.replacing(variables, object: object),
                    right.replacing(variables, object: object)))
        case .subquery(let collection, let variable, let predicate):
            var inner = variables
            inner[variable] = nil
            return NSExpression(
                forSubquery: collection.replacing(variables, object: object), usingIteratorVariable: variable,
                predicate: predicate.replacing(inner, object: object))
        case .assignment(let variable, let expression):
            return NSExpression(
                kind: .assignment(variable: variable, expression.replacing(variables, object: object)))
        case .block(let block, let arguments):
            return NSExpression(
                block: block, arguments: arguments.map { $0.replacing(variables, object: object) })
        case .conditional(let predicate, let trueExpression, let falseExpression):
            return NSExpression(
                forConditional: predicate.replacing(variables, object: object),
                trueExpression: trueExpression.replacing(variables, object: object),
                falseExpression: falseExpression.replacing(variables, object: object))
        }
    }
}
