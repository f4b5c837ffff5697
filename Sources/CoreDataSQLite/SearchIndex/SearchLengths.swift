import Foundation
import FullTextSearch
import GRDB
import GRDBSQLite

/// How many words the documents of a collection have, which their ranks depend on.
///
/// FTS5 has a row for each document with that. Here one row has the lengths of a thousand keys in a row, two bytes each, so that those of
/// ten thousand documents are read at once.
enum SearchLengths {
    /// Two rows fit into a page.
    static let keysPerRow: Int64 = 1_000
    /// No document.
    static let none: UInt16 = 0
    /// As many words or more: the document itself has the number.
    static let many = UInt16.max

    static func create(_ collection: Int, _ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE \(SearchTables.lengths(collection)) (number INTEGER PRIMARY KEY, lengths BLOB NOT NULL)
                """)
    }

    /// The number of the row with a key, and the position in it.
    static func position(_ key: Int64) -> (row: Int64, index: Int) {
        let (row, index) = key.quotientAndRemainder(dividingBy: keysPerRow)
        return index < 0 ? (row - 1, Int(index + keysPerRow)) : (row, Int(index))
    }

    /// How many bytes a row has, low ones first.
    static let byteCount = 2 * Int(keysPerRow)
    static var damage: SearchIndexDamage { SearchIndexDamage("a list of lengths is not whole") }

    static func lengths(_ bytes: Data) throws -> [UInt16] {
        guard bytes.count == byteCount else { throw damage }
        return bytes.withUnsafeBytes { bytes in
            (0..<Int(keysPerRow)).map {
                UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: 2 * $0, as: UInt16.self))
            }
        }
    }

    static func bytes(_ lengths: [UInt16]) -> Data {
        lengths.map(\.littleEndian).withUnsafeBytes { Data($0) }
    }
}

/// Reads lengths, best in the order of the keys.
struct SearchLengthReader {
    private let collection: Int
    private let database: Database
    private let rows: Statement
    /// The row that was read last.
    private var number: Int64?
    private var bytes = [UInt8](repeating: 0, count: SearchLengths.byteCount)

    init(_ collection: Int, _ database: Database) throws {
        self.collection = collection
        self.database = database
        rows = try database.cachedStatement(
            sql: "SELECT lengths FROM \(SearchTables.lengths(collection)) WHERE number = ?")
    }

    /// The number of words of a document.
    ///
    /// - Throws: `SearchIndexDamage` where there is no such document.
    mutating func length(_ key: Int64) throws -> Int {
        let (number, index) = SearchLengths.position(key)
        if self.number != number { try read(number) }
        let length = UInt16(bytes[2 * index]) | UInt16(bytes[2 * index + 1]) << 8
        guard length != SearchLengths.none else { throw missing }
        guard length == SearchLengths.many else { return Int(length) }
        return try Int.fetchOne(
            database, sql: "SELECT words FROM \(SearchTables.documents(collection)) WHERE rowid = ?",
            arguments: [key]) ?? 0
    }

    /// By SQLite's own calls: a search reads a thousand of these rows.
    private mutating func read(_ number: Int64) throws {
        let row = rows.sqliteStatement
        defer { sqlite3_reset(row) }
        sqlite3_bind_int64(row, 1, number)
        self.number = nil
        switch sqlite3_step(row) {
        case SQLITE_ROW:
            let count = Int(sqlite3_column_bytes(row, 0))
            guard count == bytes.count, let found = sqlite3_column_blob(row, 0) else {
                throw SearchLengths.damage
            }
            bytes.withUnsafeMutableBytes {
                $0.copyMemory(from: UnsafeRawBufferPointer(start: found, count: count))
            }
            self.number = number
        case SQLITE_DONE: throw missing
        case let code:
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: database.lastErrorMessage)
        }
    }

    private var missing: SearchIndexDamage { SearchIndexDamage("the length of a document is missing") }
}

/// Changes lengths in a transaction: a row is written once for all of its documents.
struct SearchLengthWriter {
    private let collection: Int
    private let database: Database
    private var rows: [Int64: [UInt16]] = [:]
    /// More rows are not kept in memory.
    private static let maxRows = 2_000

    init(_ collection: Int, _ database: Database) {
        self.collection = collection
        self.database = database
    }

    /// Notes the number of words of a document; 0 for one that is removed.
    mutating func set(_ words: Int, for key: Int64) throws {
        let (number, index) = SearchLengths.position(key)
        if rows[number] == nil {
            if rows.count >= Self.maxRows { try finish() }
            rows[number] =
                try Data.fetchOne(
                    database.cachedStatement(
                        sql: "SELECT lengths FROM \(SearchTables.lengths(collection)) WHERE number = ?"),
                    arguments: [number]
                ).map(SearchLengths.lengths)
                ?? Array(repeating: SearchLengths.none, count: Int(SearchLengths.keysPerRow))
        }
        rows[number]?[index] = UInt16(clamping: words)
    }

    /// Writes what was noted.
    mutating func finish() throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO \(SearchTables.lengths(collection))(number, lengths) VALUES (?, ?)
                """)
        for (number, lengths) in rows {
            try statement.execute(arguments: [number, SearchLengths.bytes(lengths)])
        }
        rows = [:]
    }
}
