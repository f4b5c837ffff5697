import CoreDataSQL
import ObjectGraph
import Foundation
import GRDB
import GRDBSQLite
import ManagedObjectModel

/// Binds packed rows to an INSERT, UPDATE or DELETE, straight from the rows' memory.
final class RowWriter: RowWriting {
    private let database: Database
    private let statement: OpaquePointer
    /// Keeps the statement: the connection may let go of it.
    private let prepared: Statement
    private let columns: [RowBinding.Column]
    private let sql: String
    /// The entity whose rows are inserted; nil for statements that change or delete.
    private let inserted: SQLEntity?
    private let dialect: any SQLDialect
    /// The statement that inserts many rows; nil where each row needs one of its own.
    private lazy var statementForMany = Result {
        try inserted.flatMap { try RowFeed.statement($0, dialect, database) }
    }

    /// - Parameter inserted: the entity whose rows the statement inserts.
    init(
        _ database: Database, _ sql: String, _ columns: [SQLColumn], inserting inserted: SQLEntity? = nil,
        _ dialect: any SQLDialect
    ) throws {
        Log.sql.debug("\(sql)")
        self.database = database
        self.sql = sql
        self.inserted = inserted
        self.dialect = dialect
        self.columns = columns.map { RowBinding.Column(rowSlot: $0.rowSlot, kind: $0.kind) }
        prepared = try PreparedStatements.statement(sql, database)
        statement = prepared.sqliteStatement
    }

    func insert(_ rows: ArraySlice<Row>) throws {
        if rows.count >= RowFeed.leastRows, let sql = try statementForMany.get() {
            try insertTogether(rows, by: sql)
        } else {
            for row in rows { try insert(row) }
        }
    }

    private func insert(_ row: Row) throws {
        try run(row) {
            sqlite3_bind_int64(statement, 1, row.reference)
            sqlite3_bind_int64(statement, 2, Int64(row.entityNumber))
            sqlite3_bind_int64(statement, 3, row.version)
            return 4
        } after: { _ in
        }
    }

    private func insertTogether(_ rows: ArraySlice<Row>, by sql: String) throws {
        Log.sql.debug("\(sql)")
        var pointers: ContiguousArray<RowPointer> = []
        pointers.reserveCapacity(rows.count)
        for index in rows.indices { pointers.append(rows[index].pointer) }
        // The list has the rows until the statement is reset, and the feed is where it was bound.
        try withExtendedLifetime(rows) {
            try pointers.withUnsafeBufferPointer { pointers in
                try columns.withUnsafeBufferPointer { columns in
                    var feed = RowFeed(rows: pointers, columns: columns)
                    try withUnsafeMutablePointer(to: &feed) { feed in
                        try database.withPrepared(sql) { try run($0, feed) }
                    }
                }
            }
        }
    }

    private func run(_ statement: OpaquePointer, _ feed: UnsafeMutablePointer<RowFeed>) throws {
        // An error names the statement for one row, as it does for few.
        guard RowFeed.bind(feed, to: statement) == SQLITE_OK, sqlite3_step(statement) == SQLITE_DONE else {
            throw SQLiteBinder.error(of: database.sqliteConnection, sql)
        }
        let count = Int(sqlite3_changes(database.sqliteConnection))
        guard count == feed.pointee.rows.count else {
            throw DatabaseError(
                resultCode: .SQLITE_CORRUPT,
                message: "\(count) of \(feed.pointee.rows.count) rows were inserted", sql: sql)
        }
    }

    /// Writes the row if the stored one has the old version; whether it has.
    func update(_ row: Row, oldVersion: Int64) throws -> Bool {
        try run(row) {
            1
        } after: { next in
            sqlite3_bind_int64(statement, next, row.version)
            sqlite3_bind_int64(statement, next + 1, row.reference)
            sqlite3_bind_int64(statement, next + 2, oldVersion)
        }
        return sqlite3_changes(database.sqliteConnection) > 0
    }

    /// Deletes the row if the stored one has its version; whether it has.
    func delete(_ row: Row) throws -> Bool {
        try run(row) {
            sqlite3_bind_int64(statement, 1, row.reference)
            sqlite3_bind_int64(statement, 2, row.version)
            return 3
        } after: { _ in
        }
        return sqlite3_changes(database.sqliteConnection) > 0
    }

    private func run(_ row: Row, before: () -> Int32, after: (Int32) -> Void) throws {
        defer { sqlite3_reset(statement) }
        try withExtendedLifetime(row) {
            var index = before()
            for column in columns {
                let parameter = ParameterReceiver(statement: statement, index: index)
                guard RowBinding.give(row.pointer, column, to: parameter) == SQLITE_OK else {
                    throw SQLiteBinder.error(of: database.sqliteConnection, sql)
                }
                index += 1
            }
            after(index)
            guard sqlite3_step(statement) == SQLITE_DONE else {
                throw SQLiteBinder.error(of: database.sqliteConnection, sql)
            }
        }
    }

    /// Lets go of the last row's bytes. To be called when the last row is written: until then the next row's take their
    /// place.
    func finish() { sqlite3_clear_bindings(statement) }
}
