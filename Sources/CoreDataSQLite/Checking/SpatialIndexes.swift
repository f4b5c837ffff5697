import CoreDataSQL
import GRDB

/// What is wrong with an R-tree: it has other rows, or other bounds, than the table that it indexes.
package struct SpatialIndexFault: Sendable {
    package enum Kind: Sendable {
        /// Rows of the table are not in the tree.
        case missingRows
        /// The tree has rows that the table does not have.
        case extraRows
        /// The tree has other values than the rows.
        case otherValues
    }

    package let kind: Kind
    /// The name of the tree.
    package let tree: String
    package let entity: String
    package let rows: FoundRows
}

/// The R-trees of a store that index locations. It takes no model: names and columns are enough.
private struct SpatialIndexes {
    private let database: Database
    private let dialect = SQLiteDialect()

    init(_ database: Database) { self.database = database }

    private struct Tree {
        let name: String
        let entity: String
        let table: String
        /// The columns whose bounds it keeps.
        let columns: [String]
    }

    func faults() throws -> [SpatialIndexFault] { try trees().flatMap(faults) }

    private func trees() throws -> [Tree] {
        let names = try String.fetchAll(
            database,
            sql: """
                SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage = 0 AND sql LIKE '%USING RTREE%' \
                AND name LIKE 'Z\\_RT\\_%' ESCAPE '\\' ORDER BY name
                """)
        let connection = SQLiteConnection(database)
        guard !names.isEmpty,
            let entities = try EntityNumbers(connection, ExistingTables(database))
        else { return [] }
        return try names.compactMap { name in
            // Of Book and Book_Page, that with the longer name.
            let owner = entities.all.filter { name.hasPrefix("Z_RT_\($0.name)_") }
                .max { $0.name.utf8.count < $1.name.utf8.count }
            guard let owner, let table = entities.table(of: owner) else { return nil }
            let columns = try connection.columnNames(of: name)
            let bounded = columns.filter { $0.hasSuffix("_MIN") }.map { String($0.dropLast(4)) }
            // Trees of others are theirs to check.
            let known = Set(try connection.columnNames(of: table))
            guard !bounded.isEmpty, columns == ["Z_PK"] + bounded.flatMap({ ["\($0)_MIN", "\($0)_MAX"] }),
                known.isSuperset(of: bounded)
            else { return nil }
            return Tree(name: name, entity: owner.name, table: table, columns: bounded)
        }
    }

    private func faults(_ tree: Tree) throws -> [SpatialIndexFault] {
        let (index, table) = (dialect.quoted(tree.name), dialect.quoted(tree.table))
        // Bounds are real numbers of 32 bits around the value; null is a zero.
        let misplaced = tree.columns.map { column in
            let value = "CAST(IFNULL(t.\(dialect.quoted(column)), 0) AS REAL)"
            let (least, most) = (
                "r.\(dialect.quoted("\(column)_MIN"))", "r.\(dialect.quoted("\(column)_MAX"))"
            )
            return
                "\(value) < \(least) OR \(value) > \(most) OR \(most) - \(least) > abs(\(value)) * 1e-6 + 1e-30"
        }
        let queries: [(SpatialIndexFault.Kind, String)] = [
            (
                .missingRows,
                "SELECT t.Z_PK FROM \(table) t WHERE NOT EXISTS (SELECT 1 FROM \(index) r WHERE r.Z_PK = t.Z_PK)"
            ),
            (
                .extraRows,
                "SELECT r.Z_PK FROM \(index) r WHERE NOT EXISTS (SELECT 1 FROM \(table) t WHERE t.Z_PK = r.Z_PK)"
            ),
            (
                .otherValues,
                """
                SELECT t.Z_PK FROM \(table) t JOIN \(index) r ON r.Z_PK = t.Z_PK \
                WHERE \(misplaced.joined(separator: " OR "))
                """
            ),
        ]
        return try queries.compactMap { kind, sql in
            let rows = try SQLiteConnection(database).found(SQLStatement(native: sql))
            guard !rows.isEmpty else { return nil }
            return SpatialIndexFault(kind: kind, tree: tree.name, entity: tree.entity, rows: rows)
        }
    }
}

extension SQLiteStoreTables {
    /// What is wrong with the R-trees of the file.
    ///
    /// - Throws: as `read`.
    package func spatialIndexFaults() throws -> [SpatialIndexFault] {
        try read { try SpatialIndexes($0).faults() }
    }
}
