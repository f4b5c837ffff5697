import ObjectGraph
import GRDB
import GRDBSQLite

/// A connection that keeps the statements that it has prepared.
protocol PreparingConnection {
    var sqliteConnection: OpaquePointer? { get }

    /// Has a block use a statement without values, which has none again afterwards.
    ///
    /// - Throws: `DatabaseError`, or what `body` throws.
    func withPrepared<Value>(_ sql: String, _ body: (OpaquePointer) throws -> Value) throws -> Value
    /// The same with the statement that a function makes of one; nil where it makes none.
    func withCollecting<Value>(
        _ sql: String, _ list: String, _ function: CollectingFunction, _ body: (OpaquePointer) throws -> Value
    ) throws -> Value?
}

extension Database: PreparingConnection {
    func withPrepared<Value>(_ sql: String, _ body: (OpaquePointer) throws -> Value) throws -> Value {
        let statement = try PreparedStatements.statement(sql, self)
        return try withExtendedLifetime(statement) {
            let pointer = statement.sqliteStatement
            defer {
                sqlite3_reset(pointer)
                sqlite3_clear_bindings(pointer)
            }
            return try body(pointer)
        }
    }

    func withCollecting<Value>(
        _ sql: String, _ list: String, _ function: CollectingFunction, _ body: (OpaquePointer) throws -> Value
    ) throws -> Value? {
        try function.collecting(sql, list: list).map { try withPrepared($0, body) }
    }
}

extension Database {
    /// Runs a transaction that begins with the lock for writing, and is rolled back when `body` throws.
    ///
    /// The statements that begin and end it stay prepared. `inTransaction` prepares them each time, which takes a sixth of the
    /// instructions of a small save. `body` has to throw the errors of its statements: the database may have ended the transaction by
    /// itself then, and what followed would be outside of it. `inTransaction` checks that before each statement of GRDB's.
    ///
    /// - Throws: `DatabaseError`, also when an error that `body` did not throw has ended the transaction; what `body` throws.
    func inImmediateTransaction<Value>(_ body: () throws -> Value) throws -> Value {
        try PreparedStatements.statement("BEGIN IMMEDIATE TRANSACTION", self).execute()
        do {
            let value = try body()
            guard isInsideTransaction else {
                throw DatabaseError(
                    resultCode: .SQLITE_ABORT, message: "The transaction was ended by an error.")
            }
            try PreparedStatements.statement("COMMIT TRANSACTION", self).execute()
            return value
        } catch {
            // The error is what counts; the database may have ended the transaction by itself.
            if isInsideTransaction { try? rollback() }
            throw error
        }
    }
}

extension DatabaseWriter {
    /// Runs a transaction; see `inImmediateTransaction(_:)`.
    func writeImmediately<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try writeWithoutTransaction { database in
            try database.inImmediateTransaction { try body(database) }
        }
    }
}

/// The statements that a connection keeps prepared.
package enum PreparedStatements {
    /// How many a connection keeps. Predicates made by users, and sets of changed attributes, are without number.
    package static let limit = 500

    /// A statement that is ready to be given values, prepared if the connection has none for the string.
    ///
    /// Keep the statement as long as its pointer is used: the connection lets go of all that it keeps when they become
    /// too many.
    ///
    /// - Throws: `DatabaseError`.
    package static func statement(_ sql: String, _ database: Database) throws -> Statement {
        let statement = try database.cachedStatement(sql: sql)
        let pointer = statement.sqliteStatement
        // Only a new one has never run.
        if sqlite3_stmt_status(pointer, SQLITE_STMTSTATUS_RUN, 0) == 0, count(database) > limit {
            database.releaseMemory()
        }
        sqlite3_reset(pointer)
        return statement
    }

    /// Runs a statement with values, and calls `body` for each row.
    ///
    /// Inlined, so that the body is not called through a pointer for each row.
    ///
    /// - Throws: `DatabaseError`, or what `body` throws.
    @inline(__always)
    static func step(
        _ sql: String, _ values: [SQLValue], _ connection: any PreparingConnection,
        _ body: (OpaquePointer) throws -> Void = { _ in }
    ) throws {
        try connection.withPrepared(sql) { statement in
            try SQLiteBinder(statement).bind(values)
            while true {
                switch sqlite3_step(statement) {
                case SQLITE_ROW: try body(statement)
                case SQLITE_DONE: return
                default: throw SQLiteBinder.error(of: connection.sqliteConnection, sql)
                }
            }
        }
    }

    private static func count(_ database: Database) -> Int {
        var count = 0
        var statement = sqlite3_next_stmt(database.sqliteConnection, nil)
        while let next = statement {
            count += 1
            statement = sqlite3_next_stmt(database.sqliteConnection, next)
        }
        return count
    }
}
