extension NSExpression {
    /// What the expression is.
    public var expressionType: ExpressionType {
        switch kind {
        case .constant, .symbol: .constantValue
        case .evaluatedObject: .evaluatedObject
        case .variable: .variable
        case .keyPath: .keyPath
        case .function: .function
        case .aggregate: .aggregate
        case .set(.union, _, _): .unionSet
        case .set(.intersect, _, _): .intersectSet
        case .set(.minus, _, _): .minusSet
        case .subquery: .subquery
        case .assignment: .variableAssignment
        case .block: .block
        case .anyKey: .anyKey
        case .conditional: .conditional
        case .custom(let type): type
        }
    }

    /// The value of a constant; a number is an `NSNumber`, which casts to every number type that holds it.
    ///
    /// - Precondition: the expression is a constant. Apple raises an exception otherwise; so do the properties
    ///   below, each for the expressions that have it.
    public var constantValue: Any? {
        switch kind {
        case .constant(let value): presentValue(value).map(boxedNumber)
        case .symbol(let symbol): symbol.rawValue
        default: stop("constantValue")
        }
    }

    /// The dotted key path.
    public var keyPath: String {
        if case .keyPath(_, let path) = kind { path } else { stop("keyPath") }
    }

    /// The name of a function or of a method, with its colons.
    ///
    /// A key path answers the method that reads it, as in Apple's framework.
    public var function: String {
        switch kind {
        case .function(_, let name, _): name
        case .keyPath(_, let path): path.contains(".") ? "valueForKeyPath:" : "valueForKey:"
        default: stop("function")
        }
    }

    /// The name of a variable, without its dollar sign.
    public var variable: String {
        switch kind {
        case .variable(let name), .assignment(let name, _), .subquery(_, let name, _): name
        default: stop("variable")
        }
    }

    /// The receiver of a method, or what a key path starts from; of a builtin function the constant
    /// `_NSPredicateUtilities`, the name of the class that has the functions in Apple's framework.
    public var operand: NSExpression {
        switch kind {
        case .keyPath(let operand, _): operand
        case .function(let target, _, _): target ?? NSExpression(forConstantValue: FunctionTable.className)
        default: stop("operand")
        }
    }

    /// The arguments of a function, a method or a closure.
    public var arguments: [NSExpression]? {
        switch kind {
        case .function(_, _, let arguments), .block(_, let arguments): arguments
        case .keyPath(_, let path): [NSExpression(forConstantValue: path)]
        default: stop("arguments")
        }
    }

    /// The expressions of an aggregate, an array of `NSExpression`; of a subquery the expression for its
    /// collection.
    public var collection: Any {
        switch kind {
        case .aggregate(let elements): elements
        case .subquery(let collection, _, _): collection
        default: stop("collection")
        }
    }

    /// The predicate of a subquery or of a conditional expression.
    public var predicate: NSPredicate {
        switch kind {
        case .subquery(_, _, let predicate), .conditional(let predicate, _, _): predicate
        default: stop("predicate")
        }
    }

    /// The left side of a set operation.
    public var left: NSExpression {
        if case .set(_, let left, _) = kind { left } else { stop("left") }
    }

    /// The right side of a set operation.
    public var right: NSExpression {
        if case .set(_, _, let right) = kind { right } else { stop("right") }
    }

    /// What a conditional expression gives where its predicate holds.
    public var `true`: NSExpression {
        if case .conditional(_, let expression, _) = kind { expression } else { stop("true") }
    }

    /// What a conditional expression gives where its predicate does not hold.
    public var `false`: NSExpression {
        if case .conditional(_, _, let expression) = kind { expression } else { stop("false") }
    }

    /// The closure of a block expression.
    public var expressionBlock: Block {
        if case .block(let block, _) = kind { block } else { stop("expressionBlock") }
    }

    private func stop(_ property: String) -> Never {
        fatalError("The expression \(self) of type \(expressionType) has no \(property)")
    }
}
