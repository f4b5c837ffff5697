import ObjectGraph
import Foundation
import ManagedObjectModel

/// Statements for relationships that are kept outside of their owners' rows.
package struct LinkCompiler {
    let schema: SQLSchema

    package init(schema: SQLSchema) {
        self.schema = schema
    }

    /// Owner, entity number and key of each destination, ordered where the relationship is.
    package func destinations(
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
    ///
    /// One row of a relationship that is its own inverse stands for both ways; what others may have written as two rows is
    /// found once.
    func pairs(_ links: SQLLinks) -> String {
        let table = schema.quoted(links.table)
        func select(_ owner: String, _ destination: String, _ order: String?) -> String {
            let name = links.order.map(schema.quoted)
            let order = order.flatMap { order in name.map { ", p.\(schema.quoted(order)) \($0)" } } ?? ""
            return
                "SELECT p.\(schema.quoted(owner)) o, p.\(schema.quoted(destination)) d\(order) FROM \(table) p"
        }
        let forward = select(links.owner, links.destination, links.order)
        guard links.isReflexive else { return forward }
        let backward = select(links.destination, links.owner, links.reverseOrder ?? links.order)
        guard links.order != nil else { return "\(forward) UNION \(backward)" }
        return "\(forward) UNION ALL \(backward) WHERE \(links.hasNoOtherRow("p", schema))"
    }
}

extension SQLLinks {
    /// The condition that a row of a relationship that is its own inverse has no other one the other way round.
    func hasNoOtherRow(_ row: String, _ schema: SQLSchema) -> String {
        let (owner, destination) = (schema.quoted(owner), schema.quoted(destination))
        return """
            NOT EXISTS (SELECT 1 FROM \(schema.quoted(table)) x WHERE x.\(owner) = \(row).\(destination) \
            AND x.\(destination) = \(row).\(owner))
            """
    }
}
