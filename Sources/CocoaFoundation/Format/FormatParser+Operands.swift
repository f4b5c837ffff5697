extension FormatParser {
    /// Reads an operand and the keys and indexes after it.
    mutating func readPostfix() throws -> Node {
        let start = token.offset
        var operand = try readOperand()
        while true {
            if isAt(.dot) {
                let keys = try readKeys()
                operand = try appending(keys, to: operand, at: start)
            } else if isAt(.leftBracket) {
                operand = try readIndex(of: operand, at: start)
            } else {
                return operand
            }
        }
    }

    /// Reads `.a.b.c`: all keys at once, so that a long path is not copied for each of them.
    private mutating func readKeys() throws -> [String] {
        var keys: [String] = []
        while isAt(.dot) {
            try advance()
            switch token.kind {
            case .word(let key), .key(let key):
                keys.append(key)
            case .collectionOperator(let name):
                keys.append("@\(name)")
            case .argument(.keyPath):
                guard case .keyPath(_, let path) = try readArgument(.keyPath).kind else { continue }
                keys.append(path)
                continue
            default:
                throw error("Expected a key and found \(token.description).")
            }
            try advance()
        }
        return keys
    }

    private func appending(_ keys: [String], to operand: Node, at offset: Int) throws -> Node {
        let expression = try expression(in: operand)
        let rest = keys.joined(separator: ".")
        if case .keyPath(let base, let path) = expression.kind {
            let longer = NSExpression(kind: .keyPath(operand: base, path: "\(path).\(rest)"))
            return Node(content: .expression(longer), offset: offset, depth: operand.depth)
        }
        let keyPath = NSExpression(kind: .keyPath(operand: expression, path: rest))
        return try node(.expression(keyPath), at: offset, over: [operand])
    }

    private mutating func readIndex(of operand: Node, at offset: Int) throws -> Node {
        let collection = try expression(in: operand)
        try advance()
        let index: Node
        if case .word(let word) = token.kind, let symbol = NSExpression.Symbol(rawValue: word.uppercased()),
            try peek().kind == .symbol(.rightBracket)
        {
            index = Node(content: .expression(NSExpression(kind: .symbol(symbol))), offset: token.offset)
            try advance()
        } else {
            index = try readExpression()
        }
        try read(.rightBracket)
        let element = NSExpression(
            kind: .function(
                target: nil, name: "objectFrom:withIndex:",
                arguments: [collection, try expression(in: index)]))
        return try node(.expression(element), at: offset, over: [operand, index])
    }

    // MARK: Operands

    private mutating func readOperand() throws -> Node {
        let offset = token.offset
        switch token.kind {
        case .word(let word):
            return try readWord(word)
        case .key(let key):
            try advance()
            return leaf(NSExpression(forKeyPath: key), at: offset)
        case .collectionOperator(let name):
            try advance()
            return leaf(NSExpression(forKeyPath: "@\(name)"), at: offset)
        case .variable(let name):
            try advance()
            return try readVariable(name, at: offset)
        case .text(let text):
            try advance()
            return leaf(NSExpression(forConstantValue: text), at: offset)
        case .number(let number):
            try advance()
            return leaf(NSExpression(forConstantValue: FormatParser.value(of: number)), at: offset)
        case .argument(let place):
            return leaf(try readArgument(place), at: offset)
        case .symbol(.leftParenthesis):
            try advance()
            var inner = try readOperators(from: .or)
            try read(.rightParenthesis)
            inner.isParenthesised = true
            return inner
        case .symbol(.leftBrace):
            let elements = try readList(.leftBrace, .rightBrace)
            let aggregate = NSExpression(forAggregate: try elements.map(expression))
            return try node(.expression(aggregate), at: offset, over: elements)
        case .symbol, .end:
            throw error("Expected a value and found \(token.description).")
        }
    }

    func leaf(_ expression: NSExpression, at offset: Int) -> Node {
        Node(content: .expression(expression), offset: offset)
    }

    private static func value(of number: Token.Number) -> Any {
        switch number {
        case .integer(let number): Int(exactly: number) ?? number
        case .double(let number): number
        }
    }

    /// Reads an argument, whose place in the format string is the present token.
    private mutating func readArgument(_ place: Token.Argument) throws -> NSExpression {
        do {
            let expression = try arguments.next(as: place)
            try advance()
            return expression
        } catch let failure as FormatArguments.Failure {
            throw error(failure.reason)
        }
    }

    private mutating func readVariable(_ name: String, at offset: Int) throws -> Node {
        guard isAt(.assign) else { return leaf(NSExpression(forVariable: name), at: offset) }
        try advance()
        let value = try readExpression()
        let assignment = NSExpression(kind: .assignment(variable: name, try expression(in: value)))
        return try node(.expression(assignment), at: offset, over: [value])
    }

    /// Reads expressions between two symbols, separated by commas; perhaps none.
    mutating func readList(_ start: Token.Symbol, _ end: Token.Symbol) throws -> [Node] {
        try read(start)
        var elements: [Node] = []
        if !isAt(end) {
            elements.append(try readExpression())
            while isAt(.comma) {
                try advance()
                elements.append(try readExpression())
            }
        }
        try read(end)
        return elements
    }

    // MARK: Words

    private mutating func readWord(_ word: String) throws -> Node {
        let offset = token.offset
        if let constant = FormatParser.constant(word.uppercased()) {
            try advance()
            return Node(content: constant, offset: offset)
        }
        let next = try peek()
        if next.kind == .symbol(.leftParenthesis), let call = try readSpecialCall(word.uppercased()) {
            return call
        }
        if next.kind == .symbol(.leftParenthesis) || next.kind == .symbol(.colon) {
            return try readFunctionCall()
        }
        if FormatParser.operatorWords.contains(word.uppercased()) {
            throw error("\"\(word)\" is an operator; a key of that name is written #\(word).")
        }
        try advance()
        return leaf(NSExpression(forKeyPath: word), at: offset)
    }

    private static func constant(_ word: String) -> Node.Content? {
        switch word {
        case "NULL", "NIL": .expression(NSExpression(forConstantValue: nil))
        case "TRUE", "YES": .expression(NSExpression(forConstantValue: true))
        case "FALSE", "NO": .expression(NSExpression(forConstantValue: false))
        case "SELF": .expression(.expressionForEvaluatedObject())
        case "ANYKEY": .expression(.expressionForAnyKey())
        case "TRUEPREDICATE": .predicate(ConstantPredicate(value: true))
        case "FALSEPREDICATE": .predicate(ConstantPredicate(value: false))
        default: nil
        }
    }

    /// The words that cannot be keys, because the text around them would read otherwise.
    private static let operatorWords: Set<String> = [
        "AND", "OR", "NOT", "ANY", "ALL", "SOME", "NONE", "IN", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE",
        "MATCHES", "BETWEEN",
    ]
}
