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
    private let columns: [(rowSlot: Int, kind: SlotKind)]
    private let sql: String

    init(_ database: Database, _ sql: String, _ columns: [SQLColumn]) throws {
        Log.sql.debug("\(sql)")
        self.database = database
        self.sql = sql
        self.columns = columns.map { ($0.rowSlot, $0.kind) }
        prepared = try PreparedStatements.statement(sql, database)
        statement = prepared.sqliteStatement
    }

    func insert(_ row: Row) throws {
        try run(row) {
            sqlite3_bind_int64(statement, 1, row.reference)
            sqlite3_bind_int64(statement, 2, Int64(row.entityNumber))
            sqlite3_bind_int64(statement, 3, row.version)
            return 4
        } after: { _ in
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
                guard RowBinding.bind(row, column.rowSlot, column.kind, statement, index) == SQLITE_OK else {
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

/// Binds the values of a packed row.
enum RowBinding {
    /// SQLite reads the row's bytes where they are; the row lives until the statement is reset.
    private static let inPlace: sqlite3_destructor_type? = nil

    /// Binds one value; returns SQLite's code.
    @inline(__always)
    static func bind(
        _ row: Row, _ slot: Int, _ kind: SlotKind, _ statement: OpaquePointer, _ index: Int32
    ) -> Int32 {
        guard !row.isNull(slot) else { return sqlite3_bind_null(statement, index) }
        switch kind {
        case .integer16, .integer32, .integer64, .boolean, .toOne:
            return sqlite3_bind_int64(statement, index, row.integer(slot))
        case .double, .float, .date:
            return sqlite3_bind_double(statement, index, row.double(slot))
        case .string, .uri:
            return row.withBytes(slot) { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    // An empty string has no address, but is a string.
                    sqlite3_bind_text64(
                        statement, index, $0.baseAddress ?? UnsafePointer(empty), UInt64($0.count),
                        inPlace,
                        UInt8(SQLITE_UTF8))
                }
            }
        case .uuid, .binary, .transformable:
            return row.withBytes(slot) { bytes in
                bytes.count == 0
                    ? sqlite3_bind_zeroblob(statement, index, 0)
                    : sqlite3_bind_blob64(
                        statement, index, bytes.baseAddress, UInt64(bytes.count), inPlace)
            }
        case .decimal:
            switch DecimalColumn.stored(row.decimal(slot)) {
            case .integer(let value): return sqlite3_bind_int64(statement, index, value)
            case .double(let value): return sqlite3_bind_double(statement, index, value)
            case .text(let text): return Self.bindText(statement, index, text)
            default: return sqlite3_bind_null(statement, index)
            }
        case .composite, .undefined, .toMany, .fetched:
            return sqlite3_bind_null(statement, index)
        }
    }

    /// Binds a string that SQLite copies.
    private static func bindText(_ statement: OpaquePointer, _ index: Int32, _ text: String) -> Int32 {
        sqlite3_bind_text(statement, index, text, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    }

    private nonisolated(unsafe) static let empty: UnsafeMutablePointer<CChar> = {
        let pointer = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
        pointer.pointee = 0
        return pointer
    }()
}
