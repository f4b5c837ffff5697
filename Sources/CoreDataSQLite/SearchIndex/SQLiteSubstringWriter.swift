import FullTextSearch
import GRDB

/// Changes an index of trigrams, in a transaction of its database.
final class SQLiteSubstringWriter: SQLiteIndexWriter {
    private let database: Database
    private var fieldCounts: [Int: Int] = [:]

    init(_ database: Database) { self.database = database }

    func state() throws -> SearchIndexState? {
        guard try SearchTables.isPresent(database) else { return nil }
        return try SearchStateRows.state(database)
    }

    func setState(_ state: SearchIndexState) throws { try SearchStateRows.set(state, database) }

    func reset(fieldCounts: [Int]) throws {
        self.fieldCounts = [:]
        try SubstringTables.make(fieldCounts: fieldCounts, database)
    }

    func set(
        _ texts: [(field: Int, text: String)], for key: Int64, kind: Int32, in collection: Int, isNew: Bool
    ) throws {
        if !isNew { try remove(key, from: collection) }
        let count = try fieldCount(of: collection)
        var arguments: [DatabaseValue] = Array(repeating: .null, count: count + 1)
        var isEmpty = true
        for (field, text) in texts where field < count {
            let form = SubstringForm.indexed(text)
            // Nothing is looked for that is shorter.
            guard form.unicodeScalars.count >= 3 else { continue }
            arguments[field + 1] = form.databaseValue
            isEmpty = false
        }
        guard !isEmpty else { return }
        arguments[0] = key.databaseValue
        let columns = (0..<count).map { ", f\($0)" }.joined()
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO \(SearchTables.documents(collection))(rowid\(columns))
                VALUES (?\(String(repeating: ", ?", count: count)))
                """)
        try statement.execute(arguments: StatementArguments(arguments))
    }

    func remove(_ key: Int64, from collection: Int) throws {
        try database.cachedStatement(
            sql: "DELETE FROM \(SearchTables.documents(collection)) WHERE rowid = ?"
        ).execute(arguments: [key])
    }

    func finish() {}

    private func fieldCount(of collection: Int) throws -> Int {
        if let known = fieldCounts[collection] { return known }
        let count = try database.columns(in: SearchTables.documents(collection)).count
        fieldCounts[collection] = count
        return count
    }
}
