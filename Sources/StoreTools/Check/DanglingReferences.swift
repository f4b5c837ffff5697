import CoreDataSQL
import CoreData

/// Statements that find foreign keys which do not lead to what they should.
struct DanglingReferences {
    /// A statement whose rows are the key of an object and the key that it leads to. It ends in a condition, so that
    /// others may follow.
    struct Query {
        let sql: String
        let property: String
        /// The quoted names of the columns that lead to the object.
        let columns: [String]
        let destination: SQLEntity
        /// The name of the inverse; empty for none.
        let inverse: String
    }

    private let schema: SQLSchema

    init(_ schema: SQLSchema) { self.schema = schema }

    /// The to-one relationships of an entity, inherited ones included.
    func toOne(of entity: SQLEntity) -> [Query] {
        keys(of: entity).map { key in
            Query(
                sql: """
                    SELECT s.Z_PK, s.\(key.column) FROM \(schema.quoted(entity.table)) s WHERE s.Z_ENT = \(entity.number) \
                    AND s.\(key.column) NOT NULL AND NOT EXISTS \
                    (SELECT 1 FROM \(schema.quoted(key.destination.table)) d WHERE d.Z_PK = s.\(key.column))
                    """,
                property: key.relationship.name,
                columns: [key.column] + [key.entityColumn].compactMap(\.self), destination: key.destination,
                inverse: key.relationship.inverseRelationship?.name ?? "")
        }
    }

    /// To-one relationships that lead to a row of an entity that they cannot lead to.
    func wrongEntities(of entity: SQLEntity) -> [Query] {
        keys(of: entity).map { key in
            let family = key.destination.familyNumbers.map(String.init).joined(separator: ", ")
            var condition = "d.Z_ENT NOT IN (\(family))"
            if let number = key.entityColumn { condition = "(\(condition) OR d.Z_ENT IS NOT s.\(number))" }
            return Query(
                sql: """
                    SELECT s.Z_PK, s.\(key.column) FROM \(schema.quoted(entity.table)) s \
                    JOIN \(schema.quoted(key.destination.table)) d ON d.Z_PK = s.\(key.column) \
                    WHERE s.Z_ENT = \(entity.number) AND \(condition)
                    """,
                property: key.relationship.name,
                columns: [key.column] + [key.entityColumn].compactMap(\.self), destination: key.destination,
                inverse: key.relationship.inverseRelationship?.name ?? "")
        }
    }

    /// To-one relationships whose destination's to-one inverse does not lead back.
    func oneSided(of entity: SQLEntity) -> [Query] {
        keys(of: entity).compactMap { key in
            guard let inverse = key.relationship.inverseRelationship, !inverse.isToMany,
                let index = key.destination.home.layout.index(of: inverse.name),
                let other = key.destination.column(slot: index)
            else { return nil }
            return Query(
                sql: """
                    SELECT s.Z_PK, s.\(key.column) FROM \(schema.quoted(entity.table)) s \
                    JOIN \(schema.quoted(key.destination.table)) d ON d.Z_PK = s.\(key.column) \
                    WHERE s.Z_ENT = \(entity.number) AND d.\(schema.quoted(other.name)) IS NOT s.Z_PK
                    """,
                property: key.relationship.name,
                columns: [key.column] + [key.entityColumn].compactMap(\.self), destination: key.destination,
                inverse: key.relationship.inverseRelationship?.name ?? "")
        }
    }

    private typealias Key = (
        relationship: NSRelationshipDescription, column: String, entityColumn: String?, destination: SQLEntity
    )

    private func keys(of entity: SQLEntity) -> [Key] {
        entity.columns.compactMap { column in
            guard column.kind == .toOne, column.role == .value else { return nil }
            let slot = entity.home.layout.slots[column.slot]
            guard let relationship = slot.relationship,
                let target = relationship.destinationEntity.flatMap(schema.entity(of:))
            else { return nil }
            let number = slot.entitySlot >= 0 ? entity.column(rowSlot: slot.entitySlot)?.name : nil
            return (relationship, schema.quoted(column.name), number.map(schema.quoted), target)
        }
    }
}

extension SQLSchema {
    /// The tables' side of an entity; nil for one that the store does not hold.
    func entity(of entity: NSEntityDescription) -> SQLEntity? {
        entities.first { $0.home.entity === entity }
    }
}
