extension FormatParser {
    /// Reads a call whose arguments are not all expressions, or whose name is not that of a function; `nil` for
    /// other words.
    mutating func readSpecialCall(_ word: String) throws -> Node? {
        switch word {
        case "SUBQUERY": return try readSubquery()
        case "TERNARY": return try readConditional()
        case "FUNCTION": return try readCall(FormatParser.methodCall)
        case "CAST": return try readCall(FormatParser.conversion)
        case "FETCH": return try readCall(FormatParser.fetch)
        default: return nil
        }
    }

    /// Reads a list of arguments and makes a node of them.
    private mutating func readCall(_ make: (FormatParser) -> ([Node], Int) throws -> Node) throws -> Node {
        let offset = token.offset
        try advance()
        return try make(self)(readList(.leftParenthesis, .rightParenthesis), offset)
    }

    private mutating func readSubquery() throws -> Node {
        let offset = token.offset
        try advance()
        try read(.leftParenthesis)
        let collection = try readExpression()
        let variable = try readIterator()
        let condition = try readOperators(from: .or)
        try read(.rightParenthesis)
        return try subquery(collection, variable, condition, offset)
    }

    /// Reads the variable of a subquery, between two commas.
    private mutating func readIterator() throws -> String {
        try read(.comma)
        guard case .variable(let variable) = token.kind else { try failExpecting("a variable such as $x") }
        try advance()
        try read(.comma)
        return variable
    }

    private func subquery(
        _ collection: Node, _ variable: String, _ condition: Node, _ offset: Int
    ) throws -> Node {
        let subquery = NSExpression(
            forSubquery: try expression(in: collection), usingIteratorVariable: variable,
            predicate: try predicate(in: condition))
        return try node(subquery, at: offset, over: [collection, condition])
    }

    private mutating func readConditional() throws -> Node {
        let offset = token.offset
        try advance()
        try read(.leftParenthesis)
        let condition = try readOperators(from: .or)
        try read(.comma)
        let trueValue = try readExpression()
        try read(.comma)
        let falseValue = try readExpression()
        try read(.rightParenthesis)
        return try conditional(condition, trueValue, falseValue, offset)
    }

    private func conditional(
        _ condition: Node, _ trueValue: Node, _ falseValue: Node, _ offset: Int
    ) throws -> Node {
        let conditional = NSExpression(
            forConditional: try predicate(in: condition), trueExpression: try expression(in: trueValue),
            falseExpression: try expression(in: falseValue))
        return try node(conditional, at: offset, over: [condition, trueValue, falseValue])
    }

    private func methodCall(_ parts: [Node], _ offset: Int) throws -> Node {
        guard parts.count >= 2, let name = try constantText(in: parts[1]) else {
            try fail("FUNCTION needs a receiver and the name of a method as a string.", at: offset)
        }
        let target = try expression(in: parts[0])
        if let path = try keyPath(read: name, parts) {
            return try node(
                NSExpression(kind: .keyPath(operand: target, path: path)), at: offset, over: parts)
        }
        let values = try parts.dropFirst(2).map(expression)
        return try node(
            NSExpression(kind: .function(target: target, name: name, arguments: values)), at: offset,
            over: parts)
    }

    /// The key path that the methods of key-value coding read: such calls are key paths, and how keys are
    /// written that are not identifiers.
    private func keyPath(read method: String, _ parts: [Node]) throws -> String? {
        guard parts.count == 3, let path = try constantText(in: parts[2]), !path.isEmpty else { return nil }
        let isKey = method == "valueForKey:" && !path.contains(".")
        return isKey || method == "valueForKeyPath:" ? path : nil
    }

    private func conversion(_ parts: [Node], _ offset: Int) throws -> Node {
        if parts.count != 2 { try fail("CAST needs a value and the name of a type.", at: offset) }
        let values = try parts.map(expression)
        if let typeName = try constantText(in: parts[1]) {
            let isKnown = ValueConversion.typeNames.contains(typeName)
            if !isKnown, values[0].isValue || !ValueConversion.mayBeKind(typeName) {
                let known = ValueConversion.typeNames.sorted().joined(separator: ", ")
                try fail(
                    "CAST does not know the type \"\(typeName)\"; known are \(known).", at: parts[1].offset)
            }
            // A converted literal is a literal: it is how dates and identifiers are written.
            if isKnown, case .constant(let literal) = values[0].kind,
                let value = try ValueConversion.value(literal, ofTypeNamed: typeName)
            {
                return Node(NSExpression(forConstantValue: value), at: offset)
            }
        }
        return try node(
            NSExpression(kind: .function(target: nil, name: "castObject:toType:", arguments: values)),
            at: offset, over: parts)
    }

    private func fetch(_ parts: [Node], _ offset: Int) throws -> Node {
        if parts.count != 3 {
            try fail("FETCH needs a fetch request, a context and whether to count.", at: offset)
        }
        guard let factory = FetchExpressions.factory else {
            try fail("FETCH can be parsed only after the program has used Core Data.", at: offset)
        }
        let values = try parts.map(expression)
        let fetch: NSExpression
        do {
            fetch = try factory(values[0], values[1], values[2])
        } catch {
            try fail("FETCH: \(error)", at: offset)
        }
        return try node(fetch, at: offset, over: parts)
    }

    /// Reads a call of a builtin function: `now()`, `abs:(x)`, `add:to:(a, b)`.
    mutating func readFunctionCall() throws -> Node {
        let offset = token.offset
        let function = try readFunctionName()
        return try call(of: function, readList(.leftParenthesis, .rightParenthesis), offset)
    }

    private mutating func readFunctionName() throws -> BuiltinFunction {
        let offset = token.offset
        var name = ""
        while case .word(let part) = token.kind {
            name += part
            try advance()
            guard isAt(.colon) else { break }
            name += ":"
            try advance()
        }
        if !isAt(.leftParenthesis) {
            try fail("Expected \"(\" after the function \(name) and found \(token.description).")
        }
        guard let function = FunctionTable.function(named: name) else {
            try fail("There is no function \(name).", at: offset)
        }
        return function
    }

    private func call(of function: BuiltinFunction, _ parts: [Node], _ offset: Int) throws -> Node {
        if !function.arity.contains(parts.count) {
            let least = function.arity.lowerBound
            let wanted = least == 1 ? "1 argument" : "\(least) arguments"
            try fail("The function \(function.name) takes \(wanted), but got \(parts.count).", at: offset)
        }
        let call = NSExpression(
            kind: .function(target: nil, name: function.name, arguments: try parts.map(expression)))
        return try node(call, at: offset, over: parts)
    }

    private func constantText(in node: Node) throws -> String? {
        guard case .constant(let value) = try expression(in: node).kind else { return nil }
        return PredicateValue(value).text
    }
}

extension NSExpression {
    /// Whether it is a constant other than an object.
    fileprivate var isValue: Bool {
        guard case .constant(let value) = kind else { return false }
        switch PredicateValue(value) {
        case .absent, .identity, .other: return false
        default: return true
        }
    }
}
