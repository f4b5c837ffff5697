import Foundation
import ManagedObjectModel
import ObjectGraph

// Queries that rows decide, inside of a transaction, which other connections do not see.

extension StoreSnapshot: RowSource {
    package var storeOfRows: any ObjectStore { store }

    package func row(of storedEntity: StoredEntity, _ reference: Int64) throws -> Row? {
        try rows(of: schema.entity(storedEntity), references: [reference]).first
    }

    package func destinations(
        of relationship: NSRelationshipDescription, from storedEntity: StoredEntity, _ reference: Int64
    ) throws -> [(entityNumber: Int32, reference: Int64)] {
        try destinations(of: relationship, owners: [reference])[reference] ?? []
    }

    /// The rows of the query's result, in order, within limit and offset.
    ///
    /// - Throws: an error of the database; 134060 for a condition or an order that cannot be evaluated.
    func rows(for query: DecidedQuery) throws -> RowList {
        let narrowed = query.narrowed
        let selection = tables.selection(of: schema.entity(narrowed.storedEntity))
        var candidates = try connection.rows(
            tables.compiler.wholeRows(narrowed, columns: selection.list), as: selection, timestamp: 0)
        candidates.sortUnlessAscending { $0.reference }
        return try query.rows(among: RowList(candidates), self)
    }
}
