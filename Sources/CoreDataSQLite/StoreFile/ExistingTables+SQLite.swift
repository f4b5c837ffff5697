import CoreDataSQL
import GRDB
import GRDBSQLite

/// The tables of rows of a file, and what is required of their columns: read at once, since SQLite reads the definition of each table
/// for it.
struct SQLiteTables {
    /// The tables with the columns that have values of their own: a view is not a table, a virtual table keeps no rows, and a
    /// generated column takes no values.
    let tables: ExistingTables
    /// The columns that must have a value, by the names of the tables, in lower case as SQLite compares them.
    private let needed: [String: [String]]

    /// - Throws: `DatabaseError`.
    init(_ database: Database) throws {
        var tables: [String: [String]] = [:]
        var needed: [String: [String]] = [:]
        // Those of the table whose columns are being read, which come one after the other.
        var page: Int64 = 0
        var (name, columns): (String, [String]) = ("", [])
        func endTable() {
            if page != 0 { tables[name, default: []] += columns }
            columns.removeAll(keepingCapacity: true)
        }
        try PreparedStatements.step(
            """
            SELECT t.rootpage, t.name, c.name, c."notnull" AND c.dflt_value IS NULL AND NOT c.pk
            FROM sqlite_master t JOIN pragma_table_info(t.name) c WHERE t.type = 'table' AND t.rootpage > 0
            """, [], database
        ) { row in
            let present = sqlite3_column_int64(row, 0)
            if present != page {
                endTable()
                page = present
                name = SQLiteReader.text(row, 1)
            }
            let column = SQLiteReader.text(row, 2)
            columns.append(column)
            if sqlite3_column_int(row, 3) != 0 { needed[name.lowercased(), default: []].append(column) }
        }
        endTable()
        self.tables = ExistingTables(tables)
        self.needed = needed
    }

    /// The columns of a table that must have a value.
    func neededColumns(of table: String) -> [String] {
        needed.isEmpty ? [] : needed[table.lowercased(), default: []]
    }

    /// Whether a table has columns of these names.
    func has(_ columns: [String], in table: String) -> Bool {
        guard let present = tables.columns(of: table) else { return false }
        return columns.allSatisfy(present.contains)
    }
}

extension ExistingTables {
    /// The tables of rows, with the columns that have values of their own.
    ///
    /// - Throws: `DatabaseError`.
    init(_ database: Database) throws { self = try SQLiteTables(database).tables }
}
