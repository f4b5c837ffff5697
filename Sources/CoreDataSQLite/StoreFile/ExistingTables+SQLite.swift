import CoreDataSQL
import GRDB

extension ExistingTables {
    /// The tables of rows, with the columns that have values of their own: a view is not a table, a virtual table keeps
    /// no rows, and a generated column takes no values.
    ///
    /// - Throws: `DatabaseError`.
    init(_ database: Database) throws {
        let rows = try GRDB.Row.fetchCursor(
            database,
            sql: """
                SELECT t.name, c.name FROM sqlite_master t JOIN pragma_table_info(t.name) c
                WHERE t.type = 'table' AND t.rootpage > 0
                """)
        var tables: [String: [String]] = [:]
        while let row = try rows.next() {
            guard let table = String.fromDatabaseValue(row[0]), let column = String.fromDatabaseValue(row[1])
            else { continue }
            tables[table, default: []].append(column)
        }
        self.init(tables)
    }
}
