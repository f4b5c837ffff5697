/// Gives `NSPredicate` its initialisers for format strings.
///
/// Only an initialiser in a protocol extension may put another object, here one of a subclass, in the place
/// of `self`. `NSPredicate` is the only type that conforms.
public protocol PredicateFormatParsing {}

extension NSPredicate: PredicateFormatParsing {}

extension PredicateFormatParsing {
    /// Makes a predicate from a format string and its arguments.
    ///
    /// - Precondition: the string is well formed and has as many arguments as it asks for. For text that
    ///   users write, use ``init(parsing:arguments:)``.
    public init(format predicateFormat: String, _ args: any CVarArg...) {
        fatalError("not yet written")
    }

    /// Makes a predicate from a format string and an array of arguments.
    ///
    /// - Precondition: the string is well formed and has as many arguments as it asks for.
    public init(format predicateFormat: String, argumentArray arguments: [Any]?) {
        fatalError("not yet written")
    }

    /// Makes a predicate from text that a user wrote.
    ///
    /// - Throws: ``PredicateFormatError``, with the column of the mistake.
    public init(parsing predicateFormat: String, arguments: [Any?] = []) throws {
        fatalError("not yet written")
    }
}
