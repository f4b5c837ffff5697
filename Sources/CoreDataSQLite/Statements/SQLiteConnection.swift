import CoreDataSQL
import Foundation
import GRDB
import GRDBSQLite
import ObjectGraph

/// A connection to SQLite, for what runs over any database.
package struct SQLiteConnection: SQLConnection {
    package let database: Database

    package init(_ database: Database) { self.database = database }

    /// The database of a connection to SQLite.
    ///
    /// - Throws: 134060 for a connection to another database.
    package static func database(of connection: any SQLConnection) throws -> Database {
        guard let connection = connection as? SQLiteConnection else {
            throw NSError.coreData(.coreData, "The store is in another database than SQLite.")
        }
        return connection.database
    }

    package var dialect: any SQLDialect { SQLiteDialect() }

    package var changeCount: Int { Int(sqlite3_changes(database.sqliteConnection)) }

    package func execute(_ statement: RenderedSQL) throws {
        Log.sql.debug("\(statement.text)")
        // GRDB has to know of what changes the schema.
        try database.execute(
            sql: statement.text, arguments: StatementArguments(statement.arguments.map(\.databaseValue)))
    }

    package func prepare(_ statement: RenderedSQL) throws -> any SQLPreparedStatement {
        try SQLitePreparedStatement(database, statement.text)
    }

    package func rowWriter(_ statement: RenderedSQL, _ columns: [SQLColumn]) throws -> any RowWriting {
        try RowWriter(database, statement.text, columns)
    }

    package func forEachRow(of statement: RenderedSQL, _ body: (any SQLRow) throws -> Void) throws {
        try SQLiteReader(database).step(statement) { try body(SQLiteRow($0)) }
    }

    package func forEachRow(
        of statement: RenderedSQL, as selection: RowSelection, timestamp: Double, _ body: (Row) throws -> Void
    ) throws {
        let decoder = RowDecoder(selection)
        var builder = RowBuilder()
        try SQLiteReader(database).step(statement) {
            try body(try decoder.row($0, &builder, timestamp: timestamp))
        }
    }

    package func forEachPair(of statement: RenderedSQL, _ body: (Int64, Int64) throws -> Void) throws {
        try SQLiteReader(database).step(statement) {
            try body(sqlite3_column_int64($0, 0), sqlite3_column_int64($0, 1))
        }
    }

    package func links(
        _ statement: RenderedSQL
    ) throws -> [Int64: [(entityNumber: Int32, reference: Int64)]] {
        try SQLiteReader(database).links(statement)
    }

    package func columnNames(of table: String) throws -> [String] {
        try String.fetchAll(database, sql: "SELECT name FROM pragma_table_info(?)", arguments: [table])
    }

    package func inTransaction<Value>(_ body: () throws -> Value) throws -> Value {
        var value: Value?
        try database.inTransaction(.immediate) {
            value = try body()
            return .commit
        }
        return try made(value)
    }

    package func inSavepoint<Value>(_ body: () throws -> Value) throws -> Value {
        var value: Value?
        try database.inSavepoint {
            value = try body()
            return .commit
        }
        return try made(value)
    }

    /// What a block returned that was called.
    private func made<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw DatabaseError(resultCode: .SQLITE_ABORT, message: "The block was not called.") }
        return value
    }

    package func interrupt() { sqlite3_interrupt(database.sqliteConnection) }
}

extension SQLValue {
    /// The value as GRDB has it.
    var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let value): value.databaseValue
        case .double(let value): value.databaseValue
        case .text(let value): value.databaseValue
        case .blob(let value): value.databaseValue
        }
    }
}

/// The row that a statement has found last.
struct SQLiteRow: SQLRow {
    private let statement: OpaquePointer

    init(_ statement: OpaquePointer) { self.statement = statement }

    func type(_ column: Int) -> SQLValueType {
        switch sqlite3_column_type(statement, Int32(column)) {
        case SQLITE_INTEGER: .integer
        case SQLITE_FLOAT: .double
        case SQLITE_TEXT: .text
        case SQLITE_BLOB: .blob
        default: .null
        }
    }

    func integer(_ column: Int) -> Int64 { sqlite3_column_int64(statement, Int32(column)) }
    func double(_ column: Int) -> Double { sqlite3_column_double(statement, Int32(column)) }
    func string(_ column: Int) -> String { SQLiteReader.text(statement, Int32(column)) }
    func data(_ column: Int) -> Data { SQLiteReader.blob(statement, Int32(column)) }
    func value(_ column: Int) -> SQLValue { SQLValue(statement, Int32(column)) }
}

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
