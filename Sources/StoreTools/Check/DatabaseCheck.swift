import CoreDataSQL
import CoreData
import CoreDataSQLite

/// Whether the database itself is sound, and has what every store has. It takes no model.
struct DatabaseCheck {
    private let tables: SQLiteStoreTables

    init(_ tables: SQLiteStoreTables) { self.tables = tables }

    /// What is wrong with the pages of the file.
    func damage() throws -> [StoreFinding] {
        try tables.damage().map { StoreFinding(.error, .damagedDatabase, $0) }
    }

    /// Whether the tables are there that every store has. A database that has none of them is not a store.
    func formatTables() throws -> [StoreFinding] {
        let missing = try tables.inspect { _, existing in
            ["Z_METADATA", "Z_PRIMARYKEY"].filter { existing.columns(of: $0) == nil }
        }
        guard missing.count == 1 else { return [] }
        return [StoreFinding(.error, .missingTable, "the store has no table \(missing[0])")]
    }

    func foreignTriggers() throws -> [StoreFinding] {
        try tables.foreignTriggers().map {
            StoreFinding(
                .warning, .foreignTrigger,
                "trigger \($0) calls a function that Apple's framework does not have; prepare-for-apple drops it"
            )
        }
    }

    /// Whether R-trees have what is in the tables that they index.
    func spatialIndexes() throws -> [StoreFinding] {
        try tables.spatialIndexFaults().compactMap { fault in
            let message =
                switch fault.kind {
                case .missingRows: "a row is not in R-tree \(fault.tree)"
                case .extraRows: "R-tree \(fault.tree) has a row that its table does not have"
                case .otherValues: "R-tree \(fault.tree) has other values than the row"
                }
            return StoreFinding(.error, .spatialIndex, fault.rows, of: fault.entity, message)
        }
    }
}

extension StoreFinding {
    /// What an error says of the store that is checked; nil when it says nothing of what is in it.
    init?(damageIn error: any Error, _ url: URL) {
        switch SQLiteDamage(error, url) {
        case .database(let message): self.init(.error, .damagedDatabase, message)
        case .missingTable(let message): self.init(.error, .missingTable, message)
        case nil: return nil
        }
    }
}
