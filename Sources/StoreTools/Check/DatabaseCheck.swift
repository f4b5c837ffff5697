import CoreData
import GRDB

/// Whether the database itself is sound.
struct DatabaseCheck {
    private let database: Database

    init(_ database: Database) { self.database = database }

    func findings() throws -> [StoreFinding] {
        let lines: [String]
        do {
            lines = try String.fetchAll(database, sql: "PRAGMA integrity_check(20)")
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            lines = [error.message ?? "the database is malformed"]
        }
        return lines.filter { $0 != "ok" }.map { StoreFinding(.error, .damagedDatabase, $0) }
    }
}

/// Whether `Z_PRIMARYKEY` has the numbers that new objects need. It takes no model.
struct PrimaryKeyCheck {
    private let database: Database

    init(_ database: Database) { self.database = database }

    func findings() throws -> [StoreFinding] {
        let entities = try EntityNumbers(database)
        var findings: [StoreFinding] = []
        for entity in entities.all where entity.isRoot {
            guard let table = entities.table(of: entity) else { continue }
            let highest = try Int64.fetchOne(
                database, sql: "SELECT max(Z_PK) FROM \(SQLiteDialect().quoted(table))")
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
