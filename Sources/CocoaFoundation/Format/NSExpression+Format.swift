/// Gives `NSExpression` its initialisers for format strings.
///
/// Only an initialiser in a protocol extension may put another object in the place of `self`: an argument
/// `%@` that is an expression itself, or Core Data's fetch request expression. `NSExpression` is the only
/// type that conforms.
public protocol ExpressionFormatParsing {}

extension NSExpression: ExpressionFormatParsing {}

extension ExpressionFormatParsing {
    /// Makes an expression from a format string and its arguments.
    ///
    /// - Precondition: the string is well formed and has as many arguments as it asks for. For text that
    ///   users write, use ``init(parsing:arguments:)``.
    public init(format expressionFormat: String, _ args: any CVarArg...) {
        fatalError("not yet written")
    }

    /// Makes an expression from a format string and an array of arguments.
    ///
    /// - Precondition: the string is well formed and has as many arguments as it asks for.
    public init(format expressionFormat: String, argumentArray arguments: [Any]) {
        fatalError("not yet written")
    }

    /// Makes an expression from text that a user wrote.
    ///
    /// - Throws: ``PredicateFormatError``, with the column of the mistake.
    public init(parsing expressionFormat: String, arguments: [Any?] = []) throws {
        fatalError("not yet written")
    }
}
