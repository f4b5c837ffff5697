/// How alike predicates and expressions must be.
private enum EqualityRule {
    /// As their strings are read: `isEquivalent(to:)`.
    case meaning
    /// To the type of each constant: `isEqual`. An archiver keeps one of equal objects, so that what is equal must be the
    /// same in all that it computes: `7 / 2` is not `7 / 2.0`.
    case structure
}

extension NSPredicate {
    /// Whether two predicates have the same structure, operators and values.
    ///
    /// Use this in place of `==` when predicates may be `NSCompoundPredicate` made in code: Foundation on Linux says that any
    /// two of those are equal. A conjunction or disjunction of one part is the same as that part, one of none as its value:
    /// they have the same string. Predicates made of closures are equal only to themselves.
    /// Numbers of different types are the same where they are equal, a date is its seconds, and a collection of constants is
    /// the same written out: `==` of predicates distinguishes all these.
    public func isEquivalent(to other: NSPredicate) -> Bool { isSame(as: other, .meaning) }

    /// Whether two predicates have the same structure: `isEqual` of our classes.
    func hasSameStructure(as other: NSPredicate) -> Bool { isSame(as: other, .structure) }

    fileprivate func isSame(as other: NSPredicate, _ rule: EqualityRule) -> Bool {
        // A loop and not a recursion: code may nest AND and OR tens of thousands deep.
        var rest: [(NSPredicate, NSPredicate)] = [(self, other)]
        while let (left, right) = rest.popLast() {
            let (lhs, rhs) = rule == .meaning ? (left.joined, right.joined) : (left, right)
            if lhs === rhs { continue }
            switch (lhs.shape, rhs.shape) {
            case (.value(let lhs), .value(let rhs)) where lhs == rhs: break
            case (.comparison(let lhs), .comparison(let rhs)) where lhs.hasSameParts(as: rhs, rule): break
            case (.compound(let lhs, let lhsParts), .compound(let rhs, let rhsParts))
            where lhs == rhs && lhsParts.count == rhsParts.count:
                rest += zip(lhsParts, rhsParts)
            default: return false
            }
        }
        return true
    }

    /// The predicate without AND and OR around it that join nothing.
    var joined: NSPredicate {
        var predicate = self
        while case .compound(let type, let parts) = predicate.shape, type != .not, parts.count < 2 {
            guard let only = parts.first else { return ConstantPredicate(value: type == .and) }
            predicate = only
        }
        return predicate
    }

    /// A hash that equivalent predicates share.
    var structuralHash: Int {
        var hasher = Hasher()
        combineStructure(into: &hasher)
        return hasher.finalize()
    }

    fileprivate func combineStructure(into hasher: inout Hasher) {
        var rest: [NSPredicate] = [self]
        while let next = rest.popLast()?.joined {
            switch next.shape {
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
                rest += parts.reversed()
            case .opaque:
                hasher.combine(ObjectIdentifier(next))
            }
        }
    }
}

extension NSComparisonPredicate {
    fileprivate func hasSameParts(as other: NSComparisonPredicate, _ rule: EqualityRule) -> Bool {
        predicateOperatorType == other.predicateOperatorType
            && comparisonPredicateModifier == other.comparisonPredicateModifier && options == other.options
            && leftExpression.isPart(other.leftExpression, rule)
            && rightExpression.isPart(other.rightExpression, rule)
    }
}

extension NSExpression {
    /// Whether two expressions have the same meaning, whatever the types of their numbers.
    ///
    /// A collection written out with constants is the same as a constant collection; a set as the list of its elements in
    /// the order of their strings, which is how it is written.
    package func isEquivalent(to other: NSExpression) -> Bool { isSame(as: other, .meaning) }

    /// Whether two expressions have the same structure, and constants of the same types: `isEqual`.
    func hasSameStructure(as other: NSExpression) -> Bool { isSame(as: other, .structure) }

    /// Whether parts of two predicates or expressions are the same; subclasses decide for themselves.
    fileprivate func isPart(_ other: NSExpression, _ rule: EqualityRule) -> Bool {
        if rule == .meaning {
            if case .custom = kind {} else { return isSame(as: other, .meaning) }
        }
        return isEqual(other)
    }

    private static func areParts(_ lhs: [NSExpression], _ rhs: [NSExpression], _ rule: EqualityRule) -> Bool {
        lhs.count == rhs.count && zip(lhs, rhs).allSatisfy { $0.isPart($1, rule) }
    }

    private func isSame(as other: NSExpression, _ rule: EqualityRule) -> Bool {
        if self === other { return true }
        func same(_ lhs: NSExpression, _ rhs: NSExpression) -> Bool { lhs.isPart(rhs, rule) }
        func same(_ lhs: [NSExpression], _ rhs: [NSExpression]) -> Bool {
            NSExpression.areParts(lhs, rhs, rule)
        }
        switch (kind, other.kind) {
        case (.constant(let lhs), .constant(let rhs)):
            if rule == .structure { return ConstantIdentity(lhs) == ConstantIdentity(rhs) }
            return NSExpression.areEqual(lhs, rhs) || isSameList(as: other)
        case (.aggregate, .constant), (.constant, .aggregate):
            return rule == .meaning && isSameList(as: other)
        case (.evaluatedObject, .evaluatedObject), (.anyKey, .anyKey):
            return true
        case (.variable(let lhs), .variable(let rhs)):
            return lhs == rhs
        case (.keyPath(let lhsOperand, let lhs), .keyPath(let rhsOperand, let rhs)):
            return lhs == rhs && same(lhsOperand, rhsOperand)
        case (
            .function(let lhsTarget, let lhs, let lhsParts), .function(let rhsTarget, let rhs, let rhsParts)
        ):
            return lhs == rhs && same(lhsParts, rhsParts)
                && same(lhsTarget.map { [$0] } ?? [], rhsTarget.map { [$0] } ?? [])
        case (.aggregate(let lhs), .aggregate(let rhs)):
            return same(lhs, rhs)
        case (.set(let lhs, let lhsLeft, let lhsRight), .set(let rhs, let rhsLeft, let rhsRight)):
            return lhs == rhs && same(lhsLeft, rhsLeft) && same(lhsRight, rhsRight)
        case (
            .subquery(let lhs, let lhsVariable, let lhsPredicate),
            .subquery(let rhs, let rhsVariable, let rhsPredicate)
        ):
            return same(lhs, rhs) && lhsVariable == rhsVariable
                && lhsPredicate.isSame(as: rhsPredicate, rule)
        case (.assignment(let lhsVariable, let lhs), .assignment(let rhsVariable, let rhs)):
            return lhsVariable == rhsVariable && same(lhs, rhs)
        case (.symbol(let lhs), .symbol(let rhs)):
            return lhs == rhs
        case (
            .conditional(let lhs, let lhsTrue, let lhsFalse),
            .conditional(let rhs, let rhsTrue, let rhsFalse)
        ):
            return lhs.isSame(as: rhs, rule) && same(lhsTrue, rhsTrue) && same(lhsFalse, rhsFalse)
        default:
            return false
        }
    }

    private func isSameList(as other: NSExpression) -> Bool {
        guard let lhs = listedElements, let rhs = other.listedElements else { return false }
        return NSExpression.areParts(lhs, rhs, .meaning)
    }

    /// The elements of a collection as they are written in braces; none of a dictionary, which has no literal.
    private var listedElements: [NSExpression]? {
        switch kind {
        case .aggregate(let elements): return elements
        case .constant(let value):
            guard let collection = presentValue(value) as? any ValueCollection,
                collection.collectionKind != .dictionary
            else { return nil }
            let elements = collection.collectionElements.map { NSExpression(forConstantValue: $0) }
            if collection.collectionKind.isOrdered { return elements }
            return elements.map { ($0.description, $0) }.sorted { $0.0 < $1.0 }.map(\.1)
        default: return nil
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
