/// The operators of key paths that work on a collection.
package enum CollectionOperator: String, Sendable, CaseIterable {
    case count = "@count"
    case sum = "@sum"
    case average = "@avg"
    case minimum = "@min"
    case maximum = "@max"
    case unionOfObjects = "@unionOfObjects"
    case distinctUnionOfObjects = "@distinctUnionOfObjects"
    case unionOfArrays = "@unionOfArrays"
    case distinctUnionOfArrays = "@distinctUnionOfArrays"
    case unionOfSets = "@unionOfSets"
    case distinctUnionOfSets = "@distinctUnionOfSets"

    /// The operator's result.
    ///
    /// - Parameters:
    ///   - collection: what stands before the operator.
    ///   - path: the path that the operator is a part of.
    ///   - index: where the path goes on, which is read from each element.
    func value(of collection: any ValueCollection, rest path: KeyPathSteps, from index: Int) throws -> Any? {
        switch self {
        case .count:
            return collection.collectionCount
        case .sum:
            return try Statistics.sum(numbers(of: collection, path, index)).any
        case .average:
            return try Statistics.average(numbers(of: collection, path, index))?.any ?? 0
        case .minimum:
            return try Statistics.minimum(values(of: collection, path, index))
        case .maximum:
            return try Statistics.maximum(values(of: collection, path, index))
        case .unionOfObjects:
            return try elementValues(of: collection, path, index)
        case .distinctUnionOfObjects:
            let values = try elementValues(of: collection, path, index)
            return collection.collectionKind == .set ? distinctSet(values) : distinctValues(values)
        case .unionOfArrays, .unionOfSets:
            return try innerValues(of: collection, path, index)
        case .distinctUnionOfArrays:
            return distinctValues(try innerValues(of: collection, path, index))
        case .distinctUnionOfSets:
            return distinctSet(try innerValues(of: collection, path, index))
        }
    }

    /// The value of each element that has one.
    private func elementValues(
        of collection: any ValueCollection, _ path: KeyPathSteps, _ index: Int
    ) throws -> [Any] {
        try collection.collectionElements.compactMap { element in
            presentValue(try path.value(of: element, from: index))
        }
    }

    /// The values of the elements of the elements.
    private func innerValues(
        of collection: any ValueCollection, _ path: KeyPathSteps, _ index: Int
    ) throws -> [Any] {
        try collection.collectionElements.flatMap { element in
            guard let inner = presentValue(element) as? any ValueCollection else {
                throw PredicateEvaluationError(
                    .values, "\(rawValue) needs a collection of collections, and got \(described(element)).")
            }
            return try elementValues(of: inner, path, index)
        }
    }

    /// The values of the elements; where those are collections, their elements.
    private func values(
        of collection: any ValueCollection, _ path: KeyPathSteps, _ index: Int
    ) throws -> [Any] {
        flattened(try elementValues(of: collection, path, index))
    }

    private func flattened(_ values: [Any]) -> [Any] {
        values.flatMap { value -> [Any] in
            guard let inner = value as? any ValueCollection else { return [value] }
            return flattened(inner.collectionElements.compactMap(presentValue))
        }
    }

    private func numbers(
        of collection: any ValueCollection, _ path: KeyPathSteps, _ index: Int
    ) throws -> [Number] {
        try values(of: collection, path, index).map { value in
            guard let number = Number(value) else {
                throw PredicateEvaluationError(
                    .values, "\(rawValue) needs numbers, and got \(described(value)).")
            }
            return number
        }
    }
}
