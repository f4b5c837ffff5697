/// The index expressions `[FIRST]`, `[LAST]`, `[SIZE]` and `[n]`.
enum ElementAccess {
    /// An element of a collection; `nil` when the index has none.
    ///
    /// - Parameter index: a number counted from 0, a key of a dictionary, or an ``NSExpression/Symbol``.
    /// - Throws: ``PredicateEvaluationError`` when the value has no elements or they have no order.
    static func element(of value: Any?, at index: Any?) throws -> Any? {
        guard let value = presentValue(value), let index = presentValue(index) else { return nil }
        guard let collection = value as? any ValueCollection else {
            throw PredicateEvaluationError(
                .values, "An index needs a collection, but got \(described(value)).")
        }
        if let symbol = index as? NSExpression.Symbol, symbol == .size { return collection.collectionCount }
        switch collection.collectionKind {
        case .dictionary:
            return (value as? any KeyedCollection)?.value(of: index)
        case .set:
            throw PredicateEvaluationError(.values, "A set is not ordered, so its elements have no indexes.")
        case .array, .orderedSet:
            break
        }
        let elements = collection.collectionElements
        switch index as? NSExpression.Symbol {
        case .first: return elements.first
        case .last: return elements.last
        default: break
        }
        guard let position = ElementPosition.of(index) else {
            throw PredicateEvaluationError(.values, "\(described(index)) is not an index.")
        }
        return elements.indices.contains(Int(position)) ? elements[Int(position)] : nil
    }
}

/// The position of an element in a collection, counted from 0.
package enum ElementPosition {
    /// The position that an index stands for: a number without its fraction; nil for other values.
    package static func of(_ index: Any?) -> Int64? { Number(index)?.truncated }
}
