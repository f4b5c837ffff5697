import CoreDataSQL
import GRDB
import GRDBSQLite
import ObjectGraph

/// Binds the changes of a transaction to the INSERT of the history, with SQLite's own calls.
final class ChangeWriter: ChangeWriting {
    /// The parameters, from 1.
    private enum Position {
        static let transaction: Int32 = 5
        static let changed: Int32 = 6
        static let firstValue: Int32 = 7
    }

    private let statement: OpaquePointer
    private let connection: OpaquePointer?
    /// Keeps the statement: the connection may let go of it.
    private let prepared: Statement
    private let sql: String

    /// - Throws: `DatabaseError`.
    init(_ database: Database, _ sql: String, transaction: Int64) throws {
        Log.sql.debug("\(sql)")
        self.sql = sql
        prepared = try PreparedStatements.statement(sql, database)
        statement = prepared.sqliteStatement
        connection = database.sqliteConnection
        sqlite3_clear_bindings(statement)
        try check(sqlite3_bind_int64(statement, Position.transaction, transaction))
    }

    // What is bound in place may be gone before the statement is used again.
    deinit {
        sqlite3_reset(statement)
        sqlite3_clear_bindings(statement)
    }

    func insert(
        _ number: Int64, _ type: NSPersistentHistoryChangeType, _ entityNumber: Int32, _ reference: Int64,
        changed: UnsafeRawBufferPointer?
    ) throws {
        // SQLite reads the bits where they are.
        if let changed {
            try check(
                sqlite3_bind_blob64(
                    statement, Position.changed, changed.baseAddress, UInt64(changed.count), nil))
        }
        try run(number, type, entityNumber, reference)
        if changed != nil { sqlite3_bind_null(statement, Position.changed) }
    }

    func insertDeletion(_ number: Int64, of row: Row, keeping values: ArraySlice<OutlivingValue>) throws {
        try withExtendedLifetime(row) {
            for (position, slot, kind) in values {
                let parameter = ParameterReceiver(
                    statement: statement, index: Position.firstValue + Int32(position))
                try check(RowBinding.give(row.pointer, .init(rowSlot: slot, kind: kind), to: parameter))
            }
            try run(number, .delete, row.entityNumber, row.reference)
        }
        for (position, _, _) in values {
            sqlite3_bind_null(statement, Position.firstValue + Int32(position))
        }
    }

    private func run(
        _ number: Int64, _ type: NSPersistentHistoryChangeType, _ entityNumber: Int32, _ reference: Int64
    ) throws {
        defer { sqlite3_reset(statement) }
        sqlite3_bind_int64(statement, 1, number)
        sqlite3_bind_int64(statement, 2, Int64(type.rawValue))
        sqlite3_bind_int64(statement, 3, Int64(entityNumber))
        sqlite3_bind_int64(statement, 4, reference)
        guard sqlite3_step(statement) == SQLITE_DONE else {
            throw SQLiteBinder.error(of: connection, sql)
        }
    }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw SQLiteBinder.error(of: connection, sql) }
    }
}
