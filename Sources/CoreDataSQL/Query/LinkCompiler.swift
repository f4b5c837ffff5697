import Foundation
import ManagedObjectModel
import ObjectGraph

/// Statements for relationships that are kept outside of their owners' rows.
package struct LinkCompiler {
    let schema: SQLSchema

    package init(schema: SQLSchema) {
        self.schema = schema
    }

    /// Owner, entity number and key of each destination, ordered where the relationship is.
    package func destinations(
        of relationship: NSRelationshipDescription, _ links: SQLLinks, owners: [Int64]
    ) -> SQLStatement {
        let order = links.order.map {
            " ORDER BY \(.order("l.\(name: $0)", nil, isAscending: true)), 3" as SQLStatement
        }
        switch links.kind {
        case .destinationColumn:
            let owner: SQLStatement = "l.\(name: links.owner)"
            // The index of the owners then has all that is read, and no row is.
            let number: SQLStatement =
                schema.soleNumber(inTable: links.table).map { "\(integer: $0)" } ?? "l.Z_ENT"
            return """
                SELECT \(owner), \(number), l.Z_PK FROM \(name: links.table) l WHERE \(condition(owner, owners))\
                \(order ?? "")
                """
        case .joinTable:
            let target = relationship.destinationEntity.flatMap { entity in
                schema.entities.first { $0.storedEntity.entity === entity }
            }
            guard let target else { return "SELECT 0, 0, 0 WHERE \(.boolean(false))" }
            return """
                SELECT l.o, \(target.numberOfRow(in: "d")), d.Z_PK FROM (\(pairs(links))) l JOIN \(name: target.table) d ON \
                l.d = d.Z_PK WHERE \(condition("l.o", owners))\(order ?? "")
                """
        }
    }

    /// The highest key of the table of a relationship's destinations.
    package static func highestKey(_ links: SQLLinks) -> SQLStatement {
        TableFaults.highestKey(in: links.table)
    }

    /// The owners, in a range of keys, of the destinations with some keys: one for each of those that are there and have one.
    package static func owners(
        _ links: SQLLinks, of references: [Int64], in range: ClosedRange<Int64>
    ) -> SQLStatement {
        // Compared as `KeysInColumn` does without an index, where a column that is declared to have strings equals no number: it then has
        // no owners here either.
        let owner = SQLStatement(.plain("\(name: links.owner)"))
        return """
            SELECT \(name: links.owner) FROM \(name: links.table) WHERE \(ValueList.condition("Z_PK", keys: references)) \
            AND \(owner) BETWEEN \(value: .integer(range.lowerBound)) AND \(value: .integer(range.upperBound))
            """
    }

    private func condition(_ owner: SQLStatement, _ owners: [Int64]) -> SQLStatement {
        ValueList(owners.map(SQLValue.integer)).condition(owner)
    }

    /// Owner and destination of every link of a join table, with their order.
    ///
    /// One row of a relationship that is its own inverse stands for both ways; what others may have written as two rows is
    /// found once.
    func pairs(_ links: SQLLinks) -> SQLStatement {
        func select(_ owner: String, _ destination: String, _ order: String?) -> SQLStatement {
            let order = order.flatMap { order in
                links.order.map { ", p.\(name: order) \(name: $0)" as SQLStatement }
            }
            return """
                SELECT p.\(name: owner) o, p.\(name: destination) d\(order ?? "") FROM \(name: links.table) p
                """
        }
        let forward = select(links.owner, links.destination, links.order)
        guard links.isReflexive else { return forward }
        let backward = select(links.destination, links.owner, links.reverseOrder ?? links.order)
        guard links.order != nil else { return "\(forward) UNION \(backward)" }
        return "\(forward) UNION ALL \(backward) WHERE \(links.hasNoOtherRow("p"))"
    }
}

extension SQLLinks {
    /// The condition that a row of a relationship that is its own inverse has no other one the other way round.
    func hasNoOtherRow(_ row: String) -> SQLStatement {
        """
        NOT EXISTS (SELECT 1 FROM \(name: table) x WHERE x.\(name: owner) = \(name: row).\(name: destination) \
        AND x.\(name: destination) = \(name: row).\(name: owner))
        """
    }
}
