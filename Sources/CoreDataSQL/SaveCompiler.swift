import Foundation
import ManagedObjectModel
import ObjectGraph

/// The statements of a save. Their parameters are bound for each row.
package struct SaveCompiler {
    let schema: SQLSchema

    package init(schema: SQLSchema) {
        self.schema = schema
    }

    /// Parameters: key, entity, version, then the entity's columns.
    package func insert(_ entity: SQLEntity) -> SQLStatement {
        let names = ["Z_PK", "Z_ENT", "Z_OPT"] + entity.columns.map(\.name)
        return "INSERT INTO \(name: entity.table)(\(names: names)) VALUES(\(parameters: names.count))"
    }

    /// Changes a row that is still of the entity: a key may be another object's by now. Parameters: the columns, the new
    /// version, the key, the old version.
    package func update(_ entity: SQLEntity, _ columns: [SQLColumn]) -> SQLStatement {
        let sets = (columns.map(\.name) + ["Z_OPT"]).map { "\(name: $0) = \(.parameter)" as SQLStatement }
        return "UPDATE \(name: entity.table) SET \(list: sets) WHERE \(isOwn(entity))"
    }

    /// Takes values from a row that stays. Each becomes NULL, or one that no row has: a change from or to NULL does not count for
    /// triggers that test whether the old value differs from the new one. Parameters: for each column whether it becomes
    /// NULL, and the value that no row has; then the key, the version.
    package func vacate(_ entity: SQLEntity, _ columns: [SQLColumn]) -> SQLStatement {
        let sets = columns.map { column -> SQLStatement in
            """
            \(name: column.name) = CASE WHEN \(.truth("\(.parameter)")) OR \(name: column.name) IS NULL THEN NULL \
            ELSE \(.parameter) END
            """
        }
        return "UPDATE \(name: entity.table) SET \(list: sets) WHERE \(isOwn(entity))"
    }

    /// Parameters: the key, the old version.
    package func delete(_ entity: SQLEntity) -> SQLStatement {
        "DELETE FROM \(name: entity.table) WHERE \(isOwn(entity))"
    }

    /// Parameters: the key, the version.
    private func isOwn(_ entity: SQLEntity) -> SQLStatement {
        .all("Z_PK = \(.parameter)", entity.isOwn(), "Z_OPT = \(.parameter)")
    }

    /// Adds a link. Parameters: owner, destination.
    package func addLink(_ links: SQLLinks) -> SQLStatement {
        switch links.kind {
        case .joinTable:
            let parameter = SQLStatement(.parameter)
            return SQLStatement(
                .insertUnlessThere(
                    table: links.table, columns: [links.owner, links.destination],
                    values: [parameter, parameter]))
        case .destinationColumn:
            return """
                UPDATE \(name: links.table) SET \(name: links.owner) = \(.parameter) \
                WHERE \(name: links.destination) = \(.parameter)
                """
        }
    }

    /// Removes a link. Parameters: owner, destination.
    package func removeLink(_ links: SQLLinks) -> SQLStatement {
        let link: SQLStatement =
            "\(name: links.owner) = \(.parameter) AND \(name: links.destination) = \(.parameter)"
        switch links.kind {
        case .joinTable: return "DELETE FROM \(name: links.table) WHERE \(link)"
        case .destinationColumn:
            return "UPDATE \(name: links.table) SET \(name: links.owner) = NULL WHERE \(link)"
        }
    }

    /// Ends all links of a deleted object that are in one column, unless its key is that of an object of another entity
    /// by now. Parameter: its key.
    package func endLinks(_ links: SQLLinks, column: String, of entity: SQLEntity) -> SQLStatement {
        var ended: SQLStatement = "\(name: column) = \(.numberedParameter(1))"
        if entity.sharesTable {
            ended.append(
                """
                 AND NOT EXISTS (SELECT 1 FROM \(name: entity.table) AS o \
                WHERE o.Z_PK = \(.numberedParameter(1)) AND o.Z_ENT <> \(integer: entity.number))
                """)
        }
        switch links.kind {
        case .joinTable: return "DELETE FROM \(name: links.table) WHERE \(ended)"
        case .destinationColumn:
            return "UPDATE \(name: links.table) SET \(name: column) = NULL WHERE \(ended)"
        }
    }

    /// The destinations of one owner with their positions. Parameter: owner.
    package func positions(_ links: SQLLinks, _ column: String) -> SQLStatement {
        func select(_ ownerColumn: String, _ destination: String, _ column: String) -> SQLStatement {
            """
            SELECT p.\(name: destination), p.\(name: column) FROM \(name: links.table) p WHERE \
            p.\(name: ownerColumn) = \(.numberedParameter(1))
            """
        }
        let forward = select(links.owner, links.destination, column)
        guard links.isReflexive else { return forward }
        let backward = select(links.destination, links.owner, links.reverseOrder ?? column)
        return "\(forward) UNION ALL \(backward) AND \(links.hasNoOtherRow("p"))"
    }

    /// Sets the position of one destination. Parameters: position, owner, destination.
    package func order(_ links: SQLLinks, _ column: String) -> SQLStatement {
        """
        UPDATE \(name: links.table) SET \(name: column) = \(.parameter) WHERE \(name: links.owner) = \(.parameter) \
        AND \(name: links.destination) = \(.parameter)
        """
    }

    /// Sets the position of one destination in the row that stands for the link the other way round, unless the link has a row of
    /// its own. Parameters: position, destination, owner.
    package func orderOfOtherWay(_ links: SQLLinks, _ column: String) -> SQLStatement {
        "\(order(links, links.reverseOrder ?? column)) AND \(links.hasNoOtherRow(links.table))"
    }

    /// Takes references that no row has: some stores were filled by other programs, which counted nothing. Parameters: how many,
    /// the root's number.
    package func reserve(_ entity: SQLEntity) -> SQLStatement {
        let counted = SQLPiece.coalesce("Z_MAX", "0")
        let last = SQLPiece.coalesce("(SELECT MAX(Z_PK) FROM \(name: entity.table))", "0")
        return """
            UPDATE Z_PRIMARYKEY SET Z_MAX = \(.greatest("\(counted)", "\(last)")) + \(.parameter) \
            WHERE Z_ENT = \(.parameter)
            """
    }

    /// The highest reference taken; -1 when one of those just taken is a row's, because something else than the reservation
    /// changed the count. Parameters: how many were taken, the root's number.
    package func highest(_ entity: SQLEntity) -> SQLStatement {
        """
        SELECT CASE WHEN EXISTS (SELECT 1 FROM \(name: entity.table) AS o WHERE o.Z_PK > k.Z_MAX - \(.parameter)) THEN -1 \
        ELSE k.Z_MAX END FROM Z_PRIMARYKEY AS k WHERE k.Z_ENT = \(.parameter)
        """
    }
}
