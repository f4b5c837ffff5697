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

    /// SQLite reads what is bound where it is.
    private static let inPlace: sqlite3_destructor_type? = nil

    init(_ database: Database, _ sql: String) throws {
        Log.sql.debug("\(sql)")
        self.sql = sql
        prepared = try PreparedStatements.statement(sql, database)
        statement = prepared.sqliteStatement
        connection = database.sqliteConnection
        sqlite3_clear_bindings(statement)
    }

    // What is bound in place may be gone before the statement is used again.
    deinit {
        reset()
        clearBindings()
    }

    var row: any SQLRow { SQLiteRow(statement) }

    func bind(_ value: SQLValue, at position: Int) throws {
        try SQLiteBinder(statement).bind(value, at: Int32(position))
    }

    func bind(_ integer: Int64, at position: Int) throws {
        try check(sqlite3_bind_int64(statement, Int32(position), integer))
    }

    func bindNull(at position: Int) throws { try check(sqlite3_bind_null(statement, Int32(position))) }

    func bind(inPlace bytes: UnsafeRawBufferPointer, at position: Int) throws {
        try check(
            bytes.count == 0
                ? sqlite3_bind_zeroblob(statement, Int32(position), 0)
                : sqlite3_bind_blob64(
                    statement, Int32(position), bytes.baseAddress, UInt64(bytes.count), Self.inPlace))
    }

    func bind(_ row: Row, _ slot: Int, _ kind: SlotKind, at position: Int) throws {
        try check(RowBinding.bind(row, slot, kind, statement, Int32(position)))
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

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw SQLiteBinder.error(of: connection, sql) }
    }
}
