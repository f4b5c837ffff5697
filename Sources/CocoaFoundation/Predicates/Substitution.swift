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

    fileprivate func replacing(_ variables: [String: NSExpression]) -> NSPredicate {
        switch shape {
        case .value, .opaque:
            return self
        case .comparison(let comparison):
            return NSComparisonPredicate(
                leftExpression: comparison.leftExpression.replacing(variables),
                rightExpression: comparison.rightExpression.replacing(variables),
                modifier: comparison.comparisonPredicateModifier, type: comparison.predicateOperatorType,
                options: comparison.options)
        case .compound(let type, let parts):
            return CompoundPredicate(type: type, subpredicates: parts.map { $0.replacing(variables) })
        }
    }
}

extension NSExpression {
    /// The expression with its variables replaced by other expressions.
    package func replacing(_ variables: [String: NSExpression]) -> NSExpression {
        switch kind {
        case .variable(let name):
            return variables[name] ?? self
        case .constant, .evaluatedObject, .anyKey, .symbol, .custom:
            return self
        case .keyPath(let operand, let path):
            return NSExpression(kind: .keyPath(operand: operand.replacing(variables), path: path))
        case .function(let target, let name, let arguments):
            return NSExpression(
                kind: .function(
                    target: target?.replacing(variables), name: name,
                    arguments: arguments.map { $0.replacing(variables) }))
        case .aggregate(let elements):
            return NSExpression(forAggregate: elements.map { $0.replacing(variables) })
        case .set(let operation, let left, let right):
            return NSExpression(kind: .set(operation, left.replacing(variables), right.replacing(variables)))
        case .subquery(let collection, let variable, let predicate):
            var inner = variables
            inner[variable] = nil
            return NSExpression(
                forSubquery: collection.replacing(variables), usingIteratorVariable: variable,
                predicate: predicate.replacing(inner))
        case .assignment(let variable, let expression):
            return NSExpression(kind: .assignment(variable: variable, expression.replacing(variables)))
        case .block(let block, let arguments):
            return NSExpression(block: block, arguments: arguments.map { $0.replacing(variables) })
        case .conditional(let predicate, let trueExpression, let falseExpression):
            return NSExpression(
                forConditional: predicate.replacing(variables),
                trueExpression: trueExpression.replacing(variables),
                falseExpression: falseExpression.replacing(variables))
        }
    }
}
