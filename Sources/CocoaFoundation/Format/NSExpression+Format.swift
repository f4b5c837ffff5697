/// Gives `NSExpression` its initialisers for format strings.
///
/// Only an initialiser in a protocol extension may put another object in place of `self`: an argument
/// `%@` that is an expression itself, or Core Data's fetch request expression. `NSExpression` is the only
/// type that conforms.
public protocol _ExpressionFormatParsing {}

extension NSExpression: _ExpressionFormatParsing {}

extension _ExpressionFormatParsing {
    /// Makes an expression from a format string and its arguments.
    ///
    /// - Precondition: the string is well formed and has as many arguments as it requires. For text that
    ///   users write, use ``init(parsing:arguments:)``.
    public init(format expressionFormat: String, _ args: any CVarArg...) {
        self = Self.expression(format: expressionFormat, args)
    }

    /// Makes an expression from a format string and an array of arguments; `NSNull` stands for no value.
    ///
    /// - Precondition: the string is well formed and has as many arguments as it requires.
    public init(format expressionFormat: String, argumentArray arguments: [Any]) {
        self = Self.expression(format: expressionFormat, arguments)
    }

    /// Makes an expression from text that a user wrote.
    ///
    /// - Throws: ``PredicateFormatError``, with the column of the mistake.
    public init(parsing expressionFormat: String, arguments: [Any?] = []) throws {
        var parser = try FormatParser(expressionFormat, arguments: arguments, checksPatterns: true)
        self = Self.own(try parser.parseExpression())
    }

    private static func expression(format: String, _ arguments: [Any]) -> Self {
        do {
            var parser = try FormatParser(format, arguments: arguments, checksPatterns: false)
            return own(try parser.parseExpression())
        } catch {
            fatalError("\(error)")
        }
    }

    private static func own(_ expression: NSExpression) -> Self {
        guard let own = expression as? Self else {
            fatalError("The expression \(expression) is not a \(Self.self)")
        }
        return own
    }
}
