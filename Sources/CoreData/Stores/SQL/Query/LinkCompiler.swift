import Foundation
import ManagedObjectModel

/// Statements for relationships that are kept outside of their owners' rows.
struct LinkCompiler {
    let schema: SQLSchema

    /// Owner, entity number and key of each destination, ordered where the relationship is.
    func destinations(
        of relationship: NSRelationshipDescription, _ links: SQLLinks, owners: [Int64]
    ) throws -> SQLStatement {
        let owner = "l.\(schema.quoted(links.owner))"
        let order = links.order.map { " ORDER BY l.\(schema.quoted($0))" } ?? ""
        let condition = try ValueList(owners.map(SQLValue.integer)).condition(
            SQLStatement(owner), schema.dialect)
        let table = schema.quoted(links.table)
        switch links.kind {
        case .destinationColumn:
            return SQLStatement(
                "SELECT \(owner), l.Z_ENT, l.Z_PK FROM \(table) l WHERE \(condition.text)\(order)",
                condition.arguments)
        case .joinTable:
            let destination = schema.quoted(links.destination)
            let target = relationship.destinationEntity.flatMap { entity in
                schema.entities.first { $0.home.entity === entity }
            }
            guard let target else { return SQLStatement("SELECT 0, 0, 0 WHERE 0") }
            return SQLStatement(
                """
                SELECT \(owner), d.Z_ENT, d.Z_PK FROM \(table) l JOIN \(schema.quoted(target.table)) d ON \
                l.\(destination) = d.Z_PK WHERE \(condition.text)\(order)
                """, condition.arguments)
        }
    }
}
