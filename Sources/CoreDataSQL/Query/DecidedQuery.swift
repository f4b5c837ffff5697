import CocoaFoundation
import Foundation
import ObjectGraph

/// A query that the database cannot answer alone: SQL narrows, and the rows decide.
package struct DecidedQuery {
    /// What the database finds: all objects that may belong to the result, in no order.
    package let narrowed: FetchQuery
    private let query: FetchQuery
    /// The parts of the condition that the database cannot decide.
    private let rest: NSPredicate?

    /// - Throws: 134060 for a condition that is not one on stored properties.
    package init(_ query: FetchQuery, _ compiler: FetchCompiler) throws {
        self.query = query
        let parts = query.predicate.map { predicate -> [NSPredicate] in
            if case .compound(.and, _) = predicate.shape { predicate.chainedParts } else { [predicate] }
        }
        var narrowing: [NSPredicate] = []
        var rest: [NSPredicate] = []
        for part in parts ?? [] {
            if try compiler.decides(part, query.storedEntity) {
                narrowing.append(part)
            } else {
                rest.append(part)
            }
        }
        var narrowed = FetchQuery(storedEntity: query.storedEntity)
        narrowed.includesSubentities = query.includesSubentities
        narrowed.references = query.references
        narrowed.reader = query.reader
        narrowed.predicate = Self.all(narrowing)
        self.narrowed = narrowed
        self.rest = Self.all(rest)
    }

    private static func all(_ parts: [NSPredicate]) -> NSPredicate? {
        parts.count > 1 ? NSCompoundPredicate(andPredicateWithSubpredicates: parts) : parts.first
    }

    /// The rows of the result, in order, within limit and offset.
    ///
    /// - Throws: what reading rows throws, and 134060 for a condition or an order that cannot be evaluated.
    package func rows(of store: any ObjectStore) throws -> RowList {
        try RowQuery(store, query, deciding: rest).rows(among: store.rows(for: narrowed))
    }

    /// The rows of the result among those that may belong to it.
    ///
    /// - Throws: as `rows(of:)`.
    func rows(among rows: RowList, _ source: any RowSource) throws -> RowList {
        try RowQuery(source, query, deciding: rest).rows(among: rows)
    }

    /// The dictionaries of the result.
    ///
    /// - Throws: as `rows(of:)`.
    package func dictionaries(of store: any ObjectStore) throws -> [[String: Any]] {
        try RowQuery(store, query, deciding: rest).dictionaries(among: store.rows(for: narrowed))
    }
}

extension FetchCompiler {
    /// Whether the database decides a condition on objects of an entity.
    ///
    /// - Throws: 134060 for a condition that is not one on stored properties.
    fileprivate func decides(_ predicate: NSPredicate, _ storedEntity: StoredEntity) throws -> Bool {
        var compiler = PredicateCompiler(schema, schema.entity(storedEntity))
        do {
            _ = try compiler.condition(predicate)
            return true
        } catch is SQLObstacle {
            return false
        }
    }

    /// What SQL finds for a query, or what the rows decide where the database has no form for a part of it.
    ///
    /// - Throws: what the closures throw.
    package func result<Result>(
        of query: FetchQuery, inSQL: () throws -> Result, decided: (DecidedQuery) throws -> Result
    ) throws -> Result {
        do {
            return try inSQL()
        } catch let obstacle as SQLObstacle {
            Log.sql.debug("decided on rows: \(obstacle.reason)")
            return try decided(DecidedQuery(query, self))
        }
    }
}
