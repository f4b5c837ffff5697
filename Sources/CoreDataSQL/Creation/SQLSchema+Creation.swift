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
        statements += try entities.flatMap { try FetchIndexes(self, $0).statements() }
        statements += entities.flatMap(uniqueIndexes)
        statements += try DerivedTriggers(self).statements() + CountTriggers(self).statements()
        statements.append(
            SQLStatement(
                "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)"
            ))
        let numbers = Dictionary(
            entities.map { (ObjectIdentifier($0.home.entity), $0.number) }, uniquingKeysWith: { $1 })
        statements += entities.map { entity in
            let parent = entity.home.entity.superentity.flatMap { numbers[ObjectIdentifier($0)] } ?? 0
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
        let foreignKeys = self.foreignKeys
        return tables.flatMap { table -> [SQLStatement] in
            let names = table.columns.map(\.name)
            let keys = names.filter { foreignKeys[table.name]?.contains($0) ?? false }
            return (hasEntityIndex(table) ? ["Z_ENT"] + keys : keys).map { index($0, table.name) }
        }
    }

    /// Models of Apple's own can do without the index of the entity, by a setting among the user info.
    private func hasEntityIndex(_ table: Table) -> Bool {
        let setting = table.root.userInfo?["_NSEntityOmitSubentityColumnIndex"]
        return !table.root.subentities.isEmpty && setting.map { "\($0)" } != "YES"
    }

    /// The columns with foreign keys, by table.
    private var foreignKeys: [String: Set<String>] {
        var keys: [String: Set<String>] = [:]
        for entity in entities {
            for column in entity.columns where column.kind == .toOne {
                keys[entity.table, default: []].insert(column.name)
            }
        }
        for links in allLinks where links.kind == .destinationColumn {
            keys[links.table, default: []].insert(links.owner)
        }
        return keys
    }

    private func index(_ column: String, _ table: String) -> SQLStatement {
        SQLStatement(
            "CREATE INDEX \(quoted("\(table)_\(column)_INDEX")) ON \(quoted(table)) (\(quoted(column)))")
    }

    // MARK: Unique indexes

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
