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

    /// One value for each way that the path leads, over collections; nil when it leads over none, and no rows when
    /// there is nothing before the first.
    ///
    /// - Throws: as `value(of:)`.
    func rows(of object: Any?) throws -> [Any?]? {
        switch try follow(Self.found(object), from: 0) {
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
        .predicate, "An index needs an ordered relationship to many at the end of a key path.")

    private static func found(_ value: Any?) -> Found {
        guard let value = presentValue(value) else { return .one(nil) }
        guard let collection = KeyPathSteps.collection(value) else { return .one(value) }
        return .rows(collection.collectionElements.map(presentValue))
    }

    private func follow(_ start: Found, from index: Int) throws -> Found {
        var found = start
        for index in index..<max(index, steps.endIndex) {
            switch steps[index] {
            case .evaluatedObject:
                continue
            case .key(let key):
                found = try next(found, key)
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
            .predicate, "\(operation.rawValue) needs a collection, and got \(described(value)).")
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
                case .rows(let inner): values += inner
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

    /// - Throws: for a sum of integers that is none, as SQL does.
    static func sum(_ numbers: [Number]) throws -> Number {
        var sum = Number.integer(0)
        for number in numbers {
            let next = sum + number
            if case (.integer, .integer, .double) = (sum, number, next) {
                throw PredicateEvaluationError(.predicate, "integer overflow")
            }
            sum = next
        }
        return sum
    }
}
