import CoreDataSQL
import Foundation
import GRDB
import ObjectGraph

extension SQLiteStore: InspectedStore {
    package func withContents<Value>(
        until cancellation: FetchCancellation?, _ body: (any StoreContents) throws -> Value
    ) throws -> Value {
        try withSnapshot(until: cancellation) { try body(SQLiteContents(snapshot: $0)) }
    }
}

/// What a store in SQLite holds.
private struct SQLiteContents: StoreContents {
    let snapshot: StoreSnapshot

    private var database: Database { get throws { try snapshot.database } }

    func forEachMistypedRow(
        of entity: SQLEntity, _ column: SQLColumn, keys: [Int64]?, _ body: (Int64?) throws -> Bool
    ) throws {
        try MistypedValues(database, entity, keys: keys).forEach(column, body)
    }

    func forEachExternalFile(
        of entity: SQLEntity, _ column: SQLColumn, _ body: (Int64?, String) throws -> Void
    ) throws {
        let dialect = SQLiteDialect()
        let name = "s.\(dialect.quoted(column.name))"
        // In a table of one entity all rows are of that entity, whatever their numbers.
        let isOwn = entity.sharesTable ? "s.Z_ENT = \(entity.number) AND " : ""
        // The rest of a value that is in the row is not read.
        let rows = try GRDB.Row.fetchCursor(
            database,
            sql: """
                SELECT s.Z_PK, CAST(substr(\(name), 2, 36) AS TEXT) FROM \(dialect.quoted(entity.table)) s \
                WHERE \(isOwn)substr(\(name), 1, 1) = x'02'
                """)
        while let row = try rows.next() {
            guard let file = String.fromDatabaseValue(row[1]) else { continue }
            try body(Int64.fromDatabaseValue(row[0]), file)
        }
    }

    func filesOfHistory() throws -> Set<String> { try snapshot.filesOfHistory() }

    func unsupportedFeatures() throws -> [String] { try snapshot.unsupportedFeatures() }

    func databaseTables() throws -> [StoreTable] { try TableCatalog(database).all() }

    func modelArchive() throws -> Data? {
        guard try database.tableExists(ModelCache.table) else { return nil }
        return try Data.fetchOne(database, sql: "SELECT Z_CONTENT FROM \(ModelCache.table) LIMIT 1")
    }

    func traced<Value>(
        _ body: () throws -> Value
    ) throws -> (value: Value, executions: [StatementExecution]) {
        try StatementTrace.during(database, body)
    }
}
