import ManagedObjectModel
import ObjectGraph

/// Statements that find foreign keys which do not lead to what they should.
package struct ReferenceFaults {
    /// The faults of one to-one relationship.
    package struct Query {
        /// A statement that ends in a condition, so that others may follow.
        fileprivate let rows: SQLStatement
        fileprivate let table: String
        package let property: String
        /// The columns that lead to the object.
        fileprivate let columns: [String]
        package let destination: SQLEntity
        /// The name of the inverse; empty for none.
        package let inverse: String

        /// All faults: the key of an object, and the key that it leads to.
        package var all: SQLStatement { rows }

        /// The same of the next objects above a key, by key.
        package func next(_ count: Int64, above key: Int64) -> SQLStatement {
            "\(rows) AND s.Z_PK > \(value: .integer(key)) ORDER BY s.Z_PK\(.window(limit: count, offset: 0))"
        }

        /// Removes the reference from an object.
        package func removal(from key: Int64) -> SQLStatement {
            let changes = columns.map { "\(name: $0) = NULL" as SQLStatement }
            return "UPDATE \(name: table) SET \(list: changes) WHERE Z_PK = \(value: .integer(key))"
        }
    }

    private let schema: SQLSchema

    package init(_ schema: SQLSchema) { self.schema = schema }

    /// To-one relationships, inherited ones included, that lead to a key which no object has.
    package func dangling(of entity: SQLEntity) -> [Query] {
        keys(of: entity).map { key in
            query(
                entity, key,
                """
                SELECT s.Z_PK, s.\(name: key.column) FROM \(name: entity.table) s \
                WHERE \(.all(entity.isOwn(in: "s"), "s.\(name: key.column) IS NOT NULL")) AND NOT EXISTS \
                (SELECT 1 FROM \(name: key.destination.table) d WHERE d.Z_PK = s.\(name: key.column))
                """)
        }
    }

    /// To-one relationships that lead to a row of an entity that they cannot lead to.
    package func wrongEntities(of entity: SQLEntity) -> [Query] {
        keys(of: entity).compactMap { key in
            let isOfNone = key.destination.isAmong(key.destination.familyNumbers, in: "d").map {
                "NOT (\($0))" as SQLStatement
            }
            let number = key.destination.numberOfRow(in: "d")
            let isOther = key.entityColumn.map { SQLStatement(.differs(number, "s.\(name: $0)")) }
            let conditions = [isOfNone, isOther].compactMap(\.self)
            guard !conditions.isEmpty else { return nil }
            let isWrong: SQLStatement = "(\(conditions.joined(separator: " OR ")))"
            return query(
                entity, key,
                """
                SELECT s.Z_PK, s.\(name: key.column) FROM \(name: entity.table) s \
                JOIN \(name: key.destination.table) d ON d.Z_PK = s.\(name: key.column) \
                WHERE \(.all(entity.isOwn(in: "s"), isWrong))
                """)
        }
    }

    /// To-one relationships whose destination's to-one inverse does not lead back.
    package func oneSided(of entity: SQLEntity) -> [Query] {
        keys(of: entity).compactMap { key in
            guard let inverse = key.relationship.inverseRelationship, !inverse.isToMany,
                let index = key.destination.storedEntity.layout.index(of: inverse.name),
                let other = key.destination.column(slot: index)
            else { return nil }
            return query(
                entity, key,
                """
                SELECT s.Z_PK, s.\(name: key.column) FROM \(name: entity.table) s \
                JOIN \(name: key.destination.table) d ON d.Z_PK = s.\(name: key.column) \
                WHERE \(.all(entity.isOwn(in: "s"), "\(.differs("d.\(name: other.name)", "s.Z_PK"))"))
                """)
        }
    }

    private func query(_ entity: SQLEntity, _ key: Key, _ rows: SQLStatement) -> Query {
        Query(
            rows: rows, table: entity.table, property: key.relationship.name,
            columns: [key.column] + [key.entityColumn].compactMap(\.self), destination: key.destination,
            inverse: key.relationship.inverseRelationship?.name ?? "")
    }

    private typealias Key = (
        relationship: NSRelationshipDescription, column: String, entityColumn: String?, destination: SQLEntity
    )

    private func keys(of entity: SQLEntity) -> [Key] {
        entity.columns.compactMap { column in
            guard column.kind == .toOne, column.role == .value else { return nil }
            let slot = entity.storedEntity.layout.slots[column.slot]
            guard let relationship = slot.relationship,
                let target = relationship.destinationEntity.flatMap(schema.entity(of:))
            else { return nil }
            let number = slot.entitySlot >= 0 ? entity.column(rowSlot: slot.entitySlot)?.name : nil
            return (relationship, column.name, number, target)
        }
    }
}
