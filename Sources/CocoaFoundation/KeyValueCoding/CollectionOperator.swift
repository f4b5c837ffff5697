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

    /// Whether the result is a collection.
    package var isUnion: Bool {
        switch self {
        case .count, .sum, .average, .minimum, .maximum: false
        case .unionOfObjects, .distinctUnionOfObjects, .unionOfArrays, .distinctUnionOfArrays, .unionOfSets,
            .distinctUnionOfSets:
            true
        }
    }

    /// The operator's result.
    ///
    /// - Parameters:
    ///   - collection: what precedes the operator.
    ///   - path: the path that the operator is a part of.
    ///   - index: where the path goes on, which is read from each element.
    ///   - way: how the path came to the elements.
    func value(
        of collection: any ValueCollection, rest path: KeyPathSteps, from index: Int, on way: CollectionDepth
    ) throws -> Any? {
        func values(of elements: any ValueCollection) throws -> [Any] {
            try elements.collectionElements.compactMap { element in
                presentValue(try path.value(of: element, from: index, on: way))
            }
        }
        func innerValues() throws -> [Any] { try collections(in: collection).flatMap(values) }

        switch self {
        case .count:
            return collection.collectionCount
        case .sum:
            return try Statistics.sum(numbers(values(of: collection))).any
        case .average:
            return try Statistics.average(numbers(values(of: collection)))?.any ?? 0
        case .minimum:
            return try Statistics.minimum(flattened(values(of: collection)))
        case .maximum:
            return try Statistics.maximum(flattened(values(of: collection)))
        case .unionOfObjects:
            return try values(of: collection)
        case .distinctUnionOfObjects:
            let values = try values(of: collection)
            return collection.collectionKind == .set ? distinctSet(values) : distinctValues(values)
        case .unionOfArrays, .unionOfSets:
            return try innerValues()
        case .distinctUnionOfArrays:
            return distinctValues(try innerValues())
        case .distinctUnionOfSets:
            return distinctSet(try innerValues())
        }
    }

    /// The elements, which are collections themselves.
    private func collections(in collection: any ValueCollection) throws -> [any ValueCollection] {
        try collection.collectionElements.map { element in
            guard let inner = presentValue(element) as? any ValueCollection else {
                throw PredicateEvaluationError(
                    .values, "\(rawValue) needs a collection of collections, but got \(described(element)).")
            }
            return inner
        }
    }

    /// The values; where those are collections, their elements.
    private func flattened(_ values: [Any]) -> [Any] {
        values.flatMap { value -> [Any] in
            guard let inner = value as? any ValueCollection else { return [value] }
            return flattened(inner.collectionElements.compactMap(presentValue))
        }
    }

    func numbers(_ values: [Any]) throws -> [Number] {
        try flattened(values).map { value in
            guard let number = Number(value) else {
                throw PredicateEvaluationError(
                    .values, "\(rawValue) needs numbers, but got \(described(value)).")
            }
            return number
        }
    }
}
