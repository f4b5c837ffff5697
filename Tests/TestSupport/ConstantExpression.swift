import Foundation

/// A value in a predicate of Swift's that cannot be coded, as an `Expression` cannot on Linux, where Foundation's own
/// constants want it.
package struct ConstantExpression<Output: Sendable>: StandardPredicateExpression {
    private let constant: Output

    package init(_ constant: Output) { self.constant = constant }

    package func evaluate(_ bindings: PredicateBindings) throws -> Output { constant }

    package init(from decoder: any Decoder) throws {
        throw DecodingError.dataCorrupted(
            DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "It is not coded."))
    }

    package func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(
            constant,
            EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "It is not coded."))
    }
}
