import CSQLiteHardening
import CoreDataSQL
import DurableFiles
import FullTextSearch
import Foundation
import GRDB
import GRDBSQLite
import ObjectGraph

/// An index in a SQLite database of its own: a file beside the store, a temporary one, or in memory.
final class SQLiteSearchIndex: SearchIndex {
    private let database: any DatabaseWriter
    /// The file; nil for an index without one of its own name.
    private let url: URL?
    private let identity: FileIdentity?
    let form: SQLiteIndexForm

    /// - Throws: `SearchIndexDamage` for a file that is not an index; an error of SQLite or of the file system.
    convenience init(at url: URL?, of form: SQLiteIndexForm = .words) throws {
        try self.init(at: url, of: form, isTemporary: false)
    }

    /// Makes an index whose size memory does not bound: SQLite removes the name of its file as soon as the file is there, so that the
    /// system removes the rest with the process, however that ends.
    ///
    /// - Throws: an error of SQLite, such as for a temporary folder that cannot be written to.
    static func temporary() throws -> SQLiteSearchIndex {
        try SQLiteSearchIndex(at: nil, of: .words, isTemporary: true)
    }

    private init(at url: URL?, of form: SQLiteIndexForm, isTemporary: Bool) throws {
        self.url = url
        self.form = form
        // Connections that read are opened later: of another file in its place they would have other contents than the one that writes.
        identity = url.flatMap { FileIdentity(at: $0.path) }
        var configuration = Configuration()
        configuration.label = "CoreData.search"
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .timeout(60)
        configuration.maximumReaderCount = 4
        configuration.prepareDatabase { database in
            try SQLiteHardening.install(on: database)
            // Lengths of documents are everywhere in the file: those of two million fit in. The first indexing writes much that is
            // merged soon: what waits in the log longer goes to the disk less often, for which saves would wait too.
            try database.execute(
                sql: """
                    PRAGMA cache_size = -8000; PRAGMA wal_autocheckpoint = 8000;
                    PRAGMA journal_size_limit = 4000000
                    """)
            let code = csqlite_search_install(database.sqliteConnection)
            guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        }
        do {
            if let url {
                database = try DatabasePool(path: url.path, configuration: configuration)
            } else if isTemporary {
                // SQLite's name of such a database: https://www.sqlite.org/inmemorydb.html#temp_db
                database = try DatabaseQueue(path: "", configuration: configuration)
            } else {
                database = try DatabaseQueue(configuration: configuration)
            }
            _ = try database.read(SearchTables.isPresent)
        } catch let error as DatabaseError {
            throw Self.error(error, url)
        }
    }

    /// Gives an empty file the mark of an index, in the file itself and not in a log beside it: by the mark it is known when the store
    /// is destroyed.
    static func mark(_ url: URL) throws {
        var configuration = Configuration()
        configuration.label = "CoreData.search"
        configuration.busyMode = .timeout(60)
        do {
            let database = try DatabaseQueue(path: url.path, configuration: configuration)
            try database.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA application_id = \(SearchTables.applicationID)")
            }
            try database.close()
        } catch let error as DatabaseError {
            throw NSError.sqlite(error, during: "make the search index", store: url)
        }
    }

    var isInPlace: Bool { url.map { identity != nil && FileIdentity(at: $0.path) == identity } ?? true }

    var isReadDuringUpdates: Bool { url != nil }

    func state() throws -> SearchIndexState? {
        try read { database in
            guard try SearchTables.isPresent(database) else { return nil }
            return try SearchStateRows.state(database)
        }
    }

    func update<Value>(_ body: (any SearchIndexWriter) throws -> Value) throws -> Value {
        try catching {
            do {
                return try transaction(body)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
                // What was written before the disk was full is in the log still.
                do {
                    try database.writeWithoutTransaction { database in
                        try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
                    }
                } catch let other as DatabaseError where other.resultCode == .SQLITE_FULL {
                    throw SearchIndexShortage(Self.error(error, url))
                }
                throw error
            }
        }
    }

    private func transaction<Value>(_ body: (any SearchIndexWriter) throws -> Value) throws -> Value {
        try database.writeImmediately { database in
            let writer = form.writer(database)
            let value = try body(writer)
            try writer.finish()
            return value
        }
    }

    // MARK: Searching

    func keys(_ search: IndexedSearch, limit: Int?, offset: Int) throws -> [Int64] {
        try find(search, orElse: []) { database, table, condition in
            try Int64.fetchAll(
                database,
                sql: "SELECT rowid FROM \(table) WHERE \(condition) ORDER BY rowid LIMIT ? OFFSET ?",
                arguments: [SearchMatch.text(search.query, search.scope), limit ?? -1, offset])
        }
    }

    func count(_ search: IndexedSearch) throws -> Int {
        try find(search, orElse: 0) { database, table, condition in
            try Int.fetchOne(
                database, sql: "SELECT COUNT(*) FROM \(table) WHERE \(condition)",
                arguments: [SearchMatch.text(search.query, search.scope)]) ?? 0
        }
    }

    func ranks(_ search: IndexedSearch) throws -> [RankedKey] {
        try find(search, orElse: []) { database, table, condition in
            // FTS5 looks at all phrases of its query, also at those of a group that a document does not meet.
            let groups = search.query.groups
            let occurrences = try groups.map {
                try SearchOccurrences($0, search, database, table, condition)
            }
            var known: [SearchPhrase: Int] = [:]
            for (group, found) in zip(groups, occurrences)
            where SearchOccurrences.isOnePhrase(group, search) {
                known[group.required[0]] = found.keys.count
            }
            let statistics = try statistics(search, database, table, known)
            var lengths = try SearchLengthReader(search.collection, database)
            let ranks = try zip(groups, occurrences).map { group, found in
                let ranking = SearchRanking(group, statistics)
                let count = group.required.count
                return try found.keys.enumerated().map { index, key in
                    let rank = ranking.rank(length: try lengths.length(key)) { phrase in
                        Int(found.counts[index * count + phrase])
                    }
                    return RankedKey(key: key, rank: rank)
                }
            }
            if ranks.count == 1 { return ranks[0] }
            var sums: [Int64: Double] = [:]
            for found in ranks.joined() { sums[found.key, default: 0] += found.rank }
            return sums.map { RankedKey(key: $0.key, rank: $0.value) }
        }
    }

    func counts(_ search: IndexedSearch) throws -> [Int32: Int] {
        try find(search, orElse: [:]) { database, table, condition in
            let rows = try GRDB.Row.fetchAll(
                database, sql: "SELECT kind, COUNT(*) FROM \(table) WHERE \(condition) GROUP BY kind",
                arguments: [SearchMatch.text(search.query, search.scope)])
            return Dictionary(rows.map { ($0[0] as Int32, $0[1] as Int) }, uniquingKeysWith: +)
        }
    }

    func statistics(_ search: IndexedSearch) throws -> SearchStatistics {
        try find(search, orElse: SearchStatistics()) { database, table, _ in
            try statistics(search, database, table)
        }
    }

    /// - Parameter known: phrases whose documents have been counted.
    private func statistics(
        _ search: IndexedSearch, _ database: Database, _ table: String, _ known: [SearchPhrase: Int] = [:]
    ) throws -> SearchStatistics {
        var statistics = try SearchStateRows.totals(search.collection, database)
        statistics.documentCounts = known
        for phrase in search.query.phrases where known[phrase] == nil {
            statistics.documentCounts[phrase] = try Int.fetchOne(
                database.cachedStatement(sql: "SELECT COUNT(*) FROM \(table) WHERE \(table) MATCH ?"),
                arguments: [SearchMatch.text(phrase, search.scope)])
        }
        return statistics
    }

    func words(
        beginningWith prefix: String, in collection: Int, ofKinds kinds: Set<Int32>?, limit: Int
    ) throws -> [IndexedWord] {
        let table = SearchTables.documents(collection)
        let condition = Self.condition(table, kinds)
        return try read { database in
            guard try database.tableExists(table) else { return [] }
            // No letter is the last code point. A beginning of one letter may be that of a million words.
            let terms = try GRDB.Row.fetchCursor(
                database,
                sql: """
                    SELECT term, doc FROM \(SearchTables.vocabulary(collection)) WHERE term >= ? AND term < ?
                    ORDER BY doc DESC, term LIMIT \(IndexedWord.mostExamined)
                    """,
                arguments: [prefix, prefix + "\u{10FFFF}"])
            var found: [IndexedWord] = []
            while let term = try terms.next() {
                let (word, most) = (term[0] as String, term[1] as Int)
                // None of the rest has more documents of these kinds.
                if found.count >= limit, found[limit - 1].documentCount > most { break }
                let match = SearchMatch.text(SearchPhrase(words: [word]), .all)
                guard
                    let row = try GRDB.Row.fetchOne(
                        database, sql: "SELECT COUNT(*), MIN(rowid) FROM \(table) WHERE \(condition)",
                        arguments: [match]), let document = row[1] as Int64?
                else { continue }
                found.append(IndexedWord(key: word, documentCount: row[0], document: document))
                found = found.mostFrequentFirst
                if found.count > limit { found.removeLast(found.count - limit) }
            }
            return found
        }
    }

    private func find<Value>(
        _ search: IndexedSearch, orElse none: Value, _ body: (Database, String, String) throws -> Value
    ) throws -> Value {
        guard !search.query.isEmpty else { return none }
        if case .only(let fields) = search.scope, fields.isEmpty { return none }
        let table = SearchTables.documents(search.collection)
        return try read { database in
            guard try database.tableExists(table) else { return none }
            return try body(database, table, Self.condition(table, search.kinds))
        }
    }

    private static func condition(_ table: String, _ kinds: Set<Int32>?) -> String {
        guard let kinds else { return "\(table) MATCH ?" }
        return "\(table) MATCH ? AND kind IN (\(kinds.sorted().map(String.init).joined(separator: ", ")))"
    }

    // MARK: Errors

    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        let cancellation = StoreSearch.readingCancellation
        return try catching {
            try database.read { database in
                try FetchCancellation.reading(on: database.sqliteConnection, cancellation) {
                    try body(database)
                }
            }
        }
    }

    private func catching<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let error as DatabaseError { throw checkedError(error) }
    }

    /// SQLite reports a table that is missing or cannot be read as it reports a statement that is wrong: the tables tell them apart.
    private func checkedError(_ error: DatabaseError) -> any Error {
        guard error.resultCode == .SQLITE_ERROR else { return Self.error(error, url) }
        do {
            try database.read(form.check)
            return NSError.sqlite(error, during: "search the index", store: url)
        } catch let other as DatabaseError {
            return Self.error(other, url)
        } catch {
            return error
        }
    }

    /// - Parameter error: one of opening or checking an index, or another one than SQLite's general error.
    /// - Returns: `SearchIndexDamage` for what only another index mends, also where the file was removed while it is in use.
    private static func error(_ error: DatabaseError, _ url: URL?) -> any Error {
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_FORMAT, .SQLITE_SCHEMA,
            .SQLITE_MISMATCH:
            return SearchIndexDamage(error.message ?? "it is malformed")
        case .SQLITE_IOERR, .SQLITE_CANTOPEN, .SQLITE_READONLY:
            // A lack of memory, of descriptors or of room on the disk passes, and the index is whole: others may be using it.
            let damages: [ResultCode] = [
                .SQLITE_READONLY_DBMOVED, .SQLITE_IOERR_SHORT_READ, .SQLITE_IOERR_CORRUPTFS,
            ]
            let isGone = url.map { !FileManager.default.fileExists(atPath: $0.path) } ?? false
            guard isGone || damages.contains(error.extendedResultCode) else { break }
            return SearchIndexDamage(error.message ?? "it cannot be read")
        default: break
        }
        return NSError.sqlite(error, during: "search the index", store: url)
    }
}
