import ManagedObjectModel
import ObjectGraph

/// Statements that find rows which are not as the model says. The first column has the key of an object.
package struct RowFaults {
    private let schema: SQLSchema

    package init(_ schema: SQLSchema) { self.schema = schema }

    // MARK: Rows of entities

    /// The number of an entity and of its superentity in the store's list.
    package func numbers(of entity: SQLEntity) -> SQLStatement {
        "SELECT Z_ENT, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_NAME = \(value: .text(entity.name))"
    }

    /// Rows of a table whose number is not that of one of the table's entities, or of an abstract one. No object shows them, but in a
    /// table of one entity.
    ///
    /// - Parameter root: the entity at the root of those that share the table.
    package func unknownEntities(of root: SQLEntity) -> SQLStatement {
        "SELECT s.Z_PK FROM \(name: root.table) s WHERE \(isUnknown(root))"
    }

    /// How many such rows there are.
    package func countOfUnknownEntities(of root: SQLEntity) -> SQLStatement {
        "SELECT COUNT(*) FROM \(name: root.table) s WHERE \(isUnknown(root))"
    }

    private func isUnknown(_ root: SQLEntity) -> SQLStatement {
        let concrete = root.familyNumbers.filter {
            schema.entity($0).map { !$0.storedEntity.entity.isAbstract } ?? false
        }
        guard !concrete.isEmpty else { return SQLStatement(.boolean(true)) }
        return "s.Z_ENT IS NULL OR s.Z_ENT NOT IN (\(integers: concrete))"
    }

    /// Rows that have no value in a column.
    package func missingValues(_ column: SQLColumn, of entity: SQLEntity) -> SQLStatement {
        """
        SELECT s.Z_PK FROM \(name: entity.table) s \
        WHERE \(.all(entity.isOwn(in: "s"), "s.\(name: column.name) IS NULL"))
        """
    }

    // MARK: Orders

    /// Owners of destinations that have no position in an order.
    package func missingPositions(_ links: SQLLinks, _ order: String) -> SQLStatement {
        """
        SELECT l.\(name: links.owner) FROM \(name: links.table) l WHERE l.\(name: links.owner) IS NOT NULL \
        AND l.\(name: order) IS NULL
        """
    }

    /// Owners that have several destinations at one position of an order.
    package func sharedPositions(_ links: SQLLinks, _ order: String) -> SQLStatement {
        // A destination's key may be that of an owner of another entity, where both have this number.
        let number: SQLStatement = links.ownerEntity.map { ", l.\(name: $0)" } ?? ""
        return """
            SELECT l.\(name: links.owner) FROM \(name: links.table) l WHERE l.\(name: links.owner) IS NOT NULL \
            AND l.\(name: order) IS NOT NULL GROUP BY l.\(name: links.owner)\(number), l.\(name: order) HAVING COUNT(*) > 1
            """
    }

    // MARK: Links

    /// Keys of links at whose end there is no object.
    ///
    /// - Parameters:
    ///   - column: the column of the end.
    ///   - end: the entity of the objects at the end.
    package func danglingLinks(_ links: SQLLinks, _ column: String, _ end: SQLEntity) -> SQLStatement {
        let isSet: SQLStatement? = links.kind == .joinTable ? nil : "l.\(name: column) IS NOT NULL"
        let isEnd = SQLStatement.all("d.Z_PK = l.\(name: column)", end.isAmong(end.familyNumbers, in: "d"))
        let isDangling: SQLStatement = "NOT EXISTS (SELECT 1 FROM \(name: end.table) d WHERE \(isEnd))"
        return "SELECT l.\(name: column) FROM \(name: links.table) l WHERE \(.all(isSet, isDangling))"
    }

    /// Owners of links that a join table has more than once: tables of old stores have no key that keeps them from it.
    package func duplicateLinks(_ links: SQLLinks) -> SQLStatement {
        """
        SELECT \(name: links.owner) FROM \(name: links.table) GROUP BY \(name: links.owner), \(name: links.destination) \
        HAVING COUNT(*) > 1
        """
    }
}
