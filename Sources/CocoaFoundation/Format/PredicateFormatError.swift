/// What is wrong with a predicate's or an expression's format string, and where.
public struct PredicateFormatError: Error, LocalizedError, CustomStringConvertible, Sendable, Hashable {
    /// The format string.
    public let format: String
    /// The character where the error was noticed, counted from 1.
    public let column: Int
    /// What is wrong, without the string.
    public let reason: String

    /// The reason, the string and a caret under the column.
    public var description: String { fatalError("not yet written") }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}
