extension FormatParser {
    /// Reads a call whose arguments are not all expressions; `nil` when the word is none of these.
    mutating func readSpecialCall(_ word: String) throws -> Node? {
        let offset = token.offset
        switch word {
        case "SUBQUERY": return try readSubquery(at: offset)
        case "TERNARY": return try readConditional(at: offset)
        case "FUNCTION": return try readMethodCall(at: offset)
        case "CAST": return try readConversion(at: offset)
        case "FETCH": return try readFetch(at: offset)
        default: return nil
        }
    }

    private mutating func readSubquery(at offset: Int) throws -> Node {
        try readCallStart()
        let collection = try readExpression()
        try read(.comma)
        guard case .variable(let variable) = token.kind else {
            throw error("Expected a variable such as $x and found \(token.description).")
        }
        try advance()
        try read(.comma)
        let condition = try readOperators(from: .or)
        try read(.rightParenthesis)
        let subquery = NSExpression(
            forSubquery: try expression(in: collection), usingIteratorVariable: variable,
            predicate: try predicate(in: condition))
        return try node(.expression(subquery), at: offset, over: [collection, condition])
    }

    private mutating func readConditional(at offset: Int) throws -> Node {
        try readCallStart()
        let condition = try readOperators(from: .or)
        try read(.comma)
        let trueValue = try readExpression()
        try read(.comma)
        let falseValue = try readExpression()
        try read(.rightParenthesis)
        let conditional = NSExpression(
            forConditional: try predicate(in: condition), trueExpression: try expression(in: trueValue),
            falseExpression: try expression(in: falseValue))
        return try node(.expression(conditional), at: offset, over: [condition, trueValue, falseValue])
    }

    private mutating func readMethodCall(at offset: Int) throws -> Node {
        try advance()
        let parts = try readList(.leftParenthesis, .rightParenthesis)
        guard parts.count >= 2, let name = try constantText(in: parts[1]) else {
            throw error("FUNCTION needs a receiver and the name of a method as a string.", at: offset)
        }
        let target = try expression(in: parts[0])
        let values = try parts.dropFirst(2).map(expression)
        let call: NSExpression
        if let path = try keyPath(read: name, parts) {
            call = NSExpression(kind: .keyPath(operand: target, path: path))
        } else {
            call = NSExpression(kind: .function(target: target, name: name, arguments: values))
        }
        return try node(.expression(call), at: offset, over: parts)
    }

    /// The key path that the methods of key-value coding read: such calls are key paths, and how keys are
    /// written that are no identifiers.
    private func keyPath(read method: String, _ parts: [Node]) throws -> String? {
        guard parts.count == 3, let path = try constantText(in: parts[2]), !path.isEmpty else { return nil }
        let isKey = method == "valueForKey:" && !path.contains(".")
        return isKey || method == "valueForKeyPath:" ? path : nil
    }

    private mutating func readConversion(at offset: Int) throws -> Node {
        try advance()
        let parts = try readList(.leftParenthesis, .rightParenthesis)
        guard parts.count == 2 else { throw error("CAST needs a value and the name of a type.", at: offset) }
        let values = try parts.map(expression)
        if let typeName = try constantText(in: parts[1]) {
            guard ValueConversion.typeNames.contains(typeName) else {
                let known = ValueConversion.typeNames.sorted().joined(separator: ", ")
                throw error(
                    "CAST does not know the type \"\(typeName)\"; known are \(known).", at: parts[1].offset)
            }
            // A converted literal is a literal: it is how dates and identifiers are written.
            if case .constant(let literal) = values[0].kind,
                let value = try ValueConversion.value(literal, ofTypeNamed: typeName)
            {
                return leaf(NSExpression(forConstantValue: value), at: offset)
            }
        }
        let conversion = NSExpression(
            kind: .function(target: nil, name: "castObject:toType:", arguments: values))
        return try node(.expression(conversion), at: offset, over: parts)
    }

    private mutating func readFetch(at offset: Int) throws -> Node {
        try advance()
        let parts = try readList(.leftParenthesis, .rightParenthesis)
        guard parts.count == 3 else {
            throw error("FETCH needs a fetch request, a context and whether to count.", at: offset)
        }
        guard let factory = FetchExpressions.factory else {
            throw error("FETCH needs Core Data, which has not been used yet.", at: offset)
        }
        let values = try parts.map(expression)
        do {
            return try node(.expression(factory(values[0], values[1], values[2])), at: offset, over: parts)
        } catch let failure as PredicateFormatError {
            throw failure
        } catch let failure {
            throw error("FETCH: \(failure)", at: offset)
        }
    }

    /// Reads a call of a builtin function: `now()`, `abs:(x)`, `add:to:(a, b)`.
    mutating func readFunctionCall() throws -> Node {
        let offset = token.offset
        var name = ""
        while case .word(let part) = token.kind {
            name += part
            try advance()
            guard isAt(.colon) else { break }
            name += ":"
            try advance()
        }
        guard isAt(.leftParenthesis) else {
            throw error("Expected \"(\" after the function \(name) and found \(token.description).")
        }
        guard let function = FunctionTable.function(named: name) else {
            throw error("There is no function \(name).", at: offset)
        }
        let parts = try readList(.leftParenthesis, .rightParenthesis)
        guard function.arity.contains(parts.count) else {
            let wanted =
                function.arity.lowerBound == 1 ? "1 argument" : "\(function.arity.lowerBound) arguments"
            throw error(
                "The function \(function.name) takes \(wanted), and got \(parts.count).", at: offset)
        }
        let call = NSExpression(
            kind: .function(target: nil, name: function.name, arguments: try parts.map(expression)))
        return try node(.expression(call), at: offset, over: parts)
    }

    private mutating func readCallStart() throws {
        try advance()
        try read(.leftParenthesis)
    }

    private func constantText(in node: Node) throws -> String? {
        guard case .constant(let value) = try expression(in: node).kind else { return nil }
        return PredicateValue(value).text
    }
}
