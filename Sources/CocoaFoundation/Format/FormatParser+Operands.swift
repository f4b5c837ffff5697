extension FormatParser {
    /// Reads an operand and the keys and indexes after it.
    mutating func readPostfix() throws -> Node {
        let start = token.offset
        var operand = try readOperand()
        while true {
            if isAt(.dot) {
                operand = try appending(readKeys(), to: operand, at: start)
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
                try advance()
            case .collectionOperator(let name):
                keys.append("@\(name)")
                try advance()
            case .argument(.keyPath):
                keys.append(try readArgument(.keyPath).keyPath)
            default:
                try failExpecting("a key")
            }
        }
        return keys
    }

    private func appending(_ keys: [String], to operand: Node, at offset: Int) throws -> Node {
        let expression = try expression(in: operand)
        let rest = keys.joined(separator: ".")
        if case .keyPath(let base, let path) = expression.kind {
            let longer = NSExpression(kind: .keyPath(operand: base, path: "\(path).\(rest)"))
            return Node(.expression(longer), at: offset, depth: operand.depth)
        }
        let keyPath = NSExpression(kind: .keyPath(operand: expression, path: rest))
        return try node(keyPath, at: offset, over: [operand])
    }

    private mutating func readIndex(of operand: Node, at offset: Int) throws -> Node {
        _ = try expression(in: operand)
        try advance()
        let index = try readSymbolicIndex() ?? readExpression()
        try read(.rightBracket)
        return try element(of: operand, at: index, offset)
    }

    /// Reads `FIRST`, `LAST` or `SIZE`, where the word is all of the index.
    private mutating func readSymbolicIndex() throws -> Node? {
        guard let symbol = keyword.flatMap(NSExpression.Symbol.init),
            try peek() == .symbol(.rightBracket)
        else { return nil }
        let index = Node(NSExpression(kind: .symbol(symbol)), at: token.offset)
        try advance()
        return index
    }

    private func element(of operand: Node, at index: Node, _ offset: Int) throws -> Node {
        let arguments = [try expression(in: operand), try expression(in: index)]
        let element = NSExpression(
            kind: .function(target: nil, name: "objectFrom:withIndex:", arguments: arguments))
        return try node(element, at: offset, over: [operand, index])
    }

    // MARK: Operands

    private mutating func readOperand() throws -> Node {
        switch token.kind {
        case .word(let word): return try readWord(word)
        case .symbol(.leftParenthesis): return try readParenthesised()
        case .symbol(.leftBrace): return try readAggregate()
        case .symbol, .end: try failExpecting("a value")
        default: return try readLeaf()
        }
    }

    private mutating func readParenthesised() throws -> Node {
        try advance()
        let inner = try readOperators(from: .or)
        try read(.rightParenthesis)
        return inner
    }

    private mutating func readAggregate() throws -> Node {
        let offset = token.offset
        return try aggregate(readList(.leftBrace, .rightBrace), at: offset)
    }

    private func aggregate(_ elements: [Node], at offset: Int) throws -> Node {
        try node(NSExpression(forAggregate: elements.map(expression)), at: offset, over: elements)
    }

    /// Reads an operand that is one token, or a variable that is given a value.
    private mutating func readLeaf() throws -> Node {
        let offset = token.offset
        let leaf: NSExpression
        switch token.kind {
        case .argument(let specifier):
            return Node(try readArgument(specifier), at: offset)
        case .variable(let name) where try peek() == .symbol(.assign):
            return try readAssignment(name)
        case .variable(let name): leaf = NSExpression(forVariable: name)
        case .key(let key): leaf = NSExpression(forKeyPath: key)
        case .collectionOperator(let name): leaf = NSExpression(forKeyPath: "@\(name)")
        case .text(let text): leaf = NSExpression(forConstantValue: text)
        case .number(.double(let number)): leaf = NSExpression(forConstantValue: number)
        case .number(.integer(let number)):
            leaf = NSExpression(forConstantValue: Int(exactly: number) ?? number)
        case .word, .symbol, .end:
            try failExpecting("a value")
        }
        try advance()
        return Node(leaf, at: offset)
    }

    /// Reads an argument, whose position in the format string is the present token.
    private mutating func readArgument(_ specifier: Token.Argument) throws -> NSExpression {
        do {
            let expression = try arguments.next(as: specifier)
            try advance()
            return expression
        } catch let failure as FormatArguments.Failure {
            try fail(failure.reason)
        }
    }

    private mutating func readAssignment(_ name: String) throws -> Node {
        let offset = token.offset
        try advance()
        try read(.assign)
        let value = try readExpression()
        let assignment = NSExpression(kind: .assignment(variable: name, try expression(in: value)))
        return try node(assignment, at: offset, over: [value])
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
        if let constant = try readConstant(ReservedWords.folded(word)) { return constant }
        switch try peek() {
        case .symbol(.leftParenthesis):
            return try readSpecialCall(ReservedWords.folded(word)) ?? readFunctionCall()
        case .symbol(.colon):
            return try readFunctionCall()
        default:
            return try readKey(word)
        }
    }

    private mutating func readKey(_ word: String) throws -> Node {
        if FormatParser.operatorWords.contains(ReservedWords.folded(word)) {
            try fail("\"\(word)\" is an operator; a key of that name is written #\(word).")
        }
        let key = Node(NSExpression(forKeyPath: word), at: token.offset)
        try advance()
        return key
    }

    private mutating func readConstant(_ word: String) throws -> Node? {
        let content: Node.Content
        switch word {
        case "NULL", "NIL": content = .expression(NSExpression(forConstantValue: nil))
        case "TRUE", "YES": content = .expression(NSExpression(forConstantValue: true))
        case "FALSE", "NO": content = .expression(NSExpression(forConstantValue: false))
        case "SELF": content = .expression(.expressionForEvaluatedObject())
        case "ANYKEY": content = .expression(.expressionForAnyKey())
        case "TRUEPREDICATE": content = .predicate(ConstantPredicate(value: true))
        case "FALSEPREDICATE": content = .predicate(ConstantPredicate(value: false))
        default: return nil
        }
        let constant = Node(content, at: token.offset)
        try advance()
        return constant
    }

    /// The words that cannot be keys, because the text around them would read otherwise.
    private static let operatorWords: Set<String> = [
        "AND", "OR", "NOT", "ANY", "ALL", "SOME", "NONE", "IN", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE",
        "MATCHES", "BETWEEN",
    ]
}
