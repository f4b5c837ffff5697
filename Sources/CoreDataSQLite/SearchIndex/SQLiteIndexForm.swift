import FullTextSearch
import GRDB
import ObjectGraph

/// What an index in SQLite is of.
enum SQLiteIndexForm {
    case words, trigrams

    /// - Parameter name: the name of an index of a store; nil for that of `NSPredicate(searching:)`.
    init(ofIndexNamed name: String?) { self = name == SubstringSchema.indexName ? .trigrams : .words }

    func writer(_ database: Database) -> any SQLiteIndexWriter {
        switch self {
        case .words: SQLiteSearchWriter(database)
        case .trigrams: SQLiteSubstringWriter(database)
        }
    }

    /// Checks that all tables are there and can be read.
    ///
    /// - Throws: `SearchIndexDamage`; an error of SQLite.
    func check(_ database: Database) throws {
        switch self {
        case .words: try SearchTables.check(database)
        case .trigrams: try SubstringTables.check(database)
        }
    }
}

/// Changes an index in SQLite.
protocol SQLiteIndexWriter: SearchIndexWriter {
    var database: Database { get }

    /// Writes what is written once a transaction.
    func finish() throws
}

extension SQLiteIndexWriter {
    func state() throws -> SearchIndexState? {
        guard try SearchTables.isPresent(database) else { return nil }
        return try SearchStateRows.state(database)
    }
}

extension SQLiteSearchIndex: SubstringIndex {
    func candidates(
        for query: SubstringQuery, in collection: Int, signature: String, limit: Int
    ) throws -> SubstringCandidates {
        let table = SearchTables.documents(collection)
        // The state and the keys are of one state of the file.
        return try read { database in
            guard form == .trigrams, try SearchTables.isPresent(database),
                let state = try SearchStateRows.state(database), state.signature == signature,
                state.progress == nil
            else { return .incomplete }
            let keys = try Int64.fetchAll(
                database, sql: "SELECT rowid FROM \(table) WHERE \(table) MATCH ? LIMIT ?",
                arguments: [SubstringMatch.text(query), limit + 1])
            return keys.count > limit ? .tooMany : .keys(keys, state.position)
        }
    }
}
