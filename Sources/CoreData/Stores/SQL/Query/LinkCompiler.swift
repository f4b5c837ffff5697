import Foundation
import ManagedObjectModel

/// Statements for relationships that are kept outside of their owners' rows.
struct LinkCompiler {
    let schema: SQLSchema

    /// Owner, entity number and key of each destination, ordered where the relationship is.
    func destinations(
        of relationship: NSRelationshipDescription, _ links: SQLLinks, owners: [Int64]
    ) throws -> SQLStatement {
        let order = links.order.map { " ORDER BY l.\(schema.quoted($0)), 3" } ?? ""
        let table = schema.quoted(links.table)
        let owner = "l.\(schema.quoted(links.owner))"
        switch links.kind {
        case .destinationColumn:
            let condition = try condition(owner, owners)
            return SQLStatement(
                "SELECT \(owner), l.Z_ENT, l.Z_PK FROM \(table) l WHERE \(condition.text)\(order)",
                condition.arguments)
        case .joinTable:
            let target = relationship.destinationEntity.flatMap { entity in
                schema.entities.first { $0.home.entity === entity }
            }
            guard let target else { return SQLStatement("SELECT 0, 0, 0 WHERE 0") }
            let condition = try condition("l.o", owners)
            return SQLStatement(
                """
                SELECT l.o, d.Z_ENT, d.Z_PK FROM (\(pairs(links))) l JOIN \(schema.quoted(target.table)) d ON \
                l.d = d.Z_PK WHERE \(condition.text)\(order)
                """, condition.arguments)
        }
    }

    private func condition(_ owner: String, _ owners: [Int64]) throws -> SQLStatement {
        try ValueList(owners.map(SQLValue.integer)).condition(SQLStatement(owner), schema.dialect)
    }

    /// Owner and destination of every link of a join table, with their order.
    func pairs(_ links: SQLLinks) -> String {
        let order = links.order.map { ", \(schema.quoted($0))" } ?? ""
        func select(_ owner: String, _ destination: String) -> String {
            """
            SELECT \(schema.quoted(owner)) o, \(schema.quoted(destination)) d\(order) FROM \(schema.quoted(links.table))
            """
        }
        let forward = select(links.owner, links.destination)
        return links.isReflexive ? "\(forward) UNION \(select(links.destination, links.owner))" : forward
    }
}
