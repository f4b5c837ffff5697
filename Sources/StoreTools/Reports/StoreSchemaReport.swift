import CoreDataSQL
import CoreData
import CoreDataSQLite

/// The tables of a store, with what of the model each column is for; of a store without tables, the entities of its model.
package struct StoreSchemaReport: Encodable, Sendable {
    package struct Column: Encodable, Sendable {
        package let name: String
        /// The declared type.
        package let type: String
        /// The properties, as `Book.title`; none for columns of the format itself and for unknown ones.
        package let properties: [String]
    }

    package struct Entity: Encodable, Sendable {
        package let name: String
        package let number: Int
    }

    package struct Table: Encodable, Sendable {
        package let name: String
        /// Those whose rows the table has, by number.
        package let entities: [Entity]
        package let columns: [Column]
        package let indexes: [String]
        package let triggers: [String]
    }

    package struct Property: Encodable, Sendable {
        package let name: String
        /// That of an attribute as Xcode writes it, or `to-one Author`, `to-many Book`.
        package let type: String
    }

    package struct ModelEntity: Encodable, Sendable {
        package let name: String
        /// The name of the superentity; nil without one.
        package let parent: String?
        /// What the entity itself declares, by name.
        package let properties: [Property]
    }

    /// By name; none of a store that is not in SQLite.
    package let tables: [Table]
    /// Whether the names are of a model that was made from the tables.
    package let isModelReconstructed: Bool
    /// By name; nil of a store that has tables.
    package let entities: [ModelEntity]?

    /// - Throws: an error of the store.
    package init(_ source: OpenStore) throws {
        isModelReconstructed = source.model.isReconstructed
        guard source.type == .sqlite else {
            tables = []
            entities = source.store.schema.entities.map(Self.entity).sorted { $0.name.utf8Precedes($1.name) }
            return
        }
        entities = nil
        let schema = source.store.schema
        var properties: [String: [String: [String]]] = [:]
        for entity in schema.entities {
            let layout = entity.storedEntity.layout
            let inherited = layout.superlayout?.slots.count ?? 0
            for column in entity.columns where column.slot >= inherited {
                let name = "\(entity.name).\(layout.slots[column.slot].name)"
                properties[entity.table, default: [:]][column.name, default: []].append(name)
            }
            for slot in layout.slots[inherited...] where slot.kind == .toMany {
                guard let relationship = slot.relationship, let links = schema.links(of: relationship) else {
                    continue
                }
                let name = "\(entity.name).\(slot.name)"
                if links.kind == .joinTable {
                    properties[links.table, default: [:]][links.destination, default: []].append(name)
                } else if relationship.inverseRelationship == nil {
                    properties[links.table, default: [:]][links.owner, default: []].append(name)
                }
                for case let order? in [links.order, links.reverseOrder] {
                    properties[links.table, default: [:]][order, default: []].append("order of \(name)")
                }
            }
        }
        let names = properties
        tables = try source.store.withContents { contents in
            try contents.databaseTables().map { Self.table($0, schema, names[$0.name] ?? [:]) }
        }
    }

    private static func entity(_ entity: SQLEntity) -> ModelEntity {
        let layout = entity.storedEntity.layout
        let own = layout.slots[(layout.superlayout?.slots.count ?? 0)...].filter(\.isStored)
        return ModelEntity(
            name: entity.name, parent: entity.storedEntity.entity.superentity?.name,
            properties: own.map { slot in
                let destination = slot.relationship?.destinationEntity?.name ?? ""
                let type =
                    slot.kind.isRelationship
                    ? "\(slot.kind == .toOne ? "to-one" : "to-many") \(destination)"
                    : slot.attribute?.attributeType.displayName ?? ""
                return Property(name: slot.name, type: type)
            }
            .sorted { $0.name.utf8Precedes($1.name) })
    }

    private static func table(
        _ table: StoreTable, _ schema: SQLSchema, _ properties: [String: [String]]
    ) -> Table {
        Table(
            name: table.name,
            entities: schema.entities.filter { $0.table == table.name }
                .map { Entity(name: $0.name, number: Int($0.number)) },
            columns: table.columns.map {
                Column(name: $0.name, type: $0.type, properties: properties[$0.name] ?? [])
            },
            indexes: table.indexes, triggers: table.triggers)
    }

    /// The statements that made a store's tables, indexes and triggers, in the order in which they were made.
    ///
    /// - Throws: 259, 134010, 134080 or 134090 when the file is not a store or cannot be read.
    package static func statements(of url: URL) throws -> [String] {
        let type = StoreFileType(url)
        guard type == .sqlite else {
            throw StoreToolError("\(url.path) is \(type.description) and has no SQL schema.")
        }
        let tables = SQLiteStoreTables(url)
        _ = try tables.metadata()
        return try tables.creationStatements()
    }
}
