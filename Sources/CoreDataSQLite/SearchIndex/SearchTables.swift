import FullTextSearch
import GRDB

/// The tables of an index: one of FTS5 for each collection, one that lists the words of it, one with the lengths of its documents, and
/// one for the state.
///
/// FTS5 gets the words as canonical forms with spaces between them, so that its plainest tokenizer, which divides ASCII text at what is
/// neither letter nor digit and nothing else, finds exactly these. It keeps them, too: without them it could not take a document
/// out again.
enum SearchTables {
    /// Marks files of this kind: `OCSI`.
    static let applicationID: Int32 = 0x4F43_5349
    /// Raised whenever words or tables change.
    static let version: Int32 = 2

    static func documents(_ collection: Int) -> String { "d\(collection)" }
    static func vocabulary(_ collection: Int) -> String { "v\(collection)" }
    static func lengths(_ collection: Int) -> String { "\(lengthsPrefix)\(collection)" }
    private static let lengthsPrefix = "l"

    /// Whether a database has an index of this version.
    ///
    /// - Throws: `SearchIndexDamage` for a database that is another one's; an error of SQLite.
    static func isPresent(_ database: Database) throws -> Bool {
        let id = try Int32.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        guard id == applicationID else {
            let count = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM sqlite_master") ?? 0
            if count == 0 { return false }
            throw SearchIndexDamage("it is a database of another kind")
        }
        guard try Int32.fetchOne(database, sql: "PRAGMA user_version") == version else { return false }
        return try database.tableExists("state")
    }

    /// Checks that all tables are there and can be read.
    ///
    /// - Throws: `SearchIndexDamage`; an error of SQLite.
    static func check(_ database: Database) throws {
        for (collection, count) in try fieldCounts(database).enumerated() {
            // Those for the kind and the number of words come before.
            try checkDocuments(
                collection, columnCount: count + 2, parts: ["data", "idx", "content", "docsize", "config"],
                query: "\"a\" *", database)
            _ = try GRDB.Row.fetchOne(database, sql: "SELECT term FROM \(vocabulary(collection)) LIMIT 1")
            _ = try GRDB.Row.fetchOne(database, sql: "SELECT lengths FROM \(lengths(collection)) LIMIT 1")
        }
    }

    /// Checks that the table of a collection's documents is there and can be read.
    ///
    /// - Parameters:
    ///   - parts: in what FTS5 keeps it.
    ///   - query: any query of FTS5.
    static func checkDocuments(
        _ collection: Int, columnCount: Int, parts: [String], query: String, _ database: Database
    ) throws {
        let name = documents(collection)
        guard try database.columns(in: name).count == columnCount else {
            throw SearchIndexDamage("the table \(name) has other columns")
        }
        for part in parts {
            _ = try GRDB.Row.fetchOne(database, sql: "SELECT * FROM \(name)_\(part) LIMIT 1")
        }
        _ = try GRDB.Row.fetchOne(
            database, sql: "SELECT rowid FROM \(name) WHERE \(name) MATCH ? LIMIT 1", arguments: [query])
    }

    /// How many fields each collection has.
    ///
    /// - Throws: `SearchIndexDamage` where that is not known; an error of SQLite.
    static func fieldCounts(_ database: Database) throws -> [Int] {
        guard try isPresent(database),
            let fields = try String.fetchOne(
                database, sql: "SELECT value FROM state WHERE name = 'fields'")
        else { throw SearchIndexDamage("it has no table of its state") }
        return fields.split(separator: " ").map { Int($0) ?? -1 }
    }

    /// Makes the table for the state of an empty index, in place of all that is there.
    static func makeState(fieldCounts: [Int], _ database: Database) throws {
        try removeAll(database)
        try database.execute(
            sql: """
                PRAGMA application_id = \(applicationID);
                PRAGMA user_version = \(version);
                CREATE TABLE state (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
                """)
        try database.execute(
            sql: "INSERT INTO state(name, value) VALUES ('fields', ?)",
            arguments: [fieldCounts.map(String.init).joined(separator: " ")])
    }

    /// Makes the tables of an empty index, in place of all that is there.
    static func make(fieldCounts: [Int], _ database: Database) throws {
        try makeState(fieldCounts: fieldCounts, database)
        for (collection, count) in fieldCounts.enumerated() {
            let fields = (0..<count).map { ", f\($0)" }.joined()
            let name = documents(collection)
            try database.execute(
                sql: """
                    CREATE VIRTUAL TABLE \(name) USING fts5(
                        kind UNINDEXED, words UNINDEXED\(fields), tokenize = 'ascii', prefix = '2 3');
                    CREATE VIRTUAL TABLE \(vocabulary(collection)) USING fts5vocab(\(name), 'row');
                    """)
            try SearchLengths.create(collection, database)
        }
    }

    /// Has FTS5 merge what it has written from time to time, while changes follow, or leave that: all documents of a first indexing are
    /// merged in fewer steps.
    static func setMerging(_ isMerging: Bool, collectionCount: Int, _ database: Database) throws {
        for name in (0..<collectionCount).map(documents) {
            try database.execute(
                sql: "INSERT INTO \(name)(\(name), rank) VALUES ('automerge', ?)",
                arguments: [isMerging ? usualMerging : 0])
        }
    }

    /// What FTS5 does by itself.
    private static let usualMerging = 4

    private static func removeAll(_ database: Database) throws {
        // The tables of FTS5 take along those in which it keeps its contents.
        let tables = try GRDB.Row.fetchAll(
            database, sql: "SELECT name, rootpage FROM sqlite_master WHERE type = 'table' ORDER BY rootpage")
        for row in tables {
            let name: String = row["name"]
            // Those of FTS5 begin as its tables do.
            let isOwn = name == "state" || name.hasPrefix(lengthsPrefix)
            guard !name.hasPrefix("sqlite_"), row["rootpage"] == 0 || isOwn else { continue }
            try database.execute(sql: "DROP TABLE IF EXISTS \(database.quoted(name))")
        }
    }
}
