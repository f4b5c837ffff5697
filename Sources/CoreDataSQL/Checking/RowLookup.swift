import ObjectGraph

/// Statements that look up single rows and counts, for tools.
package enum RowLookup {
    /// How many objects an entity has, its subentities not counted in.
    package static func count(of entity: SQLEntity) -> SQLStatement {
        "SELECT COUNT(*) FROM \(name: entity.table)\(entity.whereOwn)"
    }

    /// The numbers of entities with their counts of rows.
    package static func counts(in table: String) -> SQLStatement {
        "SELECT Z_ENT, COUNT(*) FROM \(name: table) GROUP BY Z_ENT\(.limit(20_000, offset: nil))"
    }

    /// How many rows a table has.
    package static func count(in table: String) -> SQLStatement { "SELECT COUNT(*) FROM \(name: table)" }

    /// One row of a table; none for an empty one.
    package static func firstRow(in table: String) -> SQLStatement {
        "SELECT 1 FROM \(name: table)\(.limit(1, offset: nil))"
    }

    /// One row of a table with a value in a column; none where all are NULL.
    package static func firstValue(in table: String, _ column: String) -> SQLStatement {
        "SELECT 1 FROM \(name: table) WHERE \(name: column) IS NOT NULL\(.limit(1, offset: nil))"
    }

    /// The number of the entity of a row. Parameter: the key.
    package static func entityNumber(in entity: SQLEntity) -> SQLStatement {
        let table: SQLStatement = "\(name: entity.table)"
        return "SELECT \(entity.numberOfRow(in: table)) FROM \(table) WHERE Z_PK = \(.parameter)"
    }

    /// The key itself, where an object of the entity itself has it.
    package static func key(_ key: Int64, of entity: SQLEntity) -> SQLStatement {
        "SELECT Z_PK FROM \(name: entity.table) WHERE \(.all("Z_PK = \(value: .integer(key))", entity.isOwn()))"
    }

    /// The key of an object of the entity itself with these values.
    package static func key(
        of entity: SQLEntity, where values: [(column: String, value: SQLValue)]
    ) -> SQLStatement {
        let conditions = values.map { "\(name: $0.column) = \(value: $0.value)" as SQLStatement }
        return """
            SELECT Z_PK FROM \(name: entity.table) \
            WHERE \(.all(entity.isOwn(), conditions.joined(separator: " AND ")))\(.limit(1, offset: nil))
            """
    }

    /// The values in columns of a row.
    package static func values(_ key: Int64, of entity: SQLEntity, _ columns: [String]) -> SQLStatement {
        "SELECT \(names: columns) FROM \(name: entity.table) WHERE Z_PK = \(value: .integer(key))"
    }

    /// Changes a column of a row.
    package static func change(
        _ column: String, to value: Int64, _ key: Int64, of entity: SQLEntity
    ) -> SQLStatement {
        """
        UPDATE \(name: entity.table) SET \(name: column) = \(value: .integer(value)) \
        WHERE Z_PK = \(value: .integer(key))
        """
    }
}
