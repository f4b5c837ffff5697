import ObjectGraph
import Foundation
import ManagedObjectModel

/// The statements of a save.
package struct SaveCompiler {
    let schema: SQLSchema

    package init(schema: SQLSchema) {
        self.schema = schema
    }

    /// Parameters: key, entity, version, then the entity's columns.
    package func insert(_ entity: SQLEntity) -> String {
        let names = ["Z_PK", "Z_ENT", "Z_OPT"] + entity.columns.map { schema.quoted($0.name) }
        let parameters = Array(repeating: "?", count: names.count).joined(separator: ", ")
        return
            "INSERT INTO \(schema.quoted(entity.table))(\(names.joined(separator: ", "))) VALUES(\(parameters))"
    }

    /// Changes a row that is still of the entity: a key may be another object's by now. Parameters: the columns, the new
    /// version, the key, the old version.
    package func update(_ entity: SQLEntity, _ columns: [SQLColumn]) -> String {
        let sets = columns.map { "\(schema.quoted($0.name)) = ?" } + ["Z_OPT = ?"]
        return """
            UPDATE \(schema.quoted(entity.table)) SET \(sets.joined(separator: ", ")) \
            WHERE Z_PK = ? AND Z_ENT = \(entity.number) AND Z_OPT = ?
            """
    }

    /// Takes values from a row that stays. Each becomes NULL, or one that no row has: a change from or to NULL does not count for
    /// triggers that test whether the old value differs from the new one. Parameters: for each column whether it becomes
    /// NULL, and the value that no row has; then the key, the version.
    package func vacate(_ entity: SQLEntity, _ columns: [SQLColumn]) -> String {
        let sets = columns.map { column in
            let name = schema.quoted(column.name)
            return "\(name) = CASE WHEN ? OR \(name) IS NULL THEN NULL ELSE ? END"
        }
        return """
            UPDATE \(schema.quoted(entity.table)) SET \(sets.joined(separator: ", ")) \
            WHERE Z_PK = ? AND Z_ENT = \(entity.number) AND Z_OPT = ?
            """
    }

    /// Parameters: the key, the old version.
    package func delete(_ entity: SQLEntity) -> String {
        "DELETE FROM \(schema.quoted(entity.table)) WHERE Z_PK = ? AND Z_ENT = \(entity.number) AND Z_OPT = ?"
    }

    /// Adds a link. Parameters: owner, destination.
    package func addLink(_ links: SQLLinks) -> String {
        let (owner, destination) = (schema.quoted(links.owner), schema.quoted(links.destination))
        switch links.kind {
        case .joinTable:
            return
                "INSERT OR IGNORE INTO \(schema.quoted(links.table)) (\(owner), \(destination)) VALUES (?, ?)"
        case .destinationColumn:
            return "UPDATE \(schema.quoted(links.table)) SET \(owner) = ? WHERE \(destination) = ?"
        }
    }

    /// Removes a link. Parameters: owner, destination.
    package func removeLink(_ links: SQLLinks) -> String {
        let (owner, destination) = (schema.quoted(links.owner), schema.quoted(links.destination))
        switch links.kind {
        case .joinTable:
            return "DELETE FROM \(schema.quoted(links.table)) WHERE \(owner) = ? AND \(destination) = ?"
        case .destinationColumn:
            return """
                UPDATE \(schema.quoted(links.table)) SET \(owner) = NULL WHERE \(owner) = ? AND \(destination) = ?
                """
        }
    }

    /// Ends all links of a deleted object that are in one column, unless its key is that of an object of another entity
    /// by now. Parameter: its key.
    package func endLinks(_ links: SQLLinks, column: String, of entity: SQLEntity) -> String {
        let name = schema.quoted(column)
        let isOwn = """
            NOT EXISTS (SELECT 1 FROM \(schema.quoted(entity.table)) AS o WHERE o.Z_PK = ?1 AND o.Z_ENT <> \(entity.number))
            """
        switch links.kind {
        case .joinTable:
            return "DELETE FROM \(schema.quoted(links.table)) WHERE \(name) = ?1 AND \(isOwn)"
        case .destinationColumn:
            return "UPDATE \(schema.quoted(links.table)) SET \(name) = NULL WHERE \(name) = ?1 AND \(isOwn)"
        }
    }

    /// The destinations of one owner with their positions.
    package func places(_ links: SQLLinks, _ column: String, owner: SQLValue) -> SQLStatement {
        func select(_ owner: String, _ destination: String, _ column: String) -> String {
            """
            SELECT p.\(schema.quoted(destination)), p.\(schema.quoted(column)) FROM \(schema.quoted(links.table)) p WHERE \
            p.\(schema.quoted(owner)) = ?
            """
        }
        let forward = select(links.owner, links.destination, column)
        guard links.isReflexive else { return SQLStatement(forward, [owner]) }
        let backward = select(links.destination, links.owner, links.reverseOrder ?? column)
        return SQLStatement(
            "\(forward) UNION ALL \(backward) AND \(links.hasNoOtherRow("p", schema))", [owner, owner])
    }

    /// Sets the position of one destination. Parameters: place, owner, destination.
    package func order(_ links: SQLLinks, _ column: String) -> String {
        """
        UPDATE \(schema.quoted(links.table)) SET \(schema.quoted(column)) = ? WHERE \(schema.quoted(links.owner)) = ? \
        AND \(schema.quoted(links.destination)) = ?
        """
    }

    /// Sets the position of one destination in the row that stands for the link the other way round, unless the link has a row of
    /// its own. Parameters: place, destination, owner.
    package func orderOfOtherWay(_ links: SQLLinks, _ column: String) -> String {
        "\(order(links, links.reverseOrder ?? column)) AND \(links.hasNoOtherRow(schema.quoted(links.table), schema))"
    }

    /// Takes references that no row has: some stores were filled by other programs, which counted nothing. Parameters: how many,
    /// the root's number.
    package func reserve(_ entity: SQLEntity) -> String {
        let last = "(SELECT MAX(Z_PK) FROM \(schema.quoted(entity.table)))"
        return """
            UPDATE Z_PRIMARYKEY SET Z_MAX = MAX(IFNULL(Z_MAX, 0), IFNULL(\(last), 0)) + ? WHERE Z_ENT = ?
            """
    }

    /// The highest reference taken; -1 when one of those just taken is a row's, because something else than the reservation
    /// changed the count. Parameters: how many were taken, the root's number.
    package func highest(_ entity: SQLEntity) -> String {
        """
        SELECT CASE WHEN EXISTS (SELECT 1 FROM \(schema.quoted(entity.table)) AS o WHERE o.Z_PK > k.Z_MAX - ?) THEN -1 \
        ELSE k.Z_MAX END FROM Z_PRIMARYKEY AS k WHERE k.Z_ENT = ?
        """
    }
}
