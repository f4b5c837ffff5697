import CoreDataSQL
import CoreData
import GRDB

/// Triggers that call functions which Apple's framework does not have: those of derived attributes with `canonical:`,
/// `uppercase:` and `lowercase:`. A store with them is read there, and not saved.
package struct ForeignTriggers {
    /// The names, sorted.
    package let names: [String]

    /// - Throws: an error of SQLite.
    package init(_ database: Database) throws {
        let functions = [
            SQLFunctionNames.uppercase, SQLFunctionNames.lowercase, SQLFunctionNames.canonical,
            SQLFunctionNames.textMatch,
        ].map { $0.lowercased() }
        names = try GRDB.Row.fetchAll(
            database, sql: "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name"
        ).compactMap { row in
            guard let name = String.fromDatabaseValue(row[0]), let text = String.fromDatabaseValue(row[1]),
                !SQLTokens(text).calledFunctions.isDisjoint(with: functions)
            else { return nil }
            return name
        }
    }

    /// Drops the triggers of a store.
    ///
    /// - Returns: their names.
    /// - Throws: 259, 134010, 134080 or 134090 when the file is not a store or cannot be written; it is as it was.
    package static func drop(from url: URL) throws -> [String] {
        guard try !names(in: url).isEmpty else { return [] }
        return try SQLiteStoreTables(url).write { database in
            let names = try ForeignTriggers(database).names
            for name in names { try database.execute(sql: "DROP TRIGGER \(database.quoted(name))") }
            return names
        }
    }

    /// The names in a store, which does not change. Stores of other types than SQLite have none.
    ///
    /// - Throws: as `drop(from:)`.
    package static func names(in url: URL) throws -> [String] {
        guard StoreFileType(url) == .sqlite else {
            _ = try StoreMetadata(url).values()
            return []
        }
        let tables = SQLiteStoreTables(url)
        _ = try tables.metadata()
        return try tables.read { try ForeignTriggers($0).names }
    }
}
