import Foundation
import GRDB
import GRDBSQLite

/// A connection of which the contestants use SQLite's C calls.
struct Raw {
    let queue: DatabaseQueue

    init(_ path: String) throws { queue = try DatabaseQueue(path: path) }

    /// Runs `body` with a prepared statement, again and again inside one transaction if asked to.
    func with<Value>(_ sql: String, _ body: (OpaquePointer) throws -> Value) throws -> Value {
        try queue.writeWithoutTransaction { database in
            let statement = try database.cachedStatement(sql: sql).sqliteStatement
            sqlite3_reset(statement)
            defer { sqlite3_reset(statement) }
            return try body(statement)
        }
    }

    func inTransaction<Value>(_ sql: String, _ body: (OpaquePointer) throws -> Value) throws -> Value {
        try queue.write { database in
            let statement = try database.cachedStatement(sql: sql).sqliteStatement
            defer { sqlite3_reset(statement) }
            return try body(statement)
        }
    }

    func execute(_ sql: String) throws { try queue.write { try $0.execute(sql: sql) } }

    /// Steps to the end of a statement that gives no rows.
    static func run(_ statement: OpaquePointer) throws {
        guard sqlite3_step(statement) == SQLITE_DONE else {
            throw Workload.Failure(description: "step failed")
        }
        sqlite3_reset(statement)
    }

    static func bind(_ statement: OpaquePointer, _ index: Int32, _ text: String) {
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                _ = sqlite3_bind_text(
                    statement, index, $0.baseAddress, Int32($0.count),
                    unsafeBitCast(-1, to: sqlite3_destructor_type.self))
            }
        }
    }

    static func text(_ statement: OpaquePointer, _ index: Int32) -> String {
        guard let start = sqlite3_column_text(statement, index) else { return "" }
        let count = Int(sqlite3_column_bytes(statement, index))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }
}
