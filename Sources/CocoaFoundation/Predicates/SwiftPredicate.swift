/// A predicate of Swift's that has no equivalent in the language of `NSPredicate`: Swift's own code evaluates it.
final class SwiftPredicate: NSPredicate, DescribedPredicate {
    /// Why there is no equivalent.
    private let reason: String
    private let evaluation: (Any) throws -> Bool

    init<Input>(_ predicate: Predicate<Input>, reason: SwiftPredicateError) {
        self.reason = reason.description
        evaluation = { object in
            guard let input = object as? Input else {
                throw PredicateEvaluationError(
                    .predicate,
                    "A Predicate<\(Input.self)> is about objects of this type, not of \(type(of: object)). \(reason)"
                )
            }
            do {
                return try predicate.evaluate(input)
            } catch {
                throw PredicateEvaluationError(.values, "\(error)")
            }
        }
        super.init(block: { _, _ in false })
    }

    /// Whether the predicate holds for an object; for none it does not.
    ///
    /// - Throws: ``PredicateEvaluationError`` for an object of another type, and when Swift's code throws, as at an index
    ///   that is out of bounds.
    func holds(for object: Any?) throws -> Bool {
        try presentValue(object).map(evaluation) ?? false
    }

    override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        evaluateOrStop(with: object, bindings)
    }

    /// The text: a store that refuses the predicate says with it why there is no other.
    package var text: String { "BLOCKPREDICATE(\(reason))" }

    override var predicateFormat: String { text }
    override var description: String { text }

    override func isEqual(_ object: Any?) -> Bool { self === object as AnyObject? }
    override var hash: Int { ObjectIdentifier(self).hashValue }

    override func copy() -> Any { self }
    override func copy(with zone: NSZone? = nil) -> Any { self }
}

/// A predicate that code evaluates, and that has a text nevertheless.
package protocol DescribedPredicate: NSPredicate {
    /// What stands for it in the format of a predicate that it is a part of.
    var text: String { get }
}

/// A predicate that may turn out not to be one that can be evaluated.
package protocol CheckedPredicate: NSPredicate {
    /// - Throws: why it cannot be evaluated.
    func check() throws
}

extension NSPredicate {
    /// Whether only Swift's own code can evaluate the predicate.
    package var isOfSwiftAlone: Bool { self is SwiftPredicate }
}
