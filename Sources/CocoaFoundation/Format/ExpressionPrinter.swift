/// The operators that functions are written as, and how tightly they bind.
enum ArithmeticOperator: String {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case power = "**"

    init?(function name: String) {
        switch name {
        case "add:to:": self = .add
        case "from:subtract:": self = .subtract
        case "multiply:by:": self = .multiply
        case "divide:by:": self = .divide
        case "raise:toPower:": self = .power
        default: return nil
        }
    }

    /// The function that the operator stands for.
    var function: String {
        switch self {
        case .add: "add:to:"
        case .subtract: "from:subtract:"
        case .multiply: "multiply:by:"
        case .divide: "divide:by:"
        case .power: "raise:toPower:"
        }
    }

    /// How tightly the operator binds.
    var precedence: ExpressionPrecedence {
        switch self {
        case .add, .subtract: .additive
        case .multiply, .divide: .multiplicative
        case .power: .power
        }
    }
}

/// How tightly the parts of an expression's text are bound; loosest first.
enum ExpressionPrecedence: Int, Comparable {
    case assignment
    case set
    case additive
    case multiplicative
    case power
    case unary
    case primary

    static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

    /// The next tighter one.
    var tighter: Self { Self(rawValue: rawValue + 1) ?? .primary }
}

extension NSExpression {
    /// The expression's text.
    var formatText: String {
        switch kind {
        case .constant(let value):
            return Literal.text(of: value)
        case .evaluatedObject:
            return "SELF"
        case .variable(let name):
            return "$\(name)"
        case .keyPath(let operand, let path):
            return NSExpression.text(ofKeyPath: path, operand)
        case .function(let target, let name, let arguments):
            return operation.map(NSExpression.text) ?? NSExpression.text(ofFunction: name, target, arguments)
        case .aggregate(let elements):
            return "{\(NSExpression.list(elements))}"
        case .set(let word, let left, let right):
            return NSExpression.text(
                of: Operation(left: left, word: word.rawValue, right: right, precedence: .set))
        case .subquery(let collection, let variable, let predicate):
            return "SUBQUERY(\(collection), $\(variable), \(predicate.formatString))"
        case .assignment(let variable, let expression):
            return "$\(variable) := \(expression)"
        case .block(_, let arguments):
            return "BLOCK(\(NSExpression.list(arguments)))"
        case .symbol(let symbol):
            return symbol.rawValue
        case .anyKey:
            return "ANYKEY"
        case .conditional(let predicate, let trueExpression, let falseExpression):
            return "TERNARY(\(predicate.formatString), \(trueExpression), \(falseExpression))"
        case .custom(let type):
            return "<\(type)>"
        }
    }

    private var precedence: ExpressionPrecedence {
        switch kind {
        case .set:
            .set
        case .assignment:
            .assignment
        case .function(nil, let name, let arguments) where arguments.count == 2:
            ArithmeticOperator(function: name)?.precedence ?? .primary
        case .constant(let value):
            // A number as the base of a path or an index would run together with the dot, or with its sign.
            PredicateValue(value).isNumber ? .unary : .primary
        default:
            .primary
        }
    }

    /// The text, in parentheses where it is bound less tightly than its position requires.
    private func text(in precedence: ExpressionPrecedence) -> String {
        self.precedence < precedence ? "(\(description))" : description
    }

    /// Two operands and the operator that is written between them.
    private struct Operation {
        let left: NSExpression
        let word: String
        let right: NSExpression
        let precedence: ExpressionPrecedence
    }

    private var operation: Operation? {
        switch kind {
        case .set(let operation, let left, let right):
            return Operation(left: left, word: operation.rawValue, right: right, precedence: .set)
        case .function(nil, let name, let arguments) where arguments.count == 2:
            return ArithmeticOperator(function: name).map {
                Operation(
                    left: arguments[0], word: $0.rawValue, right: arguments[1], precedence: $0.precedence)
            }
        default: return nil
        }
    }

    /// The text of a chain of operators, which group to the left where their precedence is the same. A loop and not a
    /// recursion: code may chain thousands of them.
    private static func text(of operation: Operation) -> String {
        var beginning = ""
        var ends: [String] = []
        var next = operation
        while true {
            let left = next.left
            ends.append(" \(next.word) \(next.right.text(in: next.precedence.tighter))")
            // A subclass may have a string of its own.
            guard type(of: left) == NSExpression.self, let inner = left.operation else {
                return beginning + left.text(in: next.precedence) + ends.reversed().joined()
            }
            if left.precedence < next.precedence {
                beginning += "("
                ends.append(")")
            }
            next = inner
        }
    }

    private static func list(_ expressions: [NSExpression]) -> String {
        expressions.map(\.description).joined(separator: ", ")
    }

    private static func text(
        ofFunction name: String, _ target: NSExpression?, _ arguments: [NSExpression]
    ) -> String {
        if let target {
            let rest = arguments.isEmpty ? "" : ", \(list(arguments))"
            return "FUNCTION(\(target), \(Literal.text(of: name))\(rest))"
        }
        if arguments.count == 2 {
            if name == "castObject:toType:" { return "CAST(\(list(arguments)))" }
            if name == "objectFrom:withIndex:" {
                return "\(arguments[0].text(in: .primary))[\(arguments[1])]"
            }
        }
        return "\(name)(\(list(arguments)))"
    }

    private static func text(ofKeyPath path: String, _ operand: NSExpression) -> String {
        let parts = path.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.allSatisfy(\.isKey) else {
            // No literal can spell such a key; the parser turns this call into a key path again.
            return "FUNCTION(\(operand), \"valueForKeyPath:\", \(Literal.text(of: path)))"
        }
        let keys = parts.map { ReservedWords.contains($0) ? "#\($0)" : String($0) }.joined(separator: ".")
        if case .evaluatedObject = operand.kind { return keys }
        return "\(operand.text(in: .primary)).\(keys)"
    }
}

extension Substring {
    /// Whether the text is a key as the format string spells them: an identifier, perhaps after `@`.
    fileprivate var isKey: Bool {
        let name = first == "@" ? dropFirst() : self
        guard let first = name.unicodeScalars.first, first.beginsIdentifier else { return false }
        return name.unicodeScalars.allSatisfy(\.continuesIdentifier)
    }
}

extension Unicode.Scalar {
    /// Whether an identifier may begin with the scalar: a letter or an underscore.
    var beginsIdentifier: Bool {
        if value < 0x80 { return value | 0x20 >= 0x61 && value | 0x20 <= 0x7A || self == "_" }
        return properties.isXIDStart
    }

    /// Whether an identifier may go on with the scalar.
    var continuesIdentifier: Bool {
        if value < 0x80 { return beginsIdentifier || (0x30...0x39).contains(value) }
        return properties.isXIDContinue
    }
}
