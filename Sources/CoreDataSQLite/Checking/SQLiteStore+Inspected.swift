import CoreDataSQL
import Foundation
import GRDB
import ObjectGraph

extension SQLiteStore: InspectedStore {
    package func withContents<Value>(
        until cancellation: FetchCancellation?, _ body: (any StoreContents) throws -> Value
    ) throws -> Value {
        try withSnapshot(until: cancellation) { try body($0) }
    }

    package func withImportTarget(_ body: (any ImportTarget) throws -> Void) throws {
        try importing { try body($0) }
    }
}

extension StoreImport: ImportTarget {
    package var contents: any StoreContents { snapshot }
}

extension StoreSnapshot: StoreContents {
    package func forEachMistypedRow(
        of entity: SQLEntity, _ column: SQLColumn, keys: [Int64]?, _ body: (Int64?) throws -> Bool
    ) throws {
        try MistypedValues(database, schema, entity, keys: keys).forEach(column, body)
    }

    package func forEachExternalFile(
        of entity: SQLEntity, _ column: SQLColumn, _ body: (Int64?, String) throws -> Void
    ) throws {
        let name = "s.\(schema.quoted(column.name))"
        // The rest of a value that is in the row is not read.
        let rows = try GRDB.Row.fetchCursor(
            database,
            sql: """
                SELECT s.Z_PK, CAST(substr(\(name), 2, 36) AS TEXT) FROM \(schema.quoted(entity.table)) s \
                WHERE s.Z_ENT = \(entity.number) AND substr(\(name), 1, 1) = x'02'
                """)
        while let row = try rows.next() {
            guard let file = String.fromDatabaseValue(row[1]) else { continue }
            try body(Int64.fromDatabaseValue(row[0]), file)
        }
    }

    package func tables() throws -> [StoreTable] { try TableCatalog(database).all() }

    package func modelArchive() throws -> Data? {
        guard try database.tableExists(ModelCache.table) else { return nil }
        return try Data.fetchOne(database, sql: "SELECT Z_CONTENT FROM \(ModelCache.table) LIMIT 1")
    }

    package func traced<Value>(
        _ body: () throws -> Value
    ) throws -> (value: Value, executions: [StatementExecution]) {
        try StatementTrace.during(database, body)
    }
}
