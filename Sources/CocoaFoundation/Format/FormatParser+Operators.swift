extension FormatParser {
    /// How tightly operators bind; loosest first.
    enum Precedence: Int, Comparable {
        case or
        case and
        case not
        case comparison
        case set
        case bitwiseOr
        case bitwiseXor
        case bitwiseAnd
        case additive
        case multiplicative
        case power
        case unary

        static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

        var tighter: Self { Self(rawValue: rawValue + 1) ?? .unary }
    }

    /// The operators between their two sides.
    private enum Infix {
        case logical(NSCompoundPredicate.LogicalType)
        case comparison(NSComparisonPredicate.Operator)
        case set(NSExpression.SetOperation)
        case arithmetic(String, Precedence)

        var precedence: Precedence {
            switch self {
            case .logical(.or): .or
            case .logical: .and
            case .comparison: .comparison
            case .set: .set
            case .arithmetic(_, let precedence): precedence
            }
        }
    }

    /// Reads a value, which a comparison must not be.
    mutating func readExpression() throws -> Node {
        let node = try readOperators(from: .set)
        _ = try expression(in: node)
        return node
    }

    /// Reads operators that bind at least as tightly as `lowest`, and their sides.
    mutating func readOperators(from lowest: Precedence) throws -> Node {
        try enter()
        var left = try readPrefix(lowest)
        while let infix, infix.precedence >= lowest {
            left = try readRightSide(of: infix, left)
        }
        if prefix == .not {
            try fail("NOT must precede the whole comparison: write \"NOT a IN b\", not \"a NOT IN b\".")
        }
        leave()
        return left
    }

    /// The operator at the present token.
    private var infix: Infix? {
        if case .symbol(let symbol) = token.kind { return FormatParser.infix(symbol) }
        return keyword.flatMap(FormatParser.infix)
    }

    private static func infix(_ symbol: Token.Symbol) -> Infix? {
        switch symbol {
        case .or: .logical(.or)
        case .and: .logical(.and)
        case .equal: .comparison(.equalTo)
        case .notEqual: .comparison(.notEqualTo)
        case .less: .comparison(.lessThan)
        case .lessOrEqual: .comparison(.lessThanOrEqualTo)
        case .greater: .comparison(.greaterThan)
        case .greaterOrEqual: .comparison(.greaterThanOrEqualTo)
        case .plus: .arithmetic("add:to:", .additive)
        case .minus: .arithmetic("from:subtract:", .additive)
        case .times: .arithmetic("multiply:by:", .multiplicative)
        case .divide: .arithmetic("divide:by:", .multiplicative)
        case .percent: .arithmetic("modulus:by:", .multiplicative)
        case .power: .arithmetic("raise:toPower:", .power)
        case .bitwiseAnd: .arithmetic("bitwiseAnd:with:", .bitwiseAnd)
        case .bitwiseOr: .arithmetic("bitwiseOr:with:", .bitwiseOr)
        case .bitwiseXor: .arithmetic("bitwiseXor:with:", .bitwiseXor)
        default: nil
        }
    }

    private static func infix(_ word: String) -> Infix? {
        switch word {
        case "OR": .logical(.or)
        case "AND": .logical(.and)
        case "CONTAINS": .comparison(.contains)
        case "IN": .comparison(.in)
        case "BEGINSWITH": .comparison(.beginsWith)
        case "ENDSWITH": .comparison(.endsWith)
        case "LIKE": .comparison(.like)
        case "MATCHES": .comparison(.matches)
        case "BETWEEN": .comparison(.between)
        default: NSExpression.SetOperation(rawValue: word).map(Infix.set)
        }
    }

    private mutating func readRightSide(of infix: Infix, _ left: Node) throws -> Node {
        switch infix {
        case .logical(let type):
            return try readCompound(type, infix.precedence, left)
        case .comparison(let type):
            return try readComparison(type, left, modifier: .direct)
        case .set, .arithmetic:
            _ = try expression(in: left)
            try advance()
            return try combination(infix, left, readOperators(from: infix.precedence.tighter))
        }
    }

    /// Two values and the operator between them.
    private func combination(_ infix: Infix, _ left: Node, _ right: Node) throws -> Node {
        let sides = [try expression(in: left), try expression(in: right)]
        switch infix {
        case .set(let operation):
            let set = NSExpression(kind: .set(operation, sides[0], sides[1]))
            return try node(set, at: left.offset, over: [left, right])
        case .arithmetic(let function, _):
            let call = NSExpression(kind: .function(target: nil, name: function, arguments: sides))
            return try node(call, at: left.offset, over: [left, right])
        case .logical, .comparison:
            return left
        }
    }

    /// Reads all parts of `a AND b AND c`, which become one compound predicate.
    private mutating func readCompound(
        _ type: NSCompoundPredicate.LogicalType, _ precedence: Precedence, _ first: Node
    ) throws -> Node {
        var parts = [first]
        while case .logical(type)? = infix {
            try advance()
            parts.append(try readOperators(from: precedence.tighter))
        }
        return try compound(type, parts)
    }

    private func compound(_ type: NSCompoundPredicate.LogicalType, _ parts: [Node]) throws -> Node {
        let compound = CompoundPredicate(type: type, subpredicates: try parts.map(predicate))
        return try node(compound, at: parts[0].offset, over: parts)
    }

    /// What may precede an operand.
    private enum Prefix {
        case not
        case any
        case all
        case noneOf
        case minus
    }

    private var prefix: Prefix? {
        if isAt(.not) { return .not }
        if isAt(.minus) { return .minus }
        return switch keyword {
        case "NOT": .not
        case "ANY", "SOME": .any
        case "ALL": .all
        case "NONE": .noneOf
        default: nil
        }
    }

    private mutating func readPrefix(_ lowest: Precedence) throws -> Node {
        switch prefix {
        case .not?: try readNegation(lowest)
        case .any?: try readAggregateComparison(.any, lowest)
        case .all?: try readAggregateComparison(.all, lowest)
        case .noneOf?: try compound(.not, [readAggregateComparison(.any, lowest)])
        case .minus?: try readMinus()
        case nil: try readPostfix()
        }
    }

    private mutating func readNegation(_ lowest: Precedence) throws -> Node {
        let count = try countNegations(lowest)
        // NOT reaches over one comparison: NOT x IN y is NOT (x IN y).
        var operand = try readOperators(from: .comparison)
        for _ in 0..<count { operand = try compound(.not, [operand]) }
        return operand
    }

    private mutating func countNegations(_ lowest: Precedence) throws -> Int {
        if lowest > .not { try fail("NOT cannot precede a value.") }
        var count = 0
        while prefix == .not {
            count += 1
            try advance()
        }
        return count
    }

    private mutating func readMinus() throws -> Node {
        let offset = token.offset
        var isNegative = false
        while isAt(.minus) {
            isNegative.toggle()
            try advance()
        }
        let isNumber = if case .number = token.kind { true } else { false }
        let operand = try readPostfix()
        return isNegative ? try negative(operand, isNumber: isNumber, at: offset) : operand
    }

    private func negative(_ operand: Node, isNumber: Bool, at offset: Int) throws -> Node {
        let value = try expression(in: operand)
        if isNumber, case .constant(let number) = value.kind {
            return Node(NSExpression(forConstantValue: negative(number)), at: offset)
        }
        let minusOne = NSExpression(forConstantValue: -1)
        let product = NSExpression(
            kind: .function(target: nil, name: "multiply:by:", arguments: [minusOne, value]))
        return try node(product, at: offset, over: [operand])
    }

    /// A number literal with a minus sign; the least integer's digits alone are not an `Int`.
    private func negative(_ number: Any?) -> Any {
        switch PredicateValue(number) {
        case .integer(let number): Int(-number)
        case .unsigned(let number) where number == Int64.min.magnitude: Int(Int64.min)
        case .unsigned(let number): -Double(number)
        case .double(let number): -number
        default: 0
        }
    }

    // MARK: Comparisons

    /// Reads a comparison whose left side is a collection.
    private mutating func readAggregateComparison(
        _ modifier: NSComparisonPredicate.Modifier, _ lowest: Precedence
    ) throws -> Node {
        if lowest > .comparison { try fail("\(token.description) cannot precede a value.") }
        try advance()
        let left = try readExpression()
        return try readComparison(comparisonOperator(), left, modifier: modifier)
    }

    private func comparisonOperator() throws -> NSComparisonPredicate.Operator {
        guard case .comparison(let type)? = infix else { try failExpecting("a comparison") }
        return type
    }

    /// Reads the operator and the right side of a comparison.
    private mutating func readComparison(
        _ type: NSComparisonPredicate.Operator, _ left: Node, modifier: NSComparisonPredicate.Modifier
    ) throws -> Node {
        _ = try expression(in: left)
        try advance()
        let options = try readOptions()
        let right = try readExpression()
        if checksPatterns, type == .matches { try checkPattern(right, options) }
        return try comparison(type, left, right, modifier, options)
    }

    private func comparison(
        _ type: NSComparisonPredicate.Operator, _ left: Node, _ right: Node,
        _ modifier: NSComparisonPredicate.Modifier, _ options: NSComparisonPredicate.Options
    ) throws -> Node {
        let comparison = NSComparisonPredicate(
            leftExpression: try expression(in: left), rightExpression: try expression(in: right),
            modifier: modifier, type: type, options: options)
        return try node(comparison, at: left.offset, over: [left, right])
    }

    /// Reports a constant that is not a regular expression.
    private func checkPattern(_ right: Node, _ options: NSComparisonPredicate.Options) throws {
        guard case .constant(let value) = try expression(in: right).kind,
            let pattern = PredicateValue(value).text
        else { return }
        do {
            _ = try TextPattern(matching: pattern, comparison: TextComparison(options: options))
        } catch let failure as PredicateEvaluationError {
            try fail(failure.reason, at: right.offset)
        }
    }

    /// Reads the options in brackets after an operator, if there are any.
    private mutating func readOptions() throws -> NSComparisonPredicate.Options {
        guard isAt(.leftBracket) else { return [] }
        try advance()
        guard case .word(let letters) = token.kind else { try failExpecting("options such as [cd]") }
        var options: NSComparisonPredicate.Options = []
        for letter in letters.lowercased() {
            guard let known = NSComparisonPredicate.Options.letters.first(where: { $0.letter == letter })
            else {
                try fail("There is no option \"\(letter)\"; known are c, d, n, l and w.")
            }
            options.insert(known.option)
        }
        try advance()
        try read(.rightBracket)
        return options
    }
}
