extension PredicateValue: Hashable {
    /// Whether two values are the same to a predicate; values of types that do not compare never are.
    package static func == (lhs: PredicateValue, rhs: PredicateValue) -> Bool {
        switch (lhs, rhs) {
        case (.identity(let lhs), .identity(let rhs)): return lhs == rhs
        case (.collection(let lhs), .collection(let rhs)): return areEqual(lhs, rhs)
        case (.url(let lhs), .url(let rhs)): return lhs.absoluteString == rhs.absoluteString
        case (.other(let lhs), .other(let rhs)): return areEqual(lhs, rhs)
        default: return lhs.order(rhs) == .orderedSame
        }
    }

    /// Numbers and dates hash by their `Double`, because those of different types may be equal.
    package func hash(into hasher: inout Hasher) {
        switch self {
        case .absent: hasher.combine(0)
        case .integer, .unsigned, .double, .decimal, .date: hasher.combine(doubleValue)
        case .text(let text): hasher.combine(text)
        case .data(let data): hasher.combine(data)
        case .uuid(let uuid): hasher.combine(uuid)
        case .url(let url): hasher.combine(url.absoluteString)
        case .identity(let identity): hasher.combine(identity)
        case .collection(let collection): PredicateValue.hash(collection, into: &hasher)
        case .other(let value): hasher.combine(value as? AnyHashable)
        }
    }

    /// Hashes a collection by its elements: sets of many lists of equal length would compare each with each otherwise.
    private static func hash(_ collection: any ValueCollection, into hasher: inout Hasher) {
        hasher.combine(collection.collectionCount)
        switch collection.collectionKind {
        case .dictionary:
            // Their sum, as they have no order.
            hasher.combine(
                dictionary(collection)?.reduce(0) { sum, pair in
                    var pairHasher = Hasher()
                    pairHasher.combine(pair.key)
                    pairHasher.combine(pair.value)
                    return sum &+ pairHasher.finalize()
                })
        case .set:
            hasher.combine(
                Set(collection.collectionElements.map(PredicateValue.init)).reduce(0) {
                    $0 &+ $1.hashValue
                })
        default:
            for element in collection.collectionElements { hasher.combine(PredicateValue(element)) }
        }
    }

    private static func areEqual(_ lhs: any ValueCollection, _ rhs: any ValueCollection) -> Bool {
        guard lhs.collectionCount == rhs.collectionCount else { return false }
        switch (lhs.collectionKind, rhs.collectionKind) {
        case (.dictionary, .dictionary):
            guard let lhs = dictionary(lhs), let rhs = dictionary(rhs) else { return false }
            return lhs == rhs
        case (.set, .set):
            return Set(lhs.collectionElements.map(PredicateValue.init))
                == Set(rhs.collectionElements.map(PredicateValue.init))
        case (let left, let right) where left.isOrdered && right.isOrdered:
            return zip(lhs.collectionElements, rhs.collectionElements)
                .allSatisfy { PredicateValue($0) == PredicateValue($1) }
        default:
            return false
        }
    }

    private static func dictionary(_ collection: any ValueCollection) -> [PredicateValue: PredicateValue]? {
        guard let dictionary = collection as? [AnyHashable: Any] else { return nil }
        let pairs = dictionary.map { (PredicateValue($0.key.base), PredicateValue($0.value)) }
        return Dictionary(pairs) { first, _ in first }
    }

    private static func areEqual(_ lhs: Any, _ rhs: Any) -> Bool {
        if let lhs = lhs as? NSObject { return lhs.isEqual(rhs) }
        if let lhs = lhs as? AnyHashable, let rhs = rhs as? AnyHashable { return lhs == rhs }
        guard type(of: lhs) is any AnyObject.Type, type(of: rhs) is any AnyObject.Type else { return false }
        return lhs as AnyObject === rhs as AnyObject
    }
}
