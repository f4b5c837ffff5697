/// An expression of `#Predicate` or `#Expression` that has an equivalent in the language of `NSPredicate`.
protocol ConvertibleExpression {
    /// The equivalent.
    ///
    /// - Throws: ``SwiftPredicateError`` when a part has none.
    func converted(in scope: ConversionScope) throws -> ConvertedExpression
}

/// The equivalent of an expression.
enum ConvertedExpression {
    /// Of one that is true or false.
    case predicate(NSPredicate)
    /// Of one with a value.
    case value(NSExpression)
    /// Of one that says which of two strings comes first.
    case order(NSExpression, NSExpression, NSComparisonPredicate.Options)
}

/// What the variables of an expression stand for.
struct ConversionScope {
    private var meanings: [PredicateExpressions.VariableID: NSExpression] = [:]
    /// How many subqueries there are around the expression.
    private var depth = 0

    /// A scope in which a variable stands for something.
    func binding(_ variable: PredicateExpressions.VariableID, to meaning: NSExpression) -> ConversionScope {
        var scope = self
        scope.meanings[variable] = meaning
        return scope
    }

    /// A scope in which a variable stands for the elements of a subquery, and the name that it has there.
    func iterating(_ variable: PredicateExpressions.VariableID) -> (scope: ConversionScope, name: String) {
        let name = "element\(depth + 1)"
        var scope = binding(variable, to: NSExpression(forVariable: name))
        scope.depth += 1
        return (scope, name)
    }

    /// What a variable stands for.
    func meaning(of variable: PredicateExpressions.VariableID) throws -> NSExpression {
        guard let meaning = meanings[variable] else {
            throw SwiftPredicateError("A variable belongs to another predicate.")
        }
        return meaning
    }

    // MARK: Parts

    func converted(_ expression: any PredicateExpression) throws -> ConvertedExpression {
        guard let expression = expression as? any ConvertibleExpression else {
            throw SwiftPredicateError("\(type(of: expression)) has no equivalent in NSPredicate.")
        }
        return try expression.converted(in: self)
    }

    /// The equivalent as a value; of a condition 1 or 0.
    func value(_ expression: any PredicateExpression) throws -> NSExpression {
        switch try converted(expression) {
        case .value(let value): return value
        case .predicate(let predicate): return predicate.asValue
        case .order:
            throw SwiftPredicateError(
                "The result of comparing two strings can only be compared with a constant.")
        }
    }

    /// The equivalent as a condition; of a value whether it is true.
    func predicate(_ expression: any PredicateExpression) throws -> NSPredicate {
        switch try converted(expression) {
        case .predicate(let predicate): return predicate
        case .value(let value): return value.asPredicate
        case .order: throw SwiftPredicateError("The result of comparing two strings is not a condition.")
        }
    }
}

extension NSPredicate {
    /// The predicate as a value: true or false.
    var asValue: NSExpression {
        if let value = self as? ConstantPredicate { return NSExpression(forConstantValue: value.value) }
        return NSExpression(
            forConditional: self, trueExpression: NSExpression(forConstantValue: true),
            falseExpression: NSExpression(forConstantValue: false))
    }

    /// `left operator right`.
    package static func comparison(
        _ left: NSExpression, _ type: NSComparisonPredicate.Operator, _ right: NSExpression,
        _ options: NSComparisonPredicate.Options = []
    ) -> NSPredicate {
        NSComparisonPredicate(
            leftExpression: left, rightExpression: right, modifier: .direct, type: type, options: options)
    }

    /// The predicates joined; those of the same kind that come first are not nested.
    package static func compound(
        _ type: NSCompoundPredicate.LogicalType, _ left: NSPredicate, _ right: NSPredicate
    ) -> NSPredicate {
        var parts = [left]
        if let left = left as? NSCompoundPredicate, left.compoundPredicateType == type {
            parts = left.subpredicates
        }
        return CompoundPredicate(type: type, subpredicates: parts + [right])
    }

    package var negated: NSPredicate { CompoundPredicate(type: .not, subpredicates: [self]) }
}

extension NSExpression {
    /// Whether the value is true, as a predicate.
    var asPredicate: NSPredicate {
        switch kind {
        case .constant(let value as Bool): ConstantPredicate(value: value)
        case .conditional(let predicate, let yes, let no)
        where yes.isConstant(true) && no.isConstant(false):
            predicate
        default: .comparison(self, .equalTo, NSExpression(forConstantValue: true))
        }
    }

    /// `expression != nil`.
    var isPresent: NSPredicate { .comparison(self, .notEqualTo, NSExpression(forConstantValue: nil)) }

    /// `expression == nil`.
    var isMissing: NSPredicate { .comparison(self, .equalTo, NSExpression(forConstantValue: nil)) }

    func isConstant(_ flag: Bool) -> Bool {
        if case .constant(let value as Bool) = kind { value == flag } else { false }
    }

    /// The value of a key of this expression's value.
    package func appending(key: String) -> NSExpression {
        switch kind {
        case .keyPath(let operand, let path):
            NSExpression(kind: .keyPath(operand: operand, path: "\(path).\(key)"))
        default: NSExpression(kind: .keyPath(operand: self, path: key))
        }
    }
}
