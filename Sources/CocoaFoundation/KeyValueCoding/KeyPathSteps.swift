/// A dotted key path, taken apart.
///
/// Reading a path follows the rules of Apple's *Key-Value Coding Programming Guide*: a step over a collection
/// collects the values of its elements, and an operator works on the collection before it, with the rest of
/// the path read from each element. Two rules differ. A set that a step collects keeps equal values until the
/// end of the path, so that `pages.size.@sum`, the spelling of derived attributes, adds up all sizes. And
/// elements without a value do not count in `@avg`, as in SQL.
package struct KeyPathSteps: Sendable, Hashable {
    /// One component of a path.
    package enum Step: Sendable, Hashable {
        /// A property.
        case key(String)
        /// `self`: the object itself.
        case evaluatedObject
        /// A collection operator.
        case collection(CollectionOperator)
    }

    /// The components in order.
    package let steps: [Step]

    /// Takes a path apart at its dots. Each part is taken literally: nothing in it has a meaning but a
    /// leading `@`.
    package init(_ path: String) {
        steps = path.split(separator: ".", omittingEmptySubsequences: false).map { part in
            if let collection = CollectionOperator(rawValue: String(part)) { return .collection(collection) }
            return part == "self" || part == "SELF" ? .evaluatedObject : .key(String(part))
        }
    }

    /// One key, with what dots it may have, or one operator.
    init(singleKey key: String) {
        steps = [
            CollectionOperator(rawValue: key).map(Step.collection)
                ?? (key == "self" ? .evaluatedObject : .key(key))
        ]
    }

    /// The value at the end of the path.
    ///
    /// - Throws: ``PredicateEvaluationError`` when a step leads to an object that has no such key.
    package func value(of object: Any?) throws -> Any? {
        try value(of: object, from: steps.startIndex).map { ($0 as? CollectedValues)?.result ?? $0 }
    }

    /// The value of what follows a step.
    ///
    /// A loop and not a recursion: a path may have as many components as its text allows.
    ///
    /// - Parameter way: how the path came to the object.
    func value(of object: Any?, from start: Int, on way: CollectionDepth = CollectionDepth()) throws -> Any? {
        var current = presentValue(object)
        for index in start..<max(start, steps.endIndex) {
            guard let object = current else { return nil }
            switch steps[index] {
            case .evaluatedObject:
                continue
            case .key(let key):
                current = presentValue(try value(of: object, key: key, way))
            case .collection(let collectionOperator):
                guard let collection = object as? any ValueCollection else {
                    throw PredicateEvaluationError(
                        .predicate,
                        "\(collectionOperator.rawValue) needs a collection, but got \(described(object)).")
                }
                return try collectionOperator.value(
                    of: collection, rest: self, from: index + 1,
                    on: way.enter(collectionOperator == .count ? 0 : collection.collectionCount))
            }
        }
        return current
    }

    /// The value of one key.
    private func value(of object: Any?, key: String, _ way: CollectionDepth) throws -> Any? {
        guard let object = presentValue(object) else { return nil }
        if let collection = Self.collection(object) {
            let next = try way.enter(collection.collectionCount)
            let values = try collection.collectionElements.map { try value(of: $0, key: key, next) }
            return CollectedValues(kind: collection.collectionKind, values: values)
        }
        return try Self.property(key, of: object)
    }

    /// A value as a collection, each of whose elements is read by a key; nil for one that has keys itself.
    static func collection(_ value: Any) -> (any ValueCollection)? {
        guard !(value is any KeyValueCoding), let collection = value as? any ValueCollection,
            collection.collectionKind != .dictionary
        else { return nil }
        return collection
    }

    /// The value of a key of one object.
    static func property(_ key: String, of object: Any) throws -> Any? {
        switch object {
        case let object as any KeyValueCoding:
            return object.value(forKey: key)
        case let dictionary as any KeyedCollection:
            return dictionary.value(of: key)
        default:
            if let value = FoundationKeys.value(of: object, forKey: key) { return value }
            if let naming = object as? any KeyPathNaming,
                let keyPath = KeyPathNames.keyPath(named: key, of: type(of: naming))
            {
                return object[keyPath: keyPath]
            }
            throw PredicateEvaluationError(
                .predicate, "\(described(object)) has no value for the key \"\(key)\".")
        }
    }
}

/// What a step over a collection collected: one value for each element that has one.
private struct CollectedValues: ValueCollection {
    let collectionKind: ValueCollectionKind
    let collectionElements: [Any]
    var collectionCount: Int { collectionElements.count }

    /// In an array an element without a value leaves `NSNull`, as in Apple's `value(forKey:)`; in a set it
    /// leaves nothing.
    init(kind: ValueCollectionKind, values: [Any?]) {
        collectionKind = kind
        collectionElements =
            kind == .array
            ? values.map { presentValue($0) ?? NSNull() }
            : values.compactMap(presentValue)
    }

    /// The values as a collection of the kind that they were collected from.
    var result: Any {
        let elements = collectionElements.map { ($0 as? CollectedValues)?.result ?? $0 }
        switch collectionKind {
        case .set: return distinctSet(elements)
        case .orderedSet:
            let distinct = distinctValues(elements)
            // See `distinctSet` for why such an ordered set cannot be.
            let hasDecimals = distinct.contains {
                if case .decimal = PredicateValue($0) { true } else { false }
            }
            return hasDecimals ? distinct : NSOrderedSet(array: distinct)
        case .array, .dictionary: return elements
        }
    }
}

/// The values without those that are equal to an earlier one.
func distinctValues(_ values: [Any]) -> [Any] {
    var seen: Set<PredicateValue> = []
    return values.filter { seen.insert(PredicateValue($0)).inserted }
}

/// The values as a `Set`, each once, or as an array when one of them is not `Hashable`.
///
/// Not as Foundation's `NSSet`: `NSDecimalNumber` has no hash on Linux, and asking for it overflows the stack.
func distinctSet(_ values: [Any]) -> Any {
    let distinct = distinctValues(values)
    let hashable = distinct.compactMap { value in
        if case .decimal(let number) = PredicateValue(value) { return AnyHashable(number) }
        return value as? AnyHashable
    }
    return hashable.count == distinct.count ? Set(hashable) : distinct
}

/// A value for an error message: its type, and no contents.
func described(_ value: Any?) -> String {
    guard let value = presentValue(value) else { return "nil" }
    return "a value of type \(type(of: value))"
}
