import CSQLiteHardening
import FullTextSearch
import GRDB
import GRDBSQLite

/// How often the documents that a part of a query finds have its phrases. The part is a group of the query.
struct SearchOccurrences {
    private let group: SearchQuery.Group
    private let search: IndexedSearch
    private let database: Database
    private let table: String
    private let condition: String

    init(
        _ group: SearchQuery.Group, _ search: IndexedSearch, _ database: Database, _ table: String,
        _ condition: String
    ) {
        self.group = group
        self.search = search
        self.database = database
        self.table = table
        self.condition = condition
    }

    /// Calls a block with the key of each document, in ascending order, and how often it has each of the required phrases.
    func forEach(_ body: (Int64, [Int]) throws -> Void) throws {
        if group.required.count == 1, group.excluded.isEmpty, search.kinds == nil {
            try forEachOfPhrase(body)
        } else {
            try forEachRow(body)
        }
    }

    /// FTS5 itself goes through the documents of a phrase: a step of a statement takes several times as long.
    private func forEachOfPhrase(_ body: (Int64, [Int]) throws -> Void) throws {
        try step("SELECT all_occurrences(\(table)) FROM \(table) WHERE \(condition) LIMIT 1") { row in
            let count = Int(sqlite3_column_bytes(row, 0)) / MemoryLayout<csqlite_occurrences>.stride
            guard let bytes = sqlite3_column_blob(row, 0) else { return }
            for index in 0..<count {
                let found = bytes.loadUnaligned(
                    fromByteOffset: index * MemoryLayout<csqlite_occurrences>.stride,
                    as: csqlite_occurrences.self)
                try body(found.key, [Int(found.count)])
            }
        }
    }

    private func forEachRow(_ body: (Int64, [Int]) throws -> Void) throws {
        // Excluded phrases come after the required ones.
        let phraseCount = group.required.count
        try step("SELECT rowid, occurrences(\(table)) FROM \(table) WHERE \(condition)") { row in
            guard let bytes = sqlite3_column_blob(row, 1),
                Int(sqlite3_column_bytes(row, 1)) >= phraseCount * MemoryLayout<CInt>.stride
            else { return }
            let counts = (0..<phraseCount).map {
                Int(
                    bytes.loadUnaligned(fromByteOffset: $0 * MemoryLayout<CInt>.stride, as: CInt.self))
            }
            try body(sqlite3_column_int64(row, 0), counts)
        }
    }

    /// Steps through the rows of a statement with SQLite's own calls.
    private func step(_ sql: String, _ body: (OpaquePointer) throws -> Void) throws {
        let statement = try database.cachedStatement(sql: sql)
        try statement.setArguments([SearchMatch.text(group, search.scope)])
        let handle = statement.sqliteStatement
        defer { sqlite3_reset(handle) }
        while true {
            switch sqlite3_step(handle) {
            case SQLITE_ROW: try body(handle)
            case SQLITE_DONE: return
            case let code:
                throw DatabaseError(
                    resultCode: ResultCode(rawValue: code), message: database.lastErrorMessage, sql: sql)
            }
        }
    }
}
