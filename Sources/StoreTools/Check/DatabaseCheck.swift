import CoreData
import GRDB

/// Whether the database itself is sound.
struct DatabaseCheck {
    private let database: Database

    init(_ database: Database) { self.database = database }

    func findings() throws -> [StoreFinding] {
        var lines: [String] = []
        do {
            // What is found before the check itself meets a page that it cannot read counts too.
            let found = try String.fetchCursor(database, sql: "PRAGMA integrity_check(20)")
            while let line = try found.next() { lines.append(line) }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            lines.append(error.message ?? "the database is malformed")
        }
        return lines.filter { $0 != "ok" }.map { StoreFinding(.error, .damagedDatabase, $0) }
    }
}

/// Whether the tables are there that every store has. A database that has none of them is not a store.
struct FormatTablesCheck {
    private let database: Database

    init(_ database: Database) { self.database = database }

    func findings() throws -> [StoreFinding] {
        let missing = try ["Z_METADATA", "Z_PRIMARYKEY"].filter { try !database.tableExists($0) }
        guard missing.count == 1 else { return [] }
        return [StoreFinding(.error, .missingTable, "the store has no table \(missing[0])")]
    }
}

/// Whether keys are ones that objects can have, and `Z_PRIMARYKEY` has the numbers that new objects need. It takes no model.
struct PrimaryKeyCheck {
    private let database: Database

    init(_ database: Database) { self.database = database }

    func findings() throws -> [StoreFinding] {
        let entities = try EntityNumbers(database)
        var findings: [StoreFinding] = []
        for entity in entities.all where entity.isRoot {
            guard let table = entities.table(of: entity) else { continue }
            findings += try Examples(database, entity.name).report(
                "SELECT Z_PK FROM \(database.quoted(table)) WHERE Z_PK < 1", .error, .invalidKey,
                property: nil,
                "a key is not above zero: no object can have it, and its row is not to be relied on")
            let highest = try Int64.fetchOne(
                database, sql: "SELECT max(Z_PK) FROM \(database.quoted(table))")
            if let highest, highest > entity.highestKey {
                findings.append(
                    StoreFinding(
                        .warning, .highestKey, entity: entity.name,
                        """
                        Z_MAX is \(entity.highestKey), but table \(table) has a row \(highest): Apple's framework would give \
                        new objects keys that are taken; here they get higher ones
                        """
                    ))
            }
        }
        return findings
    }
}
