import Foundation
import ManagedObjectModel

// The statements that make an empty store, spelled as Apple's stores have them.

extension SQLSchema {
    /// All statements, in order: tables, indexes, triggers, the table of primary keys and its rows.
    ///
    /// - Throws: 134020 for what cannot be stored: a derivation, an index.
    package func creationStatements() throws -> [SQLStatement] {
        var statements = tables.map(create)
        statements += joinTables.flatMap(create)
        statements += entityIndexes()
        statements += try entities.flatMap(fetchIndexes)
        statements += entities.flatMap(uniqueIndexes)
        statements += try DerivedTriggers(self).statements()
        statements.append(
            SQLStatement(
                "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)"
            ))
        statements += entities.map { entity in
            let parent =
                entity.home.entity.superentity.flatMap { entity.home.store?.home(of: $0)?.entityNumber } ?? 0
            return SQLStatement(
                "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, 0)",
                [
                    .integer(Int64(entity.number)), .text(entity.home.entity.name ?? ""),
                    .integer(Int64(parent)),
                ])
        }
        statements.append(
            SQLStatement(
                "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)"))
        return statements
    }

    private func create(_ table: Table) -> SQLStatement {
        let columns = table.columns.map { "\(quoted($0.name)) \($0.type)" }
        return SQLStatement("CREATE TABLE \(quoted(table.name)) ( \(columns.joined(separator: ", ")) )")
    }

    private func create(_ join: JoinTable) -> [SQLStatement] {
        let columns = ([join.first, join.second] + join.orders).map { "\(quoted($0)) INTEGER" }
        let name = quoted(join.name)
        let (first, second) = (quoted(join.first), quoted(join.second))
        return [
            SQLStatement(
                "CREATE TABLE \(name) ( \(columns.joined(separator: ", ")), PRIMARY KEY (\(first), \(second)) )"
            ),
            SQLStatement(
                "CREATE INDEX \(quoted("\(join.name)_\(join.second)_INDEX")) ON \(name) (\(second), \(first))"
            ),
        ]
    }

    /// An index for every foreign key, and for the entity where a table has several.
    private func entityIndexes() -> [SQLStatement] {
        tables.flatMap { table -> [SQLStatement] in
            let names = table.columns.map(\.name)
            let keys = names.filter { isForeignKey($0, in: table) }
            return ((table.root.subentities.isEmpty ? [] : ["Z_ENT"]) + keys).map { index($0, table.name) }
        }
    }

    private func isForeignKey(_ column: String, in table: Table) -> Bool {
        entities.contains { entity in
            entity.table == table.name
                && entity.columns.contains { $0.name == column && $0.kind == .toOne }
        }
            || allLinks.contains {
                $0.kind == .destinationColumn && $0.table == table.name && $0.owner == column
            }
    }

    private func index(_ column: String, _ table: String) -> SQLStatement {
        SQLStatement(
            "CREATE INDEX \(quoted("\(table)_\(column)_INDEX")) ON \(quoted(table)) (\(quoted(column)))")
    }

    // MARK: Fetch indexes

    private func fetchIndexes(_ entity: SQLEntity) throws -> [SQLStatement] {
        try entity.home.entity.storeIndexes.flatMap { index -> [SQLStatement] in
            guard index.partialIndexPredicate == nil else {
                throw unsupported(index, entity, "has a condition")
            }
            let columns = try index.elements.map { element -> (name: String, ascending: Bool) in
                guard let name = element.propertyName, let column = column(atPath: name, entity) else {
                    throw unsupported(
                        index, entity, "has an element that is no stored attribute or to-one relationship")
                }
                return (column.name, element.isAscending)
            }
            if index.elements.contains(where: { $0.collationType == .rTree }) {
                return rTree(index, entity, columns.map(\.name))
            }
            let list = columns.map { "\(quoted($0.name)) COLLATE BINARY \($0.ascending ? "ASC" : "DESC")" }
            let name = "Z_\(entity.home.entity.name ?? "")_\(index.name)"
            return [
                SQLStatement(
                    "CREATE INDEX \(quoted(name)) ON \(quoted(entity.table)) (\(list.joined(separator: ", ")))"
                )
            ]
        }
    }

    private func unsupported(
        _ index: NSFetchIndexDescription, _ entity: SQLEntity, _ reason: String
    ) -> NSError {
        .coreData(
            .persistentStoreIncompatibleSchema,
            """
            Fetch index '\(index.name)' of entity '\(entity.home.entity.name ?? "")' \(reason); such indexes are not \
            supported, see Documentation/Compatibility.md.
            """)
    }

    private func rTree(
        _ index: NSFetchIndexDescription, _ entity: SQLEntity, _ columns: [String]
    ) -> [SQLStatement] {
        let name = quoted("Z_RT_\(entity.home.entity.name ?? "")_\(index.name)")
        let table = quoted(entity.table)
        let bounds = columns.flatMap { [quoted("\($0)_MIN"), quoted("\($0)_MAX")] }
        let values = columns.map { "NEW.\(quoted($0)) ,NEW.\(quoted($0))" }.joined(separator: ", ")
        let insert =
            "INSERT OR REPLACE INTO \(name) (Z_PK, \(bounds.joined(separator: ", "))) VALUES (NEW.Z_PK, \(values))"
        let base = "Z_RT_\(entity.home.entity.name ?? "")_\(index.name)"
        return [
            SQLStatement(
                """
                CREATE VIRTUAL TABLE \(name) USING RTREE (Z_PK INTEGER PRIMARY KEY, \
                \(bounds.map { "\($0) FLOAT" }.joined(separator: ", ")))
                """),
            SQLStatement(
                "CREATE TRIGGER \(quoted("\(base)_INSERT")) AFTER INSERT ON \(table) FOR EACH ROW BEGIN \(insert) ; END"
            ),
            SQLStatement(
                """
                CREATE TRIGGER \(quoted("\(base)_UPDATE")) AFTER UPDATE ON \(table) FOR EACH ROW BEGIN DELETE FROM \
                \(name) WHERE Z_PK = NEW.Z_PK ; \(insert) ; END
                """),
            SQLStatement(
                """
                CREATE TRIGGER \(quoted("\(base)_DELETE")) AFTER DELETE ON \(table) FOR EACH ROW BEGIN DELETE FROM \
                \(name) WHERE Z_PK = OLD.Z_PK ; END
                """),
        ]
    }

    private func uniqueIndexes(_ entity: SQLEntity) -> [SQLStatement] {
        entity.home.entity.uniquenessConstraintNames.map { names in
            let columns = names.compactMap { column(atPath: $0, entity)?.name }
            let list = columns.map { "\(quoted($0)) COLLATE BINARY ASC" }
            let name = "Z_\(entity.home.entity.name ?? "")_UNIQUE_\(names.joined(separator: "_"))"
            return SQLStatement(
                "CREATE UNIQUE INDEX \(quoted(name)) ON \(quoted(entity.table)) (\(list.joined(separator: ", ")))"
            )
        }
    }

    // MARK: Names

    package func quoted(_ name: String) -> String { dialect.quoted(name) }

    /// The column of a property, or of a composite's element.
    package func column(atPath path: String, _ entity: SQLEntity) -> SQLColumn? {
        let layout = entity.home.layout
        let names = path.split(separator: ".").map(String.init)
        guard let first = names.first, let slot = layout.index(of: first) else { return nil }
        var info = layout.slots[slot]
        for name in names.dropFirst() {
            guard let element = info.elements.first(where: { $0.name == name }) else { return nil }
            info = element
        }
        return entity.column(rowSlot: info.rowSlot)
    }
}
