import FullTextSearch
import GRDB

/// Changes an index, in a transaction of its database.
final class SQLiteSearchWriter: SQLiteIndexWriter {
    let database: Database
    /// What the transaction changes in the totals of each collection.
    private var changes: [Int: (documents: Int, words: Int)] = [:]
    private var tables: [Int: Table] = [:]

    /// What is known of a collection.
    private struct Table {
        let fieldCount: Int
        let insertion: Statement
        var lengths: SearchLengthWriter
    }

    init(_ database: Database) { self.database = database }

    func setState(_ state: SearchIndexState) throws {
        let wasBuilding = try SearchStateRows.state(database)?.progress != nil
        try SearchStateRows.set(state, database)
        let isBuilding = state.progress != nil
        guard wasBuilding != isBuilding else { return }
        try SearchTables.setMerging(
            !isBuilding, collectionCount: SearchTables.fieldCounts(database).count, database)
    }

    func reset(fieldCounts: [Int]) throws {
        changes = [:]
        tables = [:]
        try SearchTables.make(fieldCounts: fieldCounts, database)
    }

    func set(
        _ texts: [(field: Int, text: String)], for key: Int64, kind: Int32, in collection: Int, isNew: Bool
    ) throws {
        if !isNew { try remove(key, from: collection) }
        var words = 0
        let count = try table(collection).fieldCount
        // Those of the key, the kind and the number of words come before.
        var arguments: [DatabaseValue] = Array(repeating: .null, count: count + 3)
        for (field, text) in texts where field < count {
            let joined = SearchTokenizer.joinedKeys(of: text)
            guard joined.count > 0 else { continue }
            words += joined.count
            arguments[field + 3] = joined.text.databaseValue
        }
        guard words > 0 else { return }
        arguments[0] = key.databaseValue
        arguments[1] = kind.databaseValue
        arguments[2] = words.databaseValue
        try table(collection).insertion.execute(arguments: StatementArguments(arguments))
        try note(collection, key, documents: 1, words: words)
    }

    func remove(_ key: Int64, from collection: Int) throws {
        let table = SearchTables.documents(collection)
        let known = try database.cachedStatement(sql: "SELECT words FROM \(table) WHERE rowid = ?")
        guard let words = try Int.fetchOne(known, arguments: [key]) else { return }
        try database.cachedStatement(sql: "DELETE FROM \(table) WHERE rowid = ?").execute(arguments: [key])
        try note(collection, key, documents: -1, words: -words)
    }

    /// Writes what is written once a transaction.
    func finish() throws {
        for (collection, change) in changes { try SearchStateRows.add(change, collection, database) }
        for collection in tables.keys { try tables[collection]?.lengths.finish() }
    }

    private func note(_ collection: Int, _ key: Int64, documents: Int, words: Int) throws {
        let known = changes[collection] ?? (0, 0)
        changes[collection] = (known.documents + documents, known.words + words)
        _ = try table(collection)
        try tables[collection]?.lengths.set(max(0, words), for: key)
    }

    private func table(_ collection: Int) throws -> Table {
        if let known = tables[collection] { return known }
        let name = SearchTables.documents(collection)
        // Without those for the kind and the number of words.
        let count = try database.columns(in: name).count - 2
        let columns = (0..<count).map { ", f\($0)" }.joined()
        let insertion = try database.cachedStatement(
            sql: """
                INSERT INTO \(name)(rowid, kind, words\(columns))
                VALUES (?, ?, ?\(String(repeating: ", ?", count: count)))
                """)
        let made = Table(
            fieldCount: count, insertion: insertion, lengths: SearchLengthWriter(collection, database))
        tables[collection] = made
        return made
    }
}

/// The rows of an index about itself.
enum SearchStateRows {
    static func state(_ database: Database) throws -> SearchIndexState? {
        var values: [String: DatabaseValue] = [:]
        let rows = try GRDB.Row.fetchCursor(database.cachedStatement(sql: "SELECT name, value FROM state"))
        while let row = try rows.next() { values[row[0] as String] = row[1] as DatabaseValue }
        func value<Value: DatabaseValueConvertible>(_ name: String, _: Value.Type) -> Value? {
            values[name].flatMap(Value.fromDatabaseValue)
        }
        guard let signature = value("signature", String.self), let number = value("number", Int64.self),
            let build = value("build", Int64.self)
        else { return nil }
        var state = SearchIndexState(
            signature: signature, position: .init(number: number, time: value("time", Double.self)),
            build: build, progress: nil)
        if let kind = value("kind", Int.self), let key = value("key", Int64.self) {
            state.progress = .init(kind: kind, key: key)
        }
        return state
    }

    static func set(_ state: SearchIndexState, _ database: Database) throws {
        try set("signature", state.signature.databaseValue, database)
        try set("number", state.position.number.databaseValue, database)
        try set("time", state.position.time.databaseValue, database)
        try set("build", state.build.databaseValue, database)
        try set("kind", (state.progress?.kind).databaseValue, database)
        try set("key", (state.progress?.key).databaseValue, database)
    }

    static func totals(_ collection: Int, _ database: Database) throws -> SearchStatistics {
        func total(_ name: String) throws -> Int {
            try Int.fetchOne(database, sql: "SELECT value FROM state WHERE name = ?", arguments: [name]) ?? 0
        }
        var statistics = SearchStatistics()
        statistics.documentCount = try total("documents \(collection)")
        statistics.wordCount = try total("words \(collection)")
        return statistics
    }

    static func add(
        _ change: (documents: Int, words: Int), _ collection: Int, _ database: Database
    ) throws {
        let known = try totals(collection, database)
        try set(
            "documents \(collection)", (known.documentCount + change.documents).databaseValue, database)
        try set("words \(collection)", (known.wordCount + change.words).databaseValue, database)
    }

    private static func set(_ name: String, _ value: DatabaseValue, _ database: Database) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO state(name, value) VALUES (?, ?)", arguments: [name, value])
    }
}

extension Optional where Wrapped: DatabaseValueConvertible {
    fileprivate var databaseValue: DatabaseValue { self?.databaseValue ?? .null }
}
