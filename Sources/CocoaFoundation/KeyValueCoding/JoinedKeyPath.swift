/// A key path that is read as a store joins tables for it.
///
/// Where `KeyPathSteps` gives a collection of collections, and leaves out what has no value, a join has one row for each
/// way to the end of the path, also for one that ends at nothing. Operators add up rows.
struct JoinedKeyPath {
    private let steps: [KeyPathSteps.Step]

    /// What a path leads to.
    private enum Found {
        /// The only value, over no collection.
        case one(Any?)
        /// One value for each row.
        case rows([Any?])

        var rows: [Any?]? {
            if case .rows(let rows) = self { rows } else { nil }
        }

        /// The same with each object once, and with one row for nothing; other values as they are.
        var distinct: Found {
            guard case .rows(let rows) = self else { return self }
            var seen: Set<ObjectIdentifier> = []
            var hasNothing = false
            return .rows(
                rows.filter { row in
                    guard let row else {
                        defer { hasNothing = true }
                        return !hasNothing
                    }
                    guard type(of: row) is AnyClass else { return true }
                    return seen.insert(ObjectIdentifier(row as AnyObject)).inserted
                })
        }
    }

    init(_ path: KeyPathSteps) { steps = path.steps }

    /// The value; of a path over a collection the values that are there, as an array.
    ///
    /// - Throws: `PredicateEvaluationError` when a step leads to an object that has no such key.
    func value(of object: Any?) throws -> Any? {
        switch try follow(Self.found(object), from: 0) {
        case .one(let value): value
        case .rows(let rows): rows.compactMap(StoredValue.kept)
        }
    }

    /// The values to which the path leads over collections; nil when it leads over none, and no rows when there is nothing
    /// before the first.
    ///
    /// They say what there is, and not how often: an object from which the path goes on is one, however many ways lead to
    /// it. Objects that refer to each other in circles have few at any distance, but many ways to them.
    ///
    /// - Throws: as `value(of:)`.
    func rows(of object: Any?) throws -> [Any?]? {
        switch try follow(Self.found(object), from: 0, isDistinct: !hasOperator) {
        case .one(nil): []
        case .one: nil
        case .rows(let rows): rows
        }
    }

    /// The collection at the end of the path, for an index to count in; nil when something is missing on the way.
    ///
    /// - Throws: `PredicateEvaluationError` for a collection without an order, and for a path over another one.
    func orderedCollection(of object: Any?) throws -> Any? {
        var current = presentValue(object)
        for step in steps {
            guard let object = current else { return nil }
            switch step {
            case .evaluatedObject: continue
            case .key(let key) where KeyPathSteps.collection(object) == nil:
                current = presentValue(try KeyPathSteps.property(key, of: object))
            case .key, .collection: throw Self.noOrder
            }
        }
        if let collection = current.flatMap(KeyPathSteps.collection), !collection.collectionKind.isOrdered {
            throw Self.noOrder
        }
        return current
    }

    /// The error for an index into what has no order.
    static let noOrder = PredicateEvaluationError(
        .predicate, "An index needs an ordered to-many relationship at the end of a key path.")

    private static func found(_ value: Any?) -> Found {
        guard let value = presentValue(value) else { return .one(nil) }
        guard let collection = KeyPathSteps.collection(value) else { return .one(value) }
        return .rows(collection.collectionElements.map(presentValue))
    }

    private var hasOperator: Bool {
        steps.contains { if case .collection = $0 { true } else { false } }
    }

    private func follow(_ start: Found, from index: Int, isDistinct: Bool = false) throws -> Found {
        var found = start
        // The elements of the first collection are not many times the same.
        var isBehindMany = false
        for index in index..<max(index, steps.endIndex) {
            switch steps[index] {
            case .evaluatedObject:
                continue
            case .key(let key):
                let isOfMany = found.rows != nil
                found = try next(isDistinct && isBehindMany ? found.distinct : found, key)
                isBehindMany = isOfMany
            case .collection(let operation):
                let rows = try found.rows ?? Self.noRows(found, operation)
                return .one(try value(of: operation, rows, from: index + 1))
            }
        }
        return found
    }

    /// No rows for nothing: there is no collection to ask, and none is counted.
    private static func noRows(_ found: Found, _ operation: CollectionOperator) throws -> [Any?] {
        guard case .one(let value?) = found else { return [] }
        throw PredicateEvaluationError(
            .predicate, "\(operation.rawValue) needs a collection, but got \(described(value)).")
    }

    private func next(_ found: Found, _ key: String) throws -> Found {
        switch found {
        case .one(nil): return found
        case .one(let object?): return Self.found(try KeyPathSteps.property(key, of: object))
        case .rows(let rows):
            var values: [Any?] = []
            for row in rows {
                guard let row else {
                    values.append(nil)
                    continue
                }
                switch Self.found(try KeyPathSteps.property(key, of: row)) {
                case .one(let value): values.append(value)
                case .rows(let inner):
                    values += inner
                    try CollectionDepth.check(values.count)
                }
            }
            return .rows(values)
        }
    }

    private func value(of operation: CollectionOperator, _ rows: [Any?], from index: Int) throws -> Any? {
        let found = try follow(.rows(rows), from: index).rows ?? []
        let values = found.compactMap(StoredValue.kept)
        switch operation {
        case .count: return values.count
        case .sum: return try Self.sum(operation.numbers(values)).any
        case .average: return try Statistics.average(operation.numbers(values))?.any ?? 0
        case .minimum: return try Statistics.minimum(values)
        case .maximum: return try Statistics.maximum(values)
        case .unionOfObjects, .unionOfArrays, .unionOfSets: return values
        case .distinctUnionOfObjects, .distinctUnionOfArrays, .distinctUnionOfSets:
            return distinctValues(values)
        }
    }

    /// - Throws: for a sum that is not an integer of 64 bits, as SQL does.
    static func sum(_ numbers: [Number]) throws -> Number {
        let sum = Statistics.sum(numbers)
        let isWhole = numbers.allSatisfy { if case .integer = $0 { true } else { false } }
        if isWhole, case .double = sum { throw PredicateEvaluationError(.predicate, "integer overflow") }
        return sum
    }
}
