import CoreDataSQL
import ObjectGraph
import Foundation
import GRDB
import ManagedObjectModel

/// The names of the files of external data that rows of a database hold.
enum ExternalFileNames {
    /// Those in the columns that a schema keeps external data in. O(rows); the data of rows is not read.
    static func all(in database: Database, _ schema: SQLSchema) throws -> Set<String> {
        var columns: [String: Set<String>] = [:]
        for entity in schema.entities {
            for slot in entity.storedEntity.layout.externalSlots {
                guard let column = entity.column(rowSlot: slot.rowSlot)?.name else { continue }
                columns[entity.table, default: []].insert(column)
            }
        }
        return try all(in: database, columns)
    }

    /// Those in any column for data, also of the history. O(rows).
    static func all(in database: Database) throws -> Set<String> {
        let tables = try String.fetchAll(
            database, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0")
        var columns: [String: Set<String>] = [:]
        for table in tables where !table.hasPrefix("sqlite_") {
            columns[table] = Set(try database.columns(in: table).filter { $0.type == "BLOB" }.map(\.name))
        }
        return try all(in: database, columns)
    }

    private static func all(in database: Database, _ columns: [String: Set<String>]) throws -> Set<String> {
        var names: Set<String> = []
        for (table, ofTable) in columns {
            for column in ofTable { names.formUnion(try all(in: database, column: column, of: table)) }
        }
        return names
    }

    /// Those in one column, in rows that meet a condition of SQL. O(rows).
    static func all(
        in database: Database, column: String, of table: String, where condition: String = "TRUE",
        _ arguments: StatementArguments = []
    ) throws -> Set<String> {
        let column = column.quotedDatabaseIdentifier
        // The length alone, which is read first, is known without reading what a long value has.
        let values = try Data.fetchCursor(
            database,
            sql: """
                SELECT DISTINCT \(column) FROM \(table.quotedDatabaseIdentifier)
                WHERE typeof(\(column)) = 'blob' AND length(\(column)) BETWEEN 37 AND 38 AND (\(condition))
                """, arguments: arguments)
        var names: Set<String> = []
        while let value = try values.next() {
            if let name = ExternalData.fileName(value) { names.insert(name) }
        }
        return names
    }

    /// The columns that may hold such names: of a schema's entities, and of values in the history.
    private static func columns(_ schema: SQLSchema, _ history: StoreHistory?) -> [(
        table: String, column: String
    )] {
        var columns: Set<[String]> = []
        for entity in schema.entities {
            for slot in entity.storedEntity.layout.externalSlots {
                guard let column = entity.column(rowSlot: slot.rowSlot)?.name else { continue }
                columns.insert([entity.table, column])
            }
            guard let history else { continue }
            let kept = history.columns(of: entity.storedEntity).tombstones.prefix(
                history.tables.tombstoneCount)
            for (index, slot) in kept.enumerated() where slot.isExternal {
                columns.insert([HistoryTables.change, HistoryTables.tombstone(index)])
            }
        }
        return columns.map { (table: $0[0], column: $0[1]) }.sorted {
            ($0.table, $0.column) < ($1.table, $1.column)
        }
    }

    /// Those that are named more than once, by rows or by the history. O(rows); the data of rows is not read.
    static func shared(
        in database: Database, _ schema: SQLSchema, _ history: StoreHistory?
    ) throws -> Set<String> {
        let columns = columns(schema, history)
        guard !columns.isEmpty else { return [] }
        // SQLite has a bound on the parts of one statement; beyond it, each name may be one that is shared.
        guard columns.count < 400 else { return try all(in: database) }
        let parts = columns.map { table, column in
            let column = column.quotedDatabaseIdentifier
            return """
                SELECT \(column) AS name FROM \(table.quotedDatabaseIdentifier)
                WHERE typeof(\(column)) = 'blob' AND length(\(column)) BETWEEN 37 AND 38
                """
        }
        let values = try Data.fetchCursor(
            database,
            sql:
                "SELECT name FROM (\(parts.joined(separator: " UNION ALL "))) GROUP BY name HAVING count(*) > 1"
        )
        var names: Set<String> = []
        while let value = try values.next() {
            if let name = ExternalData.fileName(value) { names.insert(name) }
        }
        return names
    }

    /// Which of some names rows or the history hold. O(rows); the data of rows is not read.
    static func named(
        _ wanted: Set<String>, in database: Database, _ schema: SQLSchema, _ history: StoreHistory?
    ) throws -> Set<String> {
        var found: Set<String> = []
        for (table, column) in columns(schema, history) {
            found.formUnion(try all(in: database, column: column, of: table).intersection(wanted))
        }
        return found
    }
}
