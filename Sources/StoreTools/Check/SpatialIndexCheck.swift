import CoreData
import GRDB

/// Whether R-trees have what is in the tables that they index. It takes no model: names and columns are enough.
struct SpatialIndexCheck {
    private let database: Database

    init(_ database: Database) { self.database = database }

    private struct Tree {
        let name: String
        let entity: String
        let table: String
        /// The columns whose bounds it keeps.
        let columns: [String]
    }

    func findings() throws -> [StoreFinding] { try trees().flatMap(findings) }

    private func trees() throws -> [Tree] {
        let names = try String.fetchAll(
            database,
            sql: """
                SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage = 0 AND sql LIKE '%USING RTREE%' \
                AND name LIKE 'Z\\_RT\\_%' ESCAPE '\\' ORDER BY name
                """)
        guard !names.isEmpty else { return [] }
        let entities = try EntityNumbers(database)
        return try names.compactMap { name in
            // Of Book and Book_Page, that with the longer name.
            let owner = entities.all.filter { name.hasPrefix("Z_RT_\($0.name)_") }
                .max { $0.name.utf8.count < $1.name.utf8.count }
            guard let owner, let table = entities.table(of: owner) else { return nil }
            let columns = try columns(of: name)
            let bounded = columns.filter { $0.hasSuffix("_MIN") }.map { String($0.dropLast(4)) }
            // Trees of others are theirs to check.
            let known = Set(try self.columns(of: table))
            guard !bounded.isEmpty, columns == ["Z_PK"] + bounded.flatMap({ ["\($0)_MIN", "\($0)_MAX"] }),
                known.isSuperset(of: bounded)
            else { return nil }
            return Tree(name: name, entity: owner.name, table: table, columns: bounded)
        }
    }

    private func columns(of table: String) throws -> [String] {
        try String.fetchAll(database, sql: "SELECT name FROM pragma_table_info(?)", arguments: [table])
    }

    private func findings(_ tree: Tree) throws -> [StoreFinding] {
        let (index, table) = (database.quoted(tree.name), database.quoted(tree.table))
        // Bounds are real numbers of 32 bits around the value; null is a zero.
        let misplaced = tree.columns.map { column in
            let value = "CAST(IFNULL(t.\(database.quoted(column)), 0) AS REAL)"
            let (least, most) = (
                "r.\(database.quoted("\(column)_MIN"))", "r.\(database.quoted("\(column)_MAX"))"
            )
            return
                "\(value) < \(least) OR \(value) > \(most) OR \(most) - \(least) > abs(\(value)) * 1e-6 + 1e-30"
        }
        let queries = [
            (
                "SELECT t.Z_PK FROM \(table) t WHERE NOT EXISTS (SELECT 1 FROM \(index) r WHERE r.Z_PK = t.Z_PK)",
                "a row is not in R-tree \(tree.name)"
            ),
            (
                "SELECT r.Z_PK FROM \(index) r WHERE NOT EXISTS (SELECT 1 FROM \(table) t WHERE t.Z_PK = r.Z_PK)",
                "R-tree \(tree.name) has a row that its table does not have"
            ),
            (
                """
                SELECT t.Z_PK FROM \(table) t JOIN \(index) r ON r.Z_PK = t.Z_PK \
                WHERE \(misplaced.joined(separator: " OR "))
                """, "R-tree \(tree.name) has other values than the row"
            ),
        ]
        return try queries.flatMap { sql, message in
            try Examples(database, tree.entity).report(sql, .error, .spatialIndex, property: nil, message)
        }
    }
}
