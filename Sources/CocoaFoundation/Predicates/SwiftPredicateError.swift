/// A part of Swift's `Predicate` or `Expression` that `NSPredicate` or `NSExpression` cannot express.
///
/// `NSPredicate(converting:)` and `NSExpression(converting:)` throw it, for instance for a key path without a key, a constant of a type
/// that predicates cannot compare, or the characters of a string.
///
/// ```swift
/// do {
///     request.predicate = try NSPredicate(converting: #Predicate<Book> { $0.title.contains("Emma") })
/// } catch let error as SwiftPredicateError {
///     print(error.description)
/// }
/// ```
///
/// The first such part is reported. `NSPredicate(_:)` does not throw; a fetch with its predicate fails with the same sentence (134060).
public struct SwiftPredicateError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
    /// A sentence that names what has no equivalent.
    public let description: String

    /// The sentence, for `localizedDescription`.
    public var errorDescription: String? { description }

    init(_ description: String) { self.description = description }
}
