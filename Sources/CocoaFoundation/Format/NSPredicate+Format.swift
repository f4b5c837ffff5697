/// Gives `NSPredicate` its initialisers for format strings.
///
/// Only an initialiser in a protocol extension may put another object, here one of a subclass, in the place
/// of `self`. `NSPredicate` is the only type that conforms.
public protocol _PredicateFormatParsing {}

extension NSPredicate: _PredicateFormatParsing {}

extension _PredicateFormatParsing {
    /// Makes a predicate from a format string and its arguments.
    ///
    /// The language is that of Apple's *Predicate Format String Syntax*.
    ///
    /// - Precondition: the string is well formed and has as many arguments as it requires. For text that
    ///   users write, use ``init(parsing:arguments:)``.
    public init(format predicateFormat: String, _ args: any CVarArg...) {
        self = Self.predicate(format: predicateFormat, args)
    }

    /// Makes a predicate from a format string and an array of arguments; `NSNull` stands for no value.
    ///
    /// - Precondition: the string is well formed and has as many arguments as it requires.
    public init(format predicateFormat: String, argumentArray arguments: [Any]?) {
        self = Self.predicate(format: predicateFormat, arguments ?? [])
    }

    /// Makes a predicate from text that a user wrote.
    ///
    /// - Throws: ``PredicateFormatError``, with the column of the mistake. A regular expression in the text
    ///   that is not valid is one, too.
    public init(parsing predicateFormat: String, arguments: [Any?] = []) throws {
        var parser = try FormatParser(predicateFormat, arguments: arguments, checksPatterns: true)
        self = Self.own(try parser.parsePredicate())
    }

    private static func predicate(format: String, _ arguments: [Any]) -> Self {
        do {
            return own(try FormatTemplates.predicate(format, arguments))
        } catch {
            fatalError("\(error)")
        }
    }

    private static func own(_ predicate: NSPredicate) -> Self {
        guard let own = predicate as? Self else {
            fatalError("The predicate \(predicate.formatString) is not a \(Self.self)")
        }
        return own
    }
}
