import CoreDataSQL
import GRDB
import GRDBSQLite
import ObjectGraph

/// A statement that GRDB keeps, run by SQLite's own calls.
final class SQLitePreparedStatement: SQLPreparedStatement {
    private let sql: String
    private let statement: OpaquePointer
    private let connection: OpaquePointer?
    /// Keeps the statement: the connection may let go of it.
    private let prepared: Statement

    init(_ database: Database, _ sql: String) throws {
        Log.sql.debug("\(sql)")
        self.sql = sql
        prepared = try PreparedStatements.statement(sql, database)
        statement = prepared.sqliteStatement
        connection = database.sqliteConnection
        sqlite3_clear_bindings(statement)
    }

    deinit {
        reset()
        clearBindings()
    }

    var row: any SQLRow { SQLiteRow(statement) }

    func bind(_ value: SQLValue, at position: Int) throws {
        try SQLiteBinder(statement).bind(value, at: Int32(position))
    }

    func step() throws -> Bool {
        switch sqlite3_step(statement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw SQLiteBinder.error(of: connection, sql)
        }
    }

    func reset() { sqlite3_reset(statement) }

    func clearBindings() { sqlite3_clear_bindings(statement) }
}
