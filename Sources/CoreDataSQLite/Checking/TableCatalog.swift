import CoreDataSQL
import GRDB

/// The tables of a file, as SQLite's own list has them.
struct TableCatalog {
    private let database: Database

    init(_ database: Database) { self.database = database }

    /// All tables, by name.
    func all() throws -> [StoreTable] {
        let rows = try GRDB.Row.fetchAll(
            database, sql: "SELECT name, rootpage FROM sqlite_master WHERE type = 'table' ORDER BY name")
        let tables = rows.compactMap { row in
            String.fromDatabaseValue(row[0]).map { (name: $0, isVirtual: Int.fromDatabaseValue(row[1]) == 0) }
        }
        // Indexes of locations are virtual tables, and keep what they hold in tables of their own.
        let virtual = tables.filter(\.isVirtual).map(\.name)
        let parts = Set(
            virtual + virtual.flatMap { name in ["_node", "_parent", "_rowid"].map { name + $0 } })
        return try tables.map { name, _ in
            StoreTable(
                name: name, isPartOfIndex: parts.contains(name), isOfDatabase: name.hasPrefix("sqlite_"),
                columns: try columns(of: name), indexes: try names("index", of: name),
                triggers: try names("trigger", of: name))
        }
    }

    private func columns(of table: String) throws -> [StoreTable.Column] {
        try GRDB.Row.fetchAll(
            database, sql: "SELECT name, type FROM pragma_table_info(?)", arguments: [table]
        ).compactMap { row in
            guard let name = String.fromDatabaseValue(row[0]) else { return nil }
            return StoreTable.Column(name: name, type: String.fromDatabaseValue(row[1]) ?? "")
        }
    }

    private func names(_ type: String, of table: String) throws -> [String] {
        try String.fetchAll(
            database, sql: "SELECT name FROM sqlite_master WHERE type = ? AND tbl_name = ? ORDER BY name",
            arguments: [type, table])
    }

    /// The statements that made tables, indexes and triggers, in the order in which they were made.
    func statements() throws -> [String] {
        try String.fetchAll(
            database, sql: "SELECT sql FROM sqlite_master WHERE sql NOT NULL ORDER BY rowid")
    }
}

extension SQLiteStoreTables {
    /// Reads the file by statements, without changing it.
    ///
    /// - Parameter body: gets a connection, and the tables that keep rows; may be called more than once, when others write at the
    ///   same time.
    /// - Throws: as `read`.
    package func inspect<Value>(_ body: (any SQLConnection, ExistingTables) throws -> Value) throws -> Value {
        try read { try body(SQLiteConnection($0), try ExistingTables($0)) }
    }

    /// The statements that made tables, indexes and triggers, in the order in which they were made.
    ///
    /// - Throws: as `read`.
    package func creationStatements() throws -> [String] { try read { try TableCatalog($0).statements() } }
}
