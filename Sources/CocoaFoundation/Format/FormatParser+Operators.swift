extension FormatParser {
    /// How tightly operators bind; loosest first.
    enum Precedence: Int, Comparable {
        case or
        case and
        case not
        case comparison
        case set
        case additive
        case multiplicative
        case power
        case unary

        static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

        var tighter: Self { Self(rawValue: rawValue + 1) ?? .unary }
    }

    /// The operators that stand between their two sides.
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
        try nested { parser in
            var left = try parser.readPrefix(lowest)
            while let infix = parser.infix, infix.precedence >= lowest {
                left = try parser.readRightSide(of: infix, left)
            }
            return left
        }
    }

    /// The operator at the present token.
    private var infix: Infix? {
        switch token.kind {
        case .symbol(let symbol): FormatParser.infix(symbol)
        case .word(let word): FormatParser.infix(word.uppercased())
        default: nil
        }
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
        let offset = token.offset
        switch infix {
        case .logical(let type):
            return try readCompound(type, infix.precedence, left)
        case .comparison:
            return try readComparison(left, modifier: .direct)
        case .set(let operation):
            let first = try expression(in: left)
            try advance()
            let right = try readOperators(from: infix.precedence.tighter)
            let set = NSExpression(kind: .set(operation, first, try expression(in: right)))
            return try node(.expression(set), at: offset, over: [left, right])
        case .arithmetic(let function, let precedence):
            let first = try expression(in: left)
            try advance()
            let right = try readOperators(from: precedence.tighter)
            let call = NSExpression(
                kind: .function(target: nil, name: function, arguments: [first, try expression(in: right)]))
            return try node(.expression(call), at: left.offset, over: [left, right])
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
        let predicates = try parts.map(predicate)
        return try node(
            .predicate(CompoundPredicate(type: type, subpredicates: predicates)), at: first.offset,
            over: parts)
    }

    /// Reads what stands before its operand: `NOT`, `ANY` and its like, and the minus sign.
    private mutating func readPrefix(_ lowest: Precedence) throws -> Node {
        let offset = token.offset
        if isAt(.not) { return try readNegation(lowest) }
        if isAt(.minus) { return try readMinus() }
        guard case .word(let word) = token.kind else { return try readPostfix() }
        switch word.uppercased() {
        case "NOT":
            return try readNegation(lowest)
        case "ANY", "SOME":
            return try readAggregateComparison(.any, lowest)
        case "ALL":
            return try readAggregateComparison(.all, lowest)
        case "NONE":
            let comparison = try readAggregateComparison(.any, lowest)
            let negated = CompoundPredicate(type: .not, subpredicates: [try predicate(in: comparison)])
            return try node(.predicate(negated), at: offset, over: [comparison])
        default:
            return try readPostfix()
        }
    }

    private mutating func readNegation(_ lowest: Precedence) throws -> Node {
        let offset = token.offset
        if lowest > .not { throw error("NOT cannot stand before a value.") }
        var count = 0
        while isAt(.not) || isAtWord("NOT") {
            count += 1
            try advance()
        }
        // NOT reaches over one comparison: NOT x IN y is NOT (x IN y).
        var operand = try readOperators(from: .comparison)
        for _ in 0..<count {
            let negated = CompoundPredicate(type: .not, subpredicates: [try predicate(in: operand)])
            operand = try node(.predicate(negated), at: offset, over: [operand])
        }
        return operand
    }

    private func isAtWord(_ word: String) -> Bool {
        if case .word(let text) = token.kind { text.uppercased() == word } else { false }
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
        let value = try expression(in: operand)
        guard isNegative else { return operand }
        if isNumber, case .constant(let number) = value.kind {
            return Node(
                content: .expression(NSExpression(forConstantValue: negative(number))), offset: offset)
        }
        let minusOne = NSExpression(forConstantValue: -1)
        let product = NSExpression(
            kind: .function(target: nil, name: "multiply:by:", arguments: [minusOne, value]))
        return try node(.expression(product), at: offset, over: [operand])
    }

    /// A number literal with a minus sign; the least integer's digits alone are no `Int`.
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
        if lowest > .comparison { throw error("\(token.description) cannot stand before a value.") }
        try advance()
        let left = try readExpression()
        guard case .comparison? = infix else {
            throw error("Expected a comparison and found \(token.description).")
        }
        return try readComparison(left, modifier: modifier)
    }

    /// Reads the operator and the right side of a comparison.
    private mutating func readComparison(
        _ left: Node, modifier: NSComparisonPredicate.Modifier
    ) throws -> Node {
        guard case .comparison(let type)? = infix else { return left }
        let leftExpression = try expression(in: left)
        try advance()
        let options = try readOptions()
        let right = try readExpression()
        let rightExpression = try expression(in: right)
        if checksPatterns, type == .matches, case .constant(let value) = rightExpression.kind,
            let pattern = PredicateValue(value).text
        {
            do {
                _ = try TextComparison(options: options).matches("", pattern)
            } catch let failure as PredicateEvaluationError {
                throw error(failure.reason, at: right.offset)
            }
        }
        let comparison = NSComparisonPredicate(
            leftExpression: leftExpression, rightExpression: rightExpression, modifier: modifier, type: type,
            options: options)
        return try node(.predicate(comparison), at: left.offset, over: [left, right])
    }

    /// Reads the options in brackets after an operator, if there are any.
    private mutating func readOptions() throws -> NSComparisonPredicate.Options {
        guard isAt(.leftBracket) else { return [] }
        try advance()
        guard case .word(let letters) = token.kind else {
            throw error("Expected options such as [cd] and found \(token.description).")
        }
        var options: NSComparisonPredicate.Options = []
        for letter in letters.lowercased() {
            guard let known = NSComparisonPredicate.Options.letters.first(where: { $0.letter == letter })
            else {
                throw error("There is no option \"\(letter)\"; known are c, d, n, l and w.")
            }
            options.insert(known.option)
        }
        try advance()
        try read(.rightBracket)
        return options
    }
}
