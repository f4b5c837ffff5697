import CoreDataSQL
import CoreData

/// What of a store's tables is not part of a dump.
struct UndumpedTables {
    private let source: OpenStore

    init(_ source: OpenStore) { self.source = source }

    private static let ofFormat: Set<String> = ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"]
    private static let ofHistory: Set<String> = [
        HistoryTables.transaction, HistoryTables.change, HistoryTables.strings,
    ]

    /// A sentence each; tables without rows are left out.
    ///
    /// - Throws: an error of the store.
    func notices() throws -> [String] {
        let all = try StoreSchemaReport(source).tables
        let tables = all.filter { table in
            table.entities.isEmpty && table.columns.allSatisfy(\.properties.isEmpty)
                && !Self.ofFormat.contains(table.name)
        }
        return try source.store.withContents { contents in
            let connection = contents.connection
            let others = Set(
                try contents.databaseTables().filter { $0.isPartOfIndex || $0.isOfDatabase }.map(\.name))
            var notices: [String] = []
            var unknown: [String] = []
            for name in tables.map(\.name) where !others.contains(name) {
                if name == HistoryTables.transaction {
                    let count = try connection.integer(RowLookup.count(in: name))
                    if count > 0 {
                        notices.append(
                            "The history is not part of the dump; it has \(count) transaction\(count == 1 ? "" : "s")."
                        )
                    }
                } else if !Self.ofHistory.contains(name),
                    try connection.value(RowLookup.firstRow(in: name)) != nil
                {
                    unknown.append(name)
                }
            }
            if !unknown.isEmpty {
                notices.append(
                    "Tables that belong to no entity are not part of the dump: \(unknown.joined(separator: ", "))."
                )
            }
            notices += try strayRows(contents)
            let orders = try unknownOrders(all, connection)
            if !orders.isEmpty {
                notices.append(
                    "Orders of unknown relationships are not part of the dump: \(orders.joined(separator: ", "))."
                )
            }
            return notices
        }
    }

    /// Rows of entities that the model does not have: no object shows them, but in a table of one entity.
    private func strayRows(_ contents: any StoreContents) throws -> [String] {
        let schema = contents.schema
        let roots = schema.entities.filter {
            ($0.sharesTable || $0.storedEntity.entity.isAbstract) && $0.storedEntity.entity.superentity == nil
        }
        return try roots.compactMap { root in
            let count = try contents.connection.integer(RowFaults(schema).countOfUnknownEntities(of: root))
            guard count > 0 else { return nil }
            return
                "Rows of table \(root.table) that are of none of its entities are not part of the dump: \(count)."
        }
    }

    /// The columns with positions in an order that no relationship of the model has, and that are not empty.
    private func unknownOrders(
        _ tables: [StoreSchemaReport.Table], _ connection: any SQLConnection
    ) throws -> [String] {
        try tables.flatMap { table in
            try table.columns.filter { $0.name.hasPrefix("Z_FOK_") && $0.properties.isEmpty }.compactMap {
                column in
                let value = try connection.value(RowLookup.firstValue(in: table.name, column.name))
                return value == nil ? nil : "\(table.name).\(column.name)"
            }
        }
    }
}
