import CoreDataSQL
import CoreData
import GRDB

/// What of a store's tables is not part of a dump.
struct UndumpedTables {
    private let source: OpenStore

    init(_ source: OpenStore) { self.source = source }

    private static let ofFormat: Set<String> = ["Z_PRIMARYKEY", "Z_METADATA", ModelCache.table]
    private static let ofHistory: Set<String> = ["ATRANSACTION", "ACHANGE", "ATRANSACTIONSTRING"]

    /// A sentence each; tables without rows are left out.
    ///
    /// - Throws: an error of the store.
    func notices() throws -> [String] {
        let all = try StoreSchemaReport(source).tables
        let tables = all.filter { table in
            table.entities.isEmpty && table.columns.allSatisfy(\.properties.isEmpty)
                && !Self.ofFormat.contains(table.name) && !table.name.hasPrefix("sqlite_")
        }
        return try source.store.withSnapshot { snapshot in
            let database = snapshot.database
            // Indexes of locations are virtual tables, and keep what they hold in tables of their own.
            let indexes = try String.fetchAll(
                database, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage = 0")
            var notices: [String] = []
            var unknown: [String] = []
            for name in tables.map(\.name) where !Self.isIndex(name, indexes) {
                let table = database.quoted(name)
                if name == "ATRANSACTION" {
                    let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table)") ?? 0
                    if count > 0 {
                        notices.append(
                            "The history is not part of the dump; it has \(count) transaction\(count == 1 ? "" : "s")."
                        )
                    }
                } else if !Self.ofHistory.contains(name),
                    try Int.fetchOne(database, sql: "SELECT 1 FROM \(table) LIMIT 1") != nil
                {
                    unknown.append(name)
                }
            }
            if !unknown.isEmpty {
                notices.append(
                    "Tables that belong to no entity are not part of the dump: \(unknown.joined(separator: ", "))."
                )
            }
            notices += try strayRows(snapshot)
            let orders = try unknownOrders(all, database)
            if !orders.isEmpty {
                notices.append(
                    "Orders of unknown relationships are not part of the dump: \(orders.joined(separator: ", "))."
                )
            }
            return notices
        }
    }

    /// Rows of entities that the model does not have: no object shows them.
    private func strayRows(_ snapshot: StoreSnapshot) throws -> [String] {
        let schema = snapshot.schema
        return try schema.entities.filter { $0.home.entity.superentity == nil }.compactMap { root in
            let known = root.familyNumbers.filter {
                schema.entity($0).map { !$0.home.entity.isAbstract } ?? false
            }
            let table = schema.quoted(root.table)
            let list = known.map(String.init).joined(separator: ", ")
            let count =
                try Int.fetchOne(
                    snapshot.database,
                    sql: "SELECT count(*) FROM \(table) WHERE Z_ENT IS NULL OR Z_ENT NOT IN (\(list))") ?? 0
            guard count > 0 else { return nil }
            return
                "Rows of table \(root.table) that are of none of its entities are not part of the dump: \(count)."
        }
    }

    /// The columns with positions in an order that no relationship of the model has, and that are not empty.
    private func unknownOrders(_ tables: [StoreSchemaReport.Table], _ database: Database) throws -> [String] {
        try tables.flatMap { table in
            try table.columns.filter { $0.name.hasPrefix("Z_FOK_") && $0.properties.isEmpty }.compactMap {
                column in
                let (name, source) = (database.quoted(column.name), database.quoted(table.name))
                let isUsed =
                    try Int.fetchOne(database, sql: "SELECT 1 FROM \(source) WHERE \(name) NOT NULL LIMIT 1")
                    != nil
                return isUsed ? "\(table.name).\(column.name)" : nil
            }
        }
    }

    private static func isIndex(_ name: String, _ indexes: [String]) -> Bool {
        indexes.contains { index in
            name == index || ["_node", "_parent", "_rowid"].contains { name == index + $0 }
        }
    }
}
