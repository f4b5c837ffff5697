/// Whether a value is of a common type that no expression is of: a cast would make an object of it first.
private func isPlain(_ value: Any) -> Bool {
    let type = type(of: value)
    return type == Int64.self || type == Int.self || type == Int32.self || type == String.self
        || type == Double.self || type == Bool.self || type == Date.self || type == UUID.self
}

extension NSPredicate {
    /// The predicate with its variables replaced by values.
    ///
    /// A value that is an expression replaces the variable as it is; any other value becomes a constant.
    /// Variables without a value in `variables` stay, and so do the iterators of subqueries. Predicates made
    /// of closures stay as they are.
    ///
    /// - Parameter variables: the values by the names of the variables, without the dollar sign.
    /// - Precondition: the predicate is not of a client's own subclass of `NSComparisonPredicate` or
    ///   `NSCompoundPredicate`.
    public func withSubstitutionVariables(_ variables: [String: Any]) -> Self {
        let expressions = variables.mapValues { value in
            let expression = isPlain(value) ? nil : value as? NSExpression
            return expression ?? NSExpression(forConstantValue: value)
        }
        let result = replacing { expression, iterators in
            expression.replacement(in: expressions, iterators)
        }
        guard let result = result as? Self else {
            fatalError("\(type(of: self)) must override withSubstitutionVariables(_:)")
        }
        return result
    }

    /// The predicate with some of its expressions replaced.
    ///
    /// - Parameters:
    ///   - iterators: the variables of the subqueries around it.
    ///   - replacement: what to put in place of an expression, under the variables of the subqueries around that; nil to
    ///     go on with its parts.
    package func replacing(
        iterators: Set<String> = [],
        _ replacement: (NSExpression, _ iterators: Set<String>) throws -> NSExpression?
    ) rethrows -> NSPredicate {
        try rebuilt { try $0.replacingSides(iterators, replacement) }
    }

    /// The same predicate, of classes whose `isEqual`, `hash`, `predicateFormat`, `description` and `copy` are right.
    ///
    /// On Linux they are wrong of the `NSCompoundPredicate` and `NSPredicate(value:)` that code makes, which are
    /// Foundation's, and cannot be archived. Predicates that were parsed, decoded or given variables have these classes already; comparisons, and
    /// predicates of closures, stay as they are. Of a conjunction or disjunction of one part it is that part.
    public func structuralCopy() -> NSPredicate { rebuilt(joining: true) { $0 } }

    /// The predicate with its comparisons replaced, the rest of classes of our own.
    ///
    /// - Parameter joining: whether AND and OR that join nothing are left out.
    private func rebuilt(
        joining: Bool = false, _ comparison: (NSComparisonPredicate) throws -> NSPredicate
    ) rethrows -> NSPredicate {
        // A loop and not a recursion: code may nest AND and OR tens of thousands deep.
        if case .comparison(let part) = shape { return try comparison(part) }
        var done: [NSPredicate] = []
        var rest: [ReplacementStep] = [.replace(self)]
        while let step = rest.popLast() {
            switch step {
            case .join(let type, let count):
                let parts = Array(done.suffix(count))
                done.removeLast(count)
                let joined = CompoundPredicate(type: type, subpredicates: parts)
                done.append(joining ? joined.joined : joined)
            case .replace(let predicate):
                switch predicate.shape {
                case .opaque: done.append(predicate)
                case .value(let value): done.append(ConstantPredicate(value: value))
                case .comparison(let part): done.append(try comparison(part))
                case .compound(let type, let parts):
                    rest.append(.join(type, parts.count))
                    rest += parts.reversed().map(ReplacementStep.replace)
                }
            }
        }
        return done[0]
    }

    private enum ReplacementStep {
        case replace(NSPredicate)
        /// The last predicates that are done become one.
        case join(NSCompoundPredicate.LogicalType, Int)
    }
}

/// An expression of a class of another module that has expressions as parts.
package protocol CompositeExpression: NSExpression {
    /// The expression with its parts replaced.
    func replacingOwnParts(_ part: (NSExpression) throws -> NSExpression) rethrows -> NSExpression
}

extension NSComparisonPredicate {
    fileprivate func replacingSides(
        _ iterators: Set<String>,
        _ replacement: (NSExpression, _ iterators: Set<String>) throws -> NSExpression?
    ) rethrows -> NSPredicate {
        NSComparisonPredicate(
            leftExpression: try leftExpression.replacing(iterators: iterators, replacement),
            rightExpression: try rightExpression.replacing(iterators: iterators, replacement),
            modifier: comparisonPredicateModifier, type: predicateOperatorType, options: options)
    }
}

extension NSExpression {
    /// The expression with its variables replaced by other expressions.
    package func replacing(_ variables: [String: NSExpression]) -> NSExpression {
        replacing(iterators: []) { expression, iterators in expression.replacement(in: variables, iterators) }
    }

    fileprivate func replacement(in variables: [String: NSExpression], _ iterators: Set<String>)
        -> NSExpression?
    {
        guard case .variable(let name) = kind, !iterators.contains(name) else { return nil }
        return variables[name]
    }

    /// The expression with some of its parts, or itself, replaced; as `NSPredicate.replacing(iterators:_:)`.
    package func replacing(
        iterators: Set<String>,
        _ replacement: (NSExpression, _ iterators: Set<String>) throws -> NSExpression?
    ) rethrows -> NSExpression {
        // A loop over first operands, and no recursion: code may chain thousands of operators.
        var chain: [NSExpression] = []
        var result = self
        while true {
            if let other = try replacement(result, iterators) {
                result = other
                break
            }
            guard let first = result.firstOperand else {
                result = try result.replacingParts(nil, iterators, replacement)
                break
            }
            chain.append(result)
            result = first
        }
        for expression in chain.reversed() {
            result = try expression.replacingParts(result, iterators, replacement)
        }
        return result
    }

    /// What the operator or the function of the expression is applied to first.
    private var firstOperand: NSExpression? {
        switch kind {
        case .function(_, _, let arguments): arguments.first
        case .set(_, let left, _): left
        default: nil
        }
    }

    /// The expression with its parts replaced.
    ///
    /// - Parameter first: what replaces the first operand, if there is one.
    private func replacingParts(
        _ first: NSExpression?, _ iterators: Set<String>,
        _ replacement: (NSExpression, _ iterators: Set<String>) throws -> NSExpression?
    ) rethrows -> NSExpression {
        func part(_ expression: NSExpression) throws -> NSExpression {
            try expression.replacing(iterators: iterators, replacement)
        }
        func part(_ predicate: NSPredicate) throws -> NSPredicate {
            try predicate.replacing(iterators: iterators, replacement)
        }
        switch kind {
        case .variable, .constant, .evaluatedObject, .anyKey, .symbol:
            return self
        case .custom:
            return try (self as? any CompositeExpression)?.replacingOwnParts(part) ?? self
        case .keyPath(let operand, let path):
            let replaced = try part(operand)
            return replaced === operand ? self : NSExpression(kind: .keyPath(operand: replaced, path: path))
        case .function(let target, let name, let arguments):
            let rest = try arguments.dropFirst().map(part)
            return NSExpression(
                kind: .function(
                    target: try target.map(part), name: name, arguments: (first.map { [$0] } ?? []) + rest))
        case .aggregate(let elements):
            return NSExpression(forAggregate: try elements.map(part))
        case .set(let operation, let left, let right):
            return NSExpression(kind: .set(operation, try first ?? part(left), try part(right)))
        case .subquery(let collection, let variable, let predicate):
            return NSExpression(
                forSubquery: try part(collection), usingIteratorVariable: variable,
                predicate: try predicate.replacing(iterators: iterators.union([variable]), replacement))
        case .assignment(let variable, let expression):
            return NSExpression(kind: .assignment(variable: variable, try part(expression)))
        case .block(let block, let arguments):
            return NSExpression(block: block, arguments: try arguments.map(part))
        case .conditional(let predicate, let trueExpression, let falseExpression):
            return NSExpression(
                forConditional: try part(predicate), trueExpression: try part(trueExpression),
                falseExpression: try part(falseExpression))
        }
    }
}
