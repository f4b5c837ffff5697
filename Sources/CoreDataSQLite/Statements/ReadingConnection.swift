import GRDB
import GRDBSQLite

/// A connection that reads, for one thread at a time, with statements that stay prepared.
///
/// It is set up by GRDB, and then also used by SQLite's own calls: a statement that finds one row costs less than what GRDB
/// checks around it.
final class ReadingConnection: PreparingConnection, @unchecked Sendable {
    private let queue: DatabaseQueue
    let sqliteConnection: OpaquePointer?
    // One thread uses the connection at a time, which the compiler's checks at run time cannot know.

    @exclusivity(unchecked) private var statements = Statements()
    /// Those that collect rows, by the functions that they call and the strings that they were made of.
    @exclusivity(unchecked) private var collecting: [String: Statements] = [:]

    private struct Statements {
        var all: [String: OpaquePointer] = [:]
        /// The statement that was used last: a string that is kept compares with itself in less time than it is hashed.
        var last: (sql: String, statement: OpaquePointer)?

        mutating func statement(_ sql: String) -> OpaquePointer? {
            if let last, last.sql == sql { return last.statement }
            guard let kept = all[sql] else { return nil }
            last = (sql, kept)
            return kept
        }

        mutating func add(_ statement: OpaquePointer, _ sql: String) {
            all[sql] = statement
            last = (sql, statement)
        }

        mutating func finalize(where isWanted: (OpaquePointer) -> Bool) {
            last = nil
            for (sql, statement) in all where isWanted(statement) {
                sqlite3_finalize(statement)
                all[sql] = nil
            }
        }
    }

    init(_ queue: DatabaseQueue) {
        self.queue = queue
        sqliteConnection = queue.unsafeRead { $0.sqliteConnection }
    }

    // SQLite closes no connection that has statements.
    deinit { finalize { _ in true } }

    /// Reads the file as it is at one moment, by as many statements as it takes.
    func read<Value>(_ body: (Database) throws -> Value) throws -> Value { try queue.read(body) }

    func withPrepared<Value>(_ sql: String, _ body: (OpaquePointer) throws -> Value) throws -> Value {
        try run(statement(sql), body)
    }

    func withCollecting<Value>(
        _ sql: String, _ list: String, _ function: CollectingFunction, _ body: (OpaquePointer) throws -> Value
    ) throws -> Value? {
        if let kept = collecting[function.name, default: Statements()].statement(sql) {
            return try run(kept, body)
        }
        guard let collectingSQL = function.collecting(sql, list: list) else { return nil }
        let made = try prepare(collectingSQL)
        collecting[function.name, default: Statements()].add(made, sql)
        return try run(made, body)
    }

    private func run<Value>(
        _ statement: OpaquePointer, _ body: (OpaquePointer) throws -> Value
    ) throws -> Value {
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        return try body(statement)
    }

    private func statement(_ sql: String) throws -> OpaquePointer {
        if let kept = statements.statement(sql) { return kept }
        let made = try prepare(sql)
        statements.add(made, sql)
        return made
    }

    private func prepare(_ sql: String) throws -> OpaquePointer {
        let count = collecting.values.reduce(statements.all.count) { $0 + $1.all.count }
        if count >= PreparedStatements.limit {
            finalize { sqlite3_stmt_busy($0) == 0 }
        }
        var made: OpaquePointer?
        let code = sqlite3_prepare_v3(
            sqliteConnection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil)
        guard code == SQLITE_OK, let made else { throw SQLiteBinder.error(of: sqliteConnection, sql) }
        return made
    }

    private func finalize(where isWanted: (OpaquePointer) -> Bool) {
        statements.finalize(where: isWanted)
        for name in collecting.keys { collecting[name]?.finalize(where: isWanted) }
    }

    /// Closes the connection, which must not be in use and is not used again.
    ///
    /// - Throws: `DatabaseError`.
    func close() throws {
        finalize { _ in true }
        try queue.close()
    }
}
