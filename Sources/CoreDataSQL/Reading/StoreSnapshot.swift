import ObjectGraph
import Foundation
import ManagedObjectModel

/// What an open store in a database holds at one moment, row by row: for tools that look at all of it and keep none of it.
///
/// Valid only inside the call that hands it out.
package struct StoreSnapshot {
    package let store: any SQLStore
    /// The connection, inside a transaction.
    package let connection: any SQLConnection
    package let tables: StoreTables

    package var schema: SQLSchema { tables.schema }

    package init(_ store: any SQLStore, _ connection: any SQLConnection) {
        self.store = store
        self.connection = connection
        tables = store.tables
    }

    /// How much of the store is in memory at once, at most: rows, and about as many bytes.
    private static let batchLimits = (rows: 256, bytes: 4 << 20)

    /// Hands out the rows of an entity itself, its subentities left out, in batches by primary key.
    ///
    /// - Throws: 134060 for a value that is not of its column's type, an error of the database, or what `body` throws.
    package func forEachBatch(of entity: SQLEntity, _ body: ([Row]) throws -> Void) throws {
        let selection = tables.selection(of: entity)
        let statement: SQLStatement = """
            SELECT \(names: selection.names) FROM \(name: entity.table)\(entity.whereOwn) \
            ORDER BY Z_PK
            """
        var batch: [Row] = []
        var cost = 0
        try connection.forEachRow(of: statement, as: selection, timestamp: 0) { row in
            batch.append(row)
            cost += row.cost
            if batch.count >= Self.batchLimits.rows || cost >= Self.batchLimits.bytes {
                try body(batch)
                batch.removeAll(keepingCapacity: true)
                cost = 0
            }
        }
        if !batch.isEmpty { try body(batch) }
    }

    /// The rows with these primary keys that an entity and its subentities have, in no order.
    ///
    /// - Throws: as `forEachBatch`.
    package func rows(of entity: SQLEntity, references: [Int64]) throws -> [Row] {
        var query = FetchQuery(storedEntity: entity.storedEntity)
        query.references = references
        let selection = tables.selection(of: entity)
        let statement = try FetchCompiler(schema: schema).rows(query, columns: selection.list)
        return try connection.rows(statement, as: selection, timestamp: 0)
    }

    /// The destinations of a to-many relationship for each owner that has any, in order when it is ordered.
    ///
    /// - Parameter limit: the most destinations that are read, of all owners together; nil for all.
    /// - Throws: an error of the database.
    package func destinations(
        of relationship: NSRelationshipDescription, owners: [Int64], limit: Int? = nil
    ) throws -> [Int64: [(entityNumber: Int32, reference: Int64)]] {
        guard let links = schema.links(of: relationship) else { return [:] }
        var statement = LinkCompiler(schema: schema).destinations(of: relationship, links, owners: owners)
        if let limit { statement.append("\(.limit(Int64(max(limit, 0)), offset: nil))") }
        return try connection.links(statement)
    }

    /// The data of an attribute, from a file when it is kept in one.
    ///
    /// - Throws: 134060 when the row names no file, or the file cannot be read.
    package func data(_ row: Row, _ slot: PropertySlot) throws -> Data {
        let data = row.data(slot.rowSlot)
        return slot.isExternal ? try ExternalData.data(data, of: store) : data
    }

    /// The first bytes of the data of an attribute, and how many it has; no more of a file is read.
    ///
    /// - Throws: as `data(_:_:)`.
    package func dataStart(
        _ row: Row, _ slot: PropertySlot, atMost most: Int
    ) throws -> (start: Data, length: Int) {
        let data = row.data(slot.rowSlot)
        guard slot.isExternal else { return (data.prefix(most), data.count) }
        if data.first == ExternalData.reference, let name = ExternalData.fileName(data) {
            return try store.externalDataStart(named: name, atMost: most)
        }
        let whole = try ExternalData.data(data, of: store)
        return (Data(whole.prefix(most)), whole.count)
    }

    /// The name of the file that has a value's bytes; nil when they are in the row, as are those of a reference that
    /// names no file.
    package func externalFile(_ row: Row, _ slot: PropertySlot) -> String? {
        slot.isExternal ? ExternalData.fileName(row.data(slot.rowSlot)) : nil
    }
}
