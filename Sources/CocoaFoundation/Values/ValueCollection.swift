/// Collections as predicates, expressions and key paths see them.
///
/// Swift's and Foundation's collections conform; so may a lazily filled relationship, which then is not
/// copied into an array before its elements are read.
package protocol ValueCollection {
    /// What kind of collection it is.
    var collectionKind: ValueCollectionKind { get }
    /// Its elements; of a dictionary the values.
    var collectionElements: [Any] { get }
    /// How many elements it has.
    var collectionCount: Int { get }
}

/// The kinds of collections that differ in how they compare and in what a key path makes of them.
package enum ValueCollectionKind: Sendable {
    /// Elements in an order, the same one perhaps several times.
    case array
    /// Elements in an order, each once.
    case orderedSet
    /// Elements without an order, each once.
    case set
    /// Values by keys.
    case dictionary

    /// Whether the order of the elements counts.
    package var isOrdered: Bool { self == .array || self == .orderedSet }
}

extension Array: ValueCollection {
    package var collectionKind: ValueCollectionKind { .array }
    package var collectionElements: [Any] { self }
    package var collectionCount: Int { count }
}

extension ArraySlice: ValueCollection {
    package var collectionKind: ValueCollectionKind { .array }
    package var collectionElements: [Any] { Array(self) }
    package var collectionCount: Int { count }
}

extension ContiguousArray: ValueCollection {
    package var collectionKind: ValueCollectionKind { .array }
    package var collectionElements: [Any] { Array(self) }
    package var collectionCount: Int { count }
}

extension Set: ValueCollection {
    package var collectionKind: ValueCollectionKind { .set }
    package var collectionElements: [Any] { Array(self) }
    package var collectionCount: Int { count }
}

extension Dictionary: ValueCollection {
    package var collectionKind: ValueCollectionKind { .dictionary }
    package var collectionElements: [Any] { Array(values) }
    package var collectionCount: Int { count }
}

extension NSArray: ValueCollection {
    package var collectionKind: ValueCollectionKind { .array }
    package var collectionElements: [Any] { (0..<count).map { self[$0] } }
    package var collectionCount: Int { count }
}

extension NSOrderedSet: ValueCollection {
    package var collectionKind: ValueCollectionKind { .orderedSet }
    package var collectionElements: [Any] { array }
    package var collectionCount: Int { count }
}

extension NSSet: ValueCollection {
    package var collectionKind: ValueCollectionKind { .set }
    package var collectionElements: [Any] { allObjects }
    package var collectionCount: Int { count }
}

extension NSDictionary: ValueCollection {
    package var collectionKind: ValueCollectionKind { .dictionary }
    package var collectionElements: [Any] { allValues }
    package var collectionCount: Int { count }
}

/// Collections whose values are found by keys.
protocol KeyedCollection {
    /// The value of a key; `nil` when there is none or the key is of a type that no key has.
    func value(of key: Any) -> Any?
}

extension Dictionary: KeyedCollection {
    func value(of key: Any) -> Any? {
        (key as? Key).flatMap { self[$0] }
    }
}

extension NSDictionary: KeyedCollection {
    func value(of key: Any) -> Any? {
        // A decimal number as a key has no hash on Linux: looking for it would overflow the stack.
        if case .decimal = PredicateValue(key) { return nil }
        return object(forKey: key)
    }
}
