/// How the reading of a key path came to an object: over so many collections, each reached from the elements of the one
/// before.
///
/// Reading is recursive, and objects that refer to each other in a circle have no last one: the number of collections is
/// limited, and so is that of elements, which grows with each turn around circles that meet.
struct CollectionDepth {
    /// How many collections one way may lead over.
    private static let collectionLimit = 100
    /// How many elements there may be on all ways of a path together.
    static let elementLimit = 10_000_000

    private final class Count {
        var elements = 0
    }

    private var depth = 0
    private var count: Count?

    /// The way to the elements of a collection.
    ///
    /// - Throws: ``PredicateEvaluationError`` when that is too far.
    func enter(_ elements: Int) throws -> CollectionDepth {
        var way = self
        way.depth += 1
        guard way.depth <= Self.collectionLimit else {
            throw PredicateEvaluationError(
                .predicate, "The key path crosses more than \(Self.collectionLimit) collections.")
        }
        let count = count ?? Count()
        way.count = count
        count.elements += elements
        try Self.check(count.elements)
        return way
    }

    /// - Throws: ``PredicateEvaluationError`` for more elements than a path may lead over.
    static func check(_ elements: Int) throws {
        guard elements <= elementLimit else {
            throw PredicateEvaluationError(
                .predicate, "The key path crosses more than \(elementLimit) elements.")
        }
    }
}
