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
            try SearchTables.checkDocuments(
                collection, columnCount: count, parts: ["data", "idx", "content", "config"],
                query: "\"abc\"", database)
        }
    }
}
