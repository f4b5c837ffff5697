/// Why a `Predicate` or an `Expression` of Swift has no equivalent `NSPredicate` or `NSExpression`.
public struct SwiftPredicateError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
    /// A sentence that names what has no equivalent.
    public let description: String

    /// The sentence, for `localizedDescription`.
    public var errorDescription: String? { description }

    init(_ description: String) { self.description = description }
}
