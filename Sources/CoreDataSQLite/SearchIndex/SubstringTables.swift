import FullTextSearch
import GRDB

/// The tables of an index of trigrams: one of FTS5 for each collection, and one for the state.
///
/// FTS5 gets the forms that `SubstringForm` makes and its own tokenizer of trigrams, which folds nothing more. It keeps the forms: without
/// them SQLite 3.40 cannot take a document out again. Where a trigram is in a form does not count, only in which field.
enum SubstringTables {
    static func make(fieldCounts: [Int], _ database: Database) throws {
        try SearchTables.makeState(fieldCounts: fieldCounts, database)
        for (collection, count) in fieldCounts.enumerated() {
            let fields = (0..<count).map { "f\($0), " }.joined()
            try database.execute(
                sql: """
                    CREATE VIRTUAL TABLE \(SearchTables.documents(collection)) USING fts5(
                        \(fields)tokenize = 'trigram case_sensitive 1', detail = 'column', columnsize = 0);
                    """)
        }
    }

    /// Checks that all tables are there and can be read.
    ///
    /// - Throws: `SearchIndexDamage`; an error of SQLite.
    static func check(_ database: Database) throws {
        for (collection, count) in try SearchTables.fieldCounts(database).enumerated() {
            let name = SearchTables.documents(collection)
            guard try database.columns(in: name).count == count else {
                throw SearchIndexDamage("the table \(name) has other columns")
            }
            for part in ["data", "idx", "content", "config"] {
                _ = try GRDB.Row.fetchOne(database, sql: "SELECT * FROM \(name)_\(part) LIMIT 1")
            }
            _ = try GRDB.Row.fetchOne(
                database, sql: "SELECT rowid FROM \(name) WHERE \(name) MATCH '\"abc\"' LIMIT 1")
        }
    }
}
