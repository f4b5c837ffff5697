import CSQLiteHardening
import FullTextSearch
import GRDB
import GRDBSQLite

/// The documents that a group of a query finds, in the order of their keys, and how often each has the required phrases.
struct SearchOccurrences {
    private(set) var keys: [Int64] = []
    /// Those of all phrases of the first document, then of the second.
    private(set) var counts: [CInt] = []

    init(
        _ group: SearchQuery.Group, _ search: IndexedSearch, _ database: Database, _ table: String,
        _ condition: String
    ) throws {
        let match = SearchMatch.text(group, search.scope)
        if Self.isOnePhrase(group, search) {
            try addPhrase(
                "SELECT all_occurrences(\(table)) FROM \(table) WHERE \(condition) LIMIT 1", match, database)
        } else {
            try addRows(
                "SELECT rowid, occurrences(\(table)) FROM \(table) WHERE \(condition)", match, database,
                phraseCount: group.required.count)
        }
    }

    /// Whether a group finds all documents that have a phrase, and no others.
    static func isOnePhrase(_ group: SearchQuery.Group, _ search: IndexedSearch) -> Bool {
        group.required.count == 1 && group.excluded.isEmpty && search.kinds == nil
    }

    /// FTS5 itself goes through the documents of a phrase: a step of a statement takes several times as long.
    private mutating func addPhrase(_ sql: String, _ match: String, _ database: Database) throws {
        try Self.step(sql, match, database) { row in
            let size = MemoryLayout<csqlite_occurrences>.stride
            let count = Int(sqlite3_column_bytes(row, 0)) / size
            guard let bytes = sqlite3_column_blob(row, 0) else { return }
            keys.reserveCapacity(count)
            counts.reserveCapacity(count)
            for index in 0..<count {
                let found = bytes.loadUnaligned(fromByteOffset: index * size, as: csqlite_occurrences.self)
                keys.append(found.key)
                counts.append(CInt(clamping: found.count))
            }
        }
    }

    private mutating func addRows(
        _ sql: String, _ match: String, _ database: Database, phraseCount: Int
    ) throws {
        try Self.step(sql, match, database) { row in
            let size = MemoryLayout<CInt>.stride
            // Excluded phrases come after the required ones.
            guard let bytes = sqlite3_column_blob(row, 1),
                Int(sqlite3_column_bytes(row, 1)) >= phraseCount * size
            else { return }
            keys.append(sqlite3_column_int64(row, 0))
            for phrase in 0..<phraseCount {
                counts.append(bytes.loadUnaligned(fromByteOffset: phrase * size, as: CInt.self))
            }
        }
    }

    /// Steps through the rows of a statement with SQLite's own calls.
    private static func step(
        _ sql: String, _ match: String, _ database: Database, _ body: (OpaquePointer) -> Void
    ) throws {
        let statement = try database.cachedStatement(sql: sql)
        try statement.setArguments([match])
        let handle = statement.sqliteStatement
        defer { sqlite3_reset(handle) }
        while true {
            switch sqlite3_step(handle) {
            case SQLITE_ROW: body(handle)
            case SQLITE_DONE: return
            case let code:
                throw DatabaseError(
                    resultCode: ResultCode(rawValue: code), message: database.lastErrorMessage, sql: sql)
            }
        }
    }
}
