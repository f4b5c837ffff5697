import FullTextSearch
import GRDB

/// Changes an index of trigrams, in a transaction of its database.
final class SQLiteSubstringWriter: SQLiteIndexWriter {
    let database: Database
    private var tables: [Int: Table] = [:]

    /// What is known of a collection.
    private struct Table {
        let fieldCount: Int
        let insertion: Statement
    }

    init(_ database: Database) { self.database = database }

    func setState(_ state: SearchIndexState) throws { try SearchStateRows.set(state, database) }

    func reset(fieldCounts: [Int]) throws {
        tables = [:]
        try SubstringTables.make(fieldCounts: fieldCounts, database)
    }

    func set(
        _ texts: [(field: Int, text: String)], for key: Int64, kind: Int32, in collection: Int, isNew: Bool
    ) throws {
        if !isNew { try remove(key, from: collection) }
        let table = try table(collection)
        var arguments: [DatabaseValue] = Array(repeating: .null, count: table.fieldCount + 1)
        var isEmpty = true
        for (field, text) in texts where field < table.fieldCount {
            let form = SubstringForm.indexed(text)
            // Nothing is looked for that is shorter.
            guard form.unicodeScalars.count >= 3 else { continue }
            arguments[field + 1] = form.databaseValue
            isEmpty = false
        }
        guard !isEmpty else { return }
        arguments[0] = key.databaseValue
        try table.insertion.execute(arguments: StatementArguments(arguments))
    }

    func remove(_ key: Int64, from collection: Int) throws {
        try database.cachedStatement(
            sql: "DELETE FROM \(SearchTables.documents(collection)) WHERE rowid = ?"
        ).execute(arguments: [key])
    }

    func finish() {}

    private func table(_ collection: Int) throws -> Table {
        if let known = tables[collection] { return known }
        let name = SearchTables.documents(collection)
        let count = try database.columns(in: name).count
        let columns = (0..<count).map { ", f\($0)" }.joined()
        let insertion = try database.cachedStatement(
            sql: """
                INSERT INTO \(name)(rowid\(columns))
                VALUES (?\(String(repeating: ", ?", count: count)))
                """)
        let made = Table(fieldCount: count, insertion: insertion)
        tables[collection] = made
        return made
    }
}
