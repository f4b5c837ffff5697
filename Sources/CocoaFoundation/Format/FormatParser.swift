/// Reads a format string: one predicate or one expression.
///
/// Predicates and expressions share one grammar of operators, read by precedence climbing: whether what
/// stands in parentheses is a predicate or a value is known only at its end, and reading it twice would take
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
        guard token.kind == .end else {
            throw error("The text should end here, before \(token.description).")
        }
        guard arguments.taken == arguments.count else {
            throw error(
                "There are too many arguments: \(arguments.count), of which \(arguments.taken) are used.")
        }
    }

    // MARK: Tokens

    mutating func advance() throws {
        do {
            token = try lexer.next()
        } catch let failure as Lexer.Failure {
            throw error(failure.reason, at: failure.offset)
        }
    }

    /// The token after the present one.
    func peek() throws -> Token {
        var copy = self
        try copy.advance()
        return copy.token
    }

    /// Whether the present token is a symbol.
    func isAt(_ symbol: Token.Symbol) -> Bool {
        token.kind == .symbol(symbol)
    }

    /// Reads a symbol that must stand here.
    mutating func read(_ symbol: Token.Symbol) throws {
        guard isAt(symbol) else {
            throw error("Expected \"\(symbol.rawValue)\" and found \(token.description).")
        }
        try advance()
    }

    func error(_ reason: String, at offset: Int? = nil) -> PredicateFormatError {
        PredicateFormatError(format: format, offset: offset ?? token.offset, reason: reason)
    }

    // MARK: What was read

    /// A predicate or an expression.
    struct Node {
        enum Content {
            case predicate(NSPredicate)
            case expression(NSExpression)
        }

        var content: Content
        /// Where it begins.
        let offset: Int
        /// How deep the tree is.
        var depth = 1
        /// Whether it stood in parentheses: `a AND (b AND c)` keeps its structure.
        var isParenthesised = false
    }

    func predicate(in node: Node) throws -> NSPredicate {
        guard case .predicate(let predicate) = node.content else {
            throw error("A value stands where a condition is expected.", at: node.offset)
        }
        return predicate
    }

    func expression(in node: Node) throws -> NSExpression {
        guard case .expression(let expression) = node.content else {
            throw error("A condition stands where a value is expected.", at: node.offset)
        }
        return expression
    }

    /// A node made of others, if it is not too deep.
    func node(_ content: Node.Content, at offset: Int, over parts: [Node]) throws -> Node {
        let depth = (parts.map(\.depth).max() ?? 0) + 1
        if depth > FormatParser.depthLimit { throw tooDeep(at: offset) }
        return Node(content: content, offset: offset, depth: depth)
    }

    /// Reads a part that may contain parts of its own kind.
    mutating func nested<Result>(_ body: (inout FormatParser) throws -> Result) throws -> Result {
        if depth >= FormatParser.depthLimit { throw tooDeep(at: token.offset) }
        depth += 1
        defer { depth -= 1 }
        return try body(&self)
    }

    private func tooDeep(at offset: Int) -> PredicateFormatError {
        error("The text is nested deeper than \(FormatParser.depthLimit) levels.", at: offset)
    }
}
