import CoreDataSQL
import GRDB

/// Triggers that call functions which Apple's framework does not have: those of derived attributes with `canonical:`,
/// `uppercase:` and `lowercase:`. A store with them is read there, and not saved.
private struct ForeignTriggers {
    /// The names, sorted.
    let names: [String]

    init(_ database: Database) throws {
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
}

extension SQLiteStoreTables {
    /// The names of triggers that call functions which Apple's framework does not have, sorted.
    ///
    /// - Throws: as `read`.
    package func foreignTriggers() throws -> [String] { try read { try ForeignTriggers($0).names } }

    /// Drops these triggers.
    ///
    /// - Returns: their names.
    /// - Throws: as `write`.
    package func dropForeignTriggers() throws -> [String] {
        try write { database in
            let names = try ForeignTriggers(database).names
            for name in names { try database.execute(sql: "DROP TRIGGER \(SQLiteDialect().quoted(name))") }
            return names
        }
    }
}
