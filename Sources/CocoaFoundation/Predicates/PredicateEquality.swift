extension NSPredicate {
    /// Whether two predicates have the same structure, operators and values.
    ///
    /// Use this in place of `==` when predicates may contain `NSCompoundPredicate`: Foundation on Linux
    /// says that any two of those are equal. Predicates made of closures are equal only to themselves.
    public func isEquivalent(to other: NSPredicate) -> Bool {
        if self === other { return true }
        switch (shape, other.shape) {
        case (.value(let lhs), .value(let rhs)):
            return lhs == rhs
        case (.comparison(let lhs), .comparison(let rhs)):
            return lhs.predicateOperatorType == rhs.predicateOperatorType
                && lhs.comparisonPredicateModifier == rhs.comparisonPredicateModifier
                && lhs.options == rhs.options
                && lhs.leftExpression.isEqual(rhs.leftExpression)
                && lhs.rightExpression.isEqual(rhs.rightExpression)
        case (.compound(let lhs, let lhsParts), .compound(let rhs, let rhsParts)):
            return lhs == rhs && lhsParts.count == rhsParts.count
                && zip(lhsParts, rhsParts).allSatisfy { $0.isEquivalent(to: $1) }
        default:
            return false
        }
    }

    /// A hash that equivalent predicates share.
    var structuralHash: Int {
        var hasher = Hasher()
        combineStructure(into: &hasher)
        return hasher.finalize()
    }

    fileprivate func combineStructure(into hasher: inout Hasher) {
        switch shape {
        case .value(let value):
            hasher.combine(value)
        case .comparison(let comparison):
            hasher.combine(comparison.predicateOperatorType)
            hasher.combine(comparison.comparisonPredicateModifier)
            hasher.combine(comparison.options)
            comparison.leftExpression.combineStructure(into: &hasher)
            comparison.rightExpression.combineStructure(into: &hasher)
        case .compound(let type, let parts):
            hasher.combine(type)
            for part in parts { part.combineStructure(into: &hasher) }
        case .opaque:
            hasher.combine(ObjectIdentifier(self))
        }
    }
}

extension NSExpression {
    /// Whether two expressions have the same structure and values.
    ///
    /// A collection written out with constants is the same as a constant collection.
    func isEquivalent(to other: NSExpression) -> Bool {
        if self === other { return true }
        switch (kind, other.kind) {
        case (.constant(let lhs), .constant(let rhs)):
            return NSExpression.areEqual(lhs, rhs)
        case (.evaluatedObject, .evaluatedObject), (.anyKey, .anyKey):
            return true
        case (.variable(let lhs), .variable(let rhs)):
            return lhs == rhs
        case (.keyPath(let lhsOperand, let lhs), .keyPath(let rhsOperand, let rhs)):
            return lhs == rhs && lhsOperand.isEqual(rhsOperand)
        case (
            .function(let lhsTarget, let lhs, let lhsParts), .function(let rhsTarget, let rhs, let rhsParts)
        ):
            return lhs == rhs && lhsTarget == rhsTarget && lhsParts == rhsParts
        case (.aggregate(let lhs), .aggregate(let rhs)):
            return lhs == rhs
        case (.aggregate(let elements), .constant(let value)),
            (.constant(let value), .aggregate(let elements)):
            guard let collection = presentValue(value) as? any ValueCollection,
                collection.collectionKind == .array
            else { return false }
            return elements == collection.collectionElements.map { NSExpression(forConstantValue: $0) }
        case (.set(let lhs, let lhsLeft, let lhsRight), .set(let rhs, let rhsLeft, let rhsRight)):
            return lhs == rhs && lhsLeft == rhsLeft && lhsRight == rhsRight
        case (
            .subquery(let lhs, let lhsVariable, let lhsPredicate),
            .subquery(let rhs, let rhsVariable, let rhsPredicate)
        ):
            return lhs == rhs && lhsVariable == rhsVariable && lhsPredicate.isEquivalent(to: rhsPredicate)
        case (.assignment(let lhsVariable, let lhs), .assignment(let rhsVariable, let rhs)):
            return lhsVariable == rhsVariable && lhs == rhs
        case (.symbol(let lhs), .symbol(let rhs)):
            return lhs == rhs
        case (
            .conditional(let lhs, let lhsTrue, let lhsFalse),
            .conditional(let rhs, let rhsTrue, let rhsFalse)
        ):
            return lhs.isEquivalent(to: rhs) && lhsTrue == rhsTrue && lhsFalse == rhsFalse
        default:
            return false
        }
    }

    private static func areEqual(_ lhs: Any?, _ rhs: Any?) -> Bool {
        let (lhs, rhs) = (PredicateValue(lhs), PredicateValue(rhs))
        // A constant that is not a number is the same constant, although the number is not equal to itself.
        if let left = lhs.doubleValue, let right = rhs.doubleValue, left.isNaN, right.isNaN { return true }
        return lhs == rhs
    }

    func combineStructure(into hasher: inout Hasher) {
        switch kind {
        case .constant(let value):
            if let collection = presentValue(value) as? any ValueCollection {
                hasher.combine(collection.collectionCount)
            } else if let number = PredicateValue(value).doubleValue, number.isNaN {
                hasher.combine("nan")
            } else {
                hasher.combine(PredicateValue(value))
            }
        case .aggregate(let elements):
            hasher.combine(elements.count)
        case .evaluatedObject:
            hasher.combine(ExpressionType.evaluatedObject)
        case .anyKey:
            hasher.combine(ExpressionType.anyKey)
        case .variable(let name):
            hasher.combine(name)
        case .keyPath(let operand, let path):
            hasher.combine(path)
            operand.combineStructure(into: &hasher)
        case .function(let target, let name, let arguments):
            hasher.combine(name)
            target?.combineStructure(into: &hasher)
            for argument in arguments { argument.combineStructure(into: &hasher) }
        case .set(let operation, let left, let right):
            hasher.combine(operation)
            left.combineStructure(into: &hasher)
            right.combineStructure(into: &hasher)
        case .subquery(let collection, let variable, let predicate):
            collection.combineStructure(into: &hasher)
            hasher.combine(variable)
            predicate.combineStructure(into: &hasher)
        case .assignment(let variable, let expression):
            hasher.combine(variable)
            expression.combineStructure(into: &hasher)
        case .symbol(let symbol):
            hasher.combine(symbol)
        case .conditional(let predicate, let trueExpression, let falseExpression):
            predicate.combineStructure(into: &hasher)
            trueExpression.combineStructure(into: &hasher)
            falseExpression.combineStructure(into: &hasher)
        case .block:
            hasher.combine(ObjectIdentifier(self))
        case .custom(let type):
            // A subclass may find more expressions equal than this class knows.
            hasher.combine(type)
        }
    }
}
