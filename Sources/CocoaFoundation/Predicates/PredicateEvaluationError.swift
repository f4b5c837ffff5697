/// Why a predicate or an expression has no value for an object.
public struct PredicateEvaluationError: Error, Sendable, Hashable {
    /// What is wrong, in a sentence for a person.
    public let reason: String
}
