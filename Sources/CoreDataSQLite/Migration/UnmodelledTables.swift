import CoreDataSQL
import ObjectGraph
import Foundation
import GRDB

/// The tables of a store that belong to no entity, which a migration copies as they are: those that an application, or
/// another part of Apple's frameworks, put beside the store's own.
struct UnmodelledTables {
    private let old: StoreSnapshot
    private let ours: Set<String>

    init(_ old: StoreSnapshot, _ new: SQLSchema) {
        self.old = old
        let modelled = [old.schema, new].flatMap { schema in
            schema.tables.map(\.name) + schema.joinTables.map(\.name)
        }
        let others = ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"]
        let history = [HistoryTables.change, HistoryTables.transaction, HistoryTables.strings]
        ours = Set((modelled + others + history).map { $0.uppercased() })
    }

    /// A row of `sqlite_master`. In a stranger's file it may say one thing and its statement another.
    private struct SchemaObject {
        let type: String
        let name: String
        let table: String
        let sql: String
        /// Whether it is a table of a module, or what only such a statement makes, however that is written.
        let isVirtualTable: Bool
        /// Whether the statement makes what the row says.
        let matchesStatement: Bool

        /// Nil for a row without a name or a statement.
        init?(_ row: GRDB.Row) {
            guard let type = String.fromDatabaseValue(row[0]), let name = String.fromDatabaseValue(row[1]),
                let table = String.fromDatabaseValue(row[2]), let sql = String.fromDatabaseValue(row[3])
            else { return nil }
            (self.type, self.name, self.table, self.sql) = (type, name, table, sql)
            let made = SQLTokens(sql).createdKind
            isVirtualTable = made == "virtual" || Bool.fromDatabaseValue(row[4]) == true
            matchesStatement = made == type
        }
    }

    /// Copies tables with their rows, then indexes, views and triggers.
    func copy(to database: Database) throws {
        let objects = try GRDB.Row.fetchAll(
            old.database,
            sql: """
                SELECT type, name, tbl_name, sql, type = 'table' AND IFNULL(rootpage, 0) = 0 FROM sqlite_master
                WHERE sql IS NOT NULL ORDER BY type != 'table', rowid
                """
        ).compactMap(SchemaObject.init)
        let virtual = objects.filter(\.isVirtualTable).map(\.name)
        var copied: Set<String> = []
        for object in objects where object.type == "table" {
            guard try !ours.contains(object.name.uppercased()) && !database.tableExists(object.name),
                !object.name.lowercased().hasPrefix("sqlite_"),
                !virtual.contains(where: { object.name == $0 || object.name.hasPrefix("\($0)_") }),
                object.matchesStatement
            else { continue }
            try run(object.sql, database)
            try copyRows(of: object.name, to: database)
            copied.insert(object.name)
        }
        for object in objects where object.type != "table" && object.matchesStatement {
            if object.type == "view" || copied.contains(object.table) { try run(object.sql, database) }
        }
        try copyCounters(of: copied, to: database)
        // Entities of Apple's own, whose tables those are; those of the history, whose numbers are not given out again.
        let entities = try GRDB.Row.fetchCursor(
            old.database, sql: "SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT >= ?",
            arguments: [HistoryTables.changeNumber])
        while let entity = try entities.next() {
            try database.execute(
                sql:
                    "INSERT OR REPLACE INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, ?)",
                arguments: StatementArguments(Array(entity.databaseValues)))
        }
    }

    /// Runs what a schema has for one thing. SQLite reads the first statement of such a string alone, and others may follow
    /// there in a stranger's file: those are refused.
    private func run(_ sql: String, _ database: Database) throws {
        try database.makeStatement(sql: sql).execute()
    }

    /// Takes over which keys tables with AUTOINCREMENT have given out.
    private func copyCounters(of tables: Set<String>, to database: Database) throws {
        guard try old.database.tableExists("sqlite_sequence"), try database.tableExists("sqlite_sequence")
        else { return }
        let counters = try GRDB.Row.fetchCursor(old.database, sql: "SELECT name, seq FROM sqlite_sequence")
        while let counter = try counters.next() {
            guard let table = String.fromDatabaseValue(counter[0]), tables.contains(table) else { continue }
            try database.execute(sql: "DELETE FROM sqlite_sequence WHERE name = ?", arguments: [table])
            try database.execute(
                sql: "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)",
                arguments: StatementArguments(Array(counter.databaseValues)))
        }
    }

    private func copyRows(of table: String, to database: Database) throws {
        let columns = try String.fetchAll(
            old.database, sql: "SELECT name FROM pragma_table_info(?)", arguments: [table]
        ).map(\.quotedDatabaseIdentifier).joined(separator: ", ")
        let name = table.quotedDatabaseIdentifier
        let rows = try GRDB.Row.fetchCursor(old.database, sql: "SELECT \(columns) FROM \(name)")
        while let row = try rows.next() {
            let values = Array(row.databaseValues)
            let parameters = Array(repeating: "?", count: values.count).joined(separator: ", ")
            try database.execute(
                sql: "INSERT INTO \(name) (\(columns)) VALUES (\(parameters))",
                arguments: StatementArguments(values))
        }
    }
}
