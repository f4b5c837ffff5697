/// Reads a format string: one predicate or one expression.
///
/// Predicates and expressions share one grammar of operators, read by precedence climbing: whether what
/// is in parentheses is a predicate or a value is known only at its end, and reading it twice would take
/// exponential time for nested parentheses. Which of the two a place takes is checked where it is used.
///
/// Reading takes time linear to the length of the string, and its depth is bounded, so that no text of a user
/// can hold or crash the process.
struct FormatParser {
    /// The longest format string, in bytes.
    static let sizeLimit = 1 << 20
    /// How deep operators and parentheses may nest, and how deep the expression that is made of them may be:
    /// reading, evaluating, printing and releasing it are recursive.
    static let depthLimit = 500

    let format: String
    /// Whether a constant regular expression must be valid.
    let checksPatterns: Bool
    var arguments: FormatArguments

    private var lexer: Lexer
    private(set) var token = Token(kind: .end, offset: 0)
    private var depth = 0

    /// - Throws: ``PredicateFormatError``.
    init(_ format: String, arguments: [Any?], checksPatterns: Bool) throws {
        self.format = format
        self.checksPatterns = checksPatterns
        self.arguments = FormatArguments(arguments)
        lexer = Lexer(format)
        if format.utf8.count > FormatParser.sizeLimit {
            throw PredicateFormatError(
                format: String(format.prefix(1_000)), offset: 0,
                reason: "The string is longer than \(FormatParser.sizeLimit) bytes.")
        }
        try advance()
    }

    /// Reads the whole string as a predicate.
    ///
    /// - Throws: ``PredicateFormatError``.
    mutating func parsePredicate() throws -> NSPredicate {
        let predicate = try predicate(in: readOperators(from: .or))
        try readEnd()
        return predicate
    }

    /// Reads the whole string as an expression.
    ///
    /// - Throws: ``PredicateFormatError``.
    mutating func parseExpression() throws -> NSExpression {
        let expression = try expression(in: readOperators(from: .or))
        try readEnd()
        return expression
    }

    private func readEnd() throws {
        if token.kind != .end { try fail("Expected the end of the text and found \(token.description).") }
        if arguments.taken != arguments.count {
            try fail(
                "There are too many arguments: \(arguments.count), of which \(arguments.taken) are used.")
        }
    }

    // MARK: Tokens

    mutating func advance() throws {
        do {
            token = try lexer.next()
        } catch let failure as Lexer.Failure {
            try fail(failure.reason, at: failure.offset)
        }
    }

    /// The kind of the token after the present one.
    func peek() throws -> Token.Kind {
        var copy = self
        try copy.advance()
        return copy.token.kind
    }

    /// Whether the present token is a symbol.
    func isAt(_ symbol: Token.Symbol) -> Bool {
        token.kind == .symbol(symbol)
    }

    /// The present token's word in upper case.
    var keyword: String? {
        if case .word(let word) = token.kind { ReservedWords.folded(word) } else { nil }
    }

    /// Reads a symbol that must be here.
    mutating func read(_ symbol: Token.Symbol) throws {
        if !isAt(symbol) { try failExpecting("\"\(symbol.rawValue)\"") }
        try advance()
    }

    // MARK: Errors

    /// Reports a mistake at an offset, or at the present token.
    ///
    /// Errors are made here and not where they are found: their values would make the stack frames of the
    /// recursive functions several times as large.
    func fail(_ reason: String, at offset: Int? = nil) throws -> Never {
        throw PredicateFormatError(format: format, offset: offset ?? token.offset, reason: reason)
    }

    func failExpecting(_ wanted: String) throws -> Never {
        try fail("Expected \(wanted) and found \(token.description).")
    }

    private func failTooDeep(at offset: Int) throws -> Never {
        try fail("The text is nested deeper than \(FormatParser.depthLimit) levels.", at: offset)
    }

    // MARK: What was read

    /// A predicate or an expression.
    final class Node {
        enum Content {
            case predicate(NSPredicate)
            case expression(NSExpression)
        }

        let content: Content
        /// Where it begins.
        let offset: Int
        /// How deep the tree is.
        let depth: Int

        init(_ content: Content, at offset: Int, depth: Int = 1) {
            self.content = content
            self.offset = offset
            self.depth = depth
        }

        convenience init(_ expression: NSExpression, at offset: Int) {
            self.init(.expression(expression), at: offset)
        }
    }

    func predicate(in node: Node) throws -> NSPredicate {
        guard case .predicate(let predicate) = node.content else {
            try fail("Expected a condition and found a value.", at: node.offset)
        }
        return predicate
    }

    func expression(in node: Node) throws -> NSExpression {
        guard case .expression(let expression) = node.content else {
            try fail("Expected a value and found a condition.", at: node.offset)
        }
        return expression
    }

    /// A node made of others, if it is not too deep.
    func node(_ content: Node.Content, at offset: Int, over parts: [Node]) throws -> Node {
        let depth = (parts.lazy.map(\.depth).max() ?? 0) + 1
        if depth > FormatParser.depthLimit { try failTooDeep(at: offset) }
        return Node(content, at: offset, depth: depth)
    }

    func node(_ expression: NSExpression, at offset: Int, over parts: [Node]) throws -> Node {
        try node(.expression(expression), at: offset, over: parts)
    }

    func node(_ predicate: NSPredicate, at offset: Int, over parts: [Node]) throws -> Node {
        try node(.predicate(predicate), at: offset, over: parts)
    }

    /// Begins to read a part that may contain parts of its own kind.
    mutating func enter() throws {
        if depth >= FormatParser.depthLimit { try failTooDeep(at: token.offset) }
        depth += 1
    }

    mutating func leave() {
        depth -= 1
    }
}
