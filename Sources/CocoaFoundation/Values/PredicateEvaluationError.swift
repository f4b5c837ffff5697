/// The reason for which a predicate or an expression has no value for an object.
///
/// Apple's framework raises an exception in these cases, which Swift code cannot catch. Here the throwing
/// `matches(_:substitutionVariables:)` and ``NSExpression/value(with:context:)`` report them:
///
/// ```swift
/// let predicate = try NSPredicate(parsing: "title MATCHES[c] $pattern")
/// let isMatch = try predicate.matches(book, substitutionVariables: ["pattern": "em.*"])
/// ```
///
/// `cause` says whether the predicate itself is at fault, so that no object can be evaluated, or the values of this object.
public struct PredicateEvaluationError: Error, LocalizedError, CustomStringConvertible, Sendable, Hashable {
    /// Whether another object can have a value (`values`) or none can (`predicate`).
    public enum Cause: Sendable, Hashable {
        /// The predicate itself cannot be evaluated: a variable has no value, a function is not known, the
        /// left side of `ANY` or `ALL` is not a collection, a key is not known.
        case predicate
        /// The values do not fit: a function cannot take its argument, a regular expression is not valid or
        /// takes too long.
        case values
    }

    /// What kind of mistake it is.
    public let cause: Cause
    /// What is wrong, in a sentence for a person.
    public let reason: String

    /// Whether a regular expression is to blame, which no other value would change.
    let isOfPattern: Bool

    package init(_ cause: Cause, _ reason: String, isOfPattern: Bool = false) {
        self.cause = cause
        self.reason = reason
        self.isOfPattern = isOfPattern
    }

    /// The reason.
    public var description: String { reason }
    /// The reason.
    public var errorDescription: String? { reason }
}
