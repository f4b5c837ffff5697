import Foundation
import ManagedObjectModel
import ObjectGraph

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
        statements += try dialect.triggers(self)
        statements.append(
            """
            CREATE TABLE Z_PRIMARYKEY (Z_ENT \(.columnType(.primaryKey)), Z_NAME \(.columnType(.string(length: nil))), \
            Z_SUPER \(.columnType(.integer)), Z_MAX \(.columnType(.integer)))
            """)
        let numbers = Dictionary(
            entities.map { (ObjectIdentifier($0.storedEntity.entity), $0.number) }, uniquingKeysWith: { $1 })
        statements += entities.map { entity in
            let parent = entity.storedEntity.entity.superentity.flatMap { numbers[ObjectIdentifier($0)] } ?? 0
            let values: [SQLValue] = [
                .integer(Int64(entity.number)), .text(entity.storedEntity.entity.name ?? ""),
                .integer(Int64(parent)),
            ]
            return "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (\(values: values), 0)"
        }
        statements.append(
            """
            CREATE TABLE Z_METADATA (Z_VERSION \(.columnType(.primaryKey)), Z_UUID \(.columnType(.string(length: 255))), \
            Z_PLIST \(.columnType(.data)))
            """)
        #if DEBUG
        StatementObservers.current?.willMake(schema: statements)
        #endif
        return statements
    }

    private func create(_ table: Table) -> SQLStatement {
        let columns = table.columns.map { "\(name: $0.name) \(.columnType($0.type))" as SQLStatement }
        return "CREATE TABLE \(name: table.name) ( \(list: columns) )"
    }

    private func create(_ join: JoinTable) -> [SQLStatement] {
        let columns = ([join.first, join.second] + join.orders).map {
            "\(name: $0) \(.columnType(.integer))" as SQLStatement
        }
        return [
            """
            CREATE TABLE \(name: join.name) ( \(list: columns), PRIMARY KEY (\(names: [join.first, join.second])) )
            """,
            """
            CREATE INDEX \(name: "\(join.name)_\(join.second)_INDEX") ON \(name: join.name) \
            (\(names: [join.second, join.first]))
            """,
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
        "CREATE INDEX \(name: "\(table)_\(column)_INDEX") ON \(name: table) (\(name: column))"
    }

    // MARK: Unique indexes

    private func uniqueIndexes(_ entity: SQLEntity) -> [SQLStatement] {
        entity.storedEntity.entity.uniquenessConstraintNames.map { names in
            let columns = names.compactMap { column(atPath: $0, entity)?.name }
            let list = columns.map { SQLStatement(.indexed($0, isAscending: true)) }
            let name = "Z_\(entity.storedEntity.entity.name ?? "")_UNIQUE_\(names.joined(separator: "_"))"
            return "CREATE UNIQUE INDEX \(name: name) ON \(name: entity.table) (\(list: list))"
        }
    }

    // MARK: Names

    package func quoted(_ name: String) -> String { dialect.quoted(name) }

    /// The column of a property, or of a composite's element.
    package func column(atPath path: String, _ entity: SQLEntity) -> SQLColumn? {
        let layout = entity.storedEntity.layout
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
