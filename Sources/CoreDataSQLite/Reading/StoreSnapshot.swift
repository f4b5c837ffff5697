import CoreDataSQL
import ObjectGraph
import Foundation
import GRDB
import ManagedObjectModel

/// What an open SQLite store holds at one moment, row by row: for tools that look at all of it and keep none of it.
///
/// Valid only inside the call that hands it out.
package struct StoreSnapshot {
    let store: SQLiteStore
    /// The connection, inside a transaction.
    package let database: Database

    package var schema: SQLSchema { store.schema }

    init(_ store: SQLiteStore, _ database: Database) {
        self.store = store
        self.database = database
    }

    /// How much of the store is in memory at once, at most: rows, and about as many bytes.
    private static let batchLimits = (rows: 256, bytes: 4 << 20)

    /// Hands out the rows of an entity itself, its subentities left out, in batches by primary key.
    ///
    /// - Throws: 134060 for a value that is not of its column's type, an error of SQLite, or what `body` throws.
    package func forEachBatch(of entity: SQLEntity, _ body: ([Row]) throws -> Void) throws {
        var statement = select(entity)
        statement.text += " WHERE Z_ENT = ? ORDER BY Z_PK"
        statement.arguments = [.integer(Int64(entity.number))]
        var builder = RowBuilder()
        var batch: [Row] = []
        var cost = 0
        let decoder = store.decoder(entity)
        try SQLiteReader(database).step(statement) { pointer in
            let row = try decoder.row(pointer, &builder, timestamp: 0)
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
        var query = FetchQuery(home: entity.home)
        query.references = references
        let decoder = store.decoder(entity)
        let statement = try FetchCompiler(schema: schema).rows(query, columns: decoder.columnList)
        return try SQLiteReader(database).rows(statement, decoder, 0)
    }

    private func select(_ entity: SQLEntity) -> SQLStatement {
        let names = ["Z_PK", "Z_ENT", "Z_OPT"] + store.decoder(entity).columnNames.map(schema.quoted)
        return SQLStatement(
            "SELECT \(names.joined(separator: ", ")) FROM \(schema.quoted(entity.table))")
    }

    /// The destinations of a to-many relationship for each owner that has any, in order when it is ordered.
    ///
    /// - Parameter limit: the most destinations that are read, of all owners together; nil for all.
    /// - Throws: an error of SQLite.
    package func destinations(
        of relationship: NSRelationshipDescription, owners: [Int64], limit: Int? = nil
    ) throws -> [Int64: [(entityNumber: Int32, reference: Int64)]] {
        guard let links = schema.links(of: relationship) else { return [:] }
        var statement = try LinkCompiler(schema: schema).destinations(of: relationship, links, owners: owners)
        if let limit { statement.text += " LIMIT \(max(limit, 0))" }
        return try SQLiteReader(database).links(statement)
    }

    /// The data of an attribute, from a file when it is kept in one.
    ///
    /// - Throws: 134060 when the row names no file, or the file cannot be read.
    package func data(_ row: Row, _ slot: PropertySlot) throws -> Data {
        let data = row.data(slot.rowSlot)
        return slot.isExternal ? try ExternalData.data(data, in: store.externalDataFolder) : data
    }

    /// The first bytes of the data of an attribute, and how many it has; no more of a file is read.
    ///
    /// - Throws: as `data(_:_:)`.
    package func dataStart(
        _ row: Row, _ slot: PropertySlot, atMost most: Int
    ) throws -> (start: Data, length: Int) {
        let data = row.data(slot.rowSlot)
        guard slot.isExternal else { return (data.prefix(most), data.count) }
        return try ExternalData.start(data, in: store.externalDataFolder, atMost: most)
    }

    /// The name of the file that has a value's bytes; nil when they are in the row, as are those of a reference that
    /// names no file.
    package func externalFile(_ row: Row, _ slot: PropertySlot) -> String? {
        slot.isExternal ? ExternalData.fileName(row.data(slot.rowSlot)) : nil
    }

    /// What keeps the store from being written to, each as part of a sentence; none when it can be.
    package func unsupportedFeatures() throws -> [String] {
        if try SQLiteHardening.hasSpatialIndexes(database) {
            try SQLiteHardening.install(on: database, usesSpatialIndexes: true)
        }
        return try SQLiteStoreFeatures(database, schema).unsupported()
    }
}

extension SQLiteStore {
    /// Reads the store as it is at one moment.
    ///
    /// What is read may be on its way already when others change the file under a connection that is unknown here, so
    /// `body` is not called a second time then.
    ///
    /// - Parameter cancellation: ends the reading.
    /// - Throws: what `body` throws; 134070 when the store was removed, or was changed meanwhile; `NSUserCancelledError`.
    package func withSnapshot<Value>(
        until cancellation: FetchCancellation? = nil, _ body: (StoreSnapshot) throws -> Value
    ) throws -> Value {
        var wasRead = false
        return try read("read the store", cancellation) { database in
            guard !wasRead else {
                throw NSError.coreData(
                    .persistentStoreOperation, "Others changed the store while it was read; try again.")
            }
            wasRead = true
            return try body(StoreSnapshot(self, database))
        }
    }
}
