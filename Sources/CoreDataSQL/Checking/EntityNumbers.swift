import ObjectGraph

/// The entities of a store as `Z_PRIMARYKEY` lists them; that takes no model.
package struct EntityNumbers {
    package struct Entity: Sendable {
        package let number: Int64
        package let name: String
        /// The number of the superentity; 0 for none.
        package let parent: Int64
        /// The highest key given out; counted at roots only.
        package let highestKey: Int64

        package var isRoot: Bool { parent == 0 }
        /// Whether the entity is one of Apple's own, such as those of history.
        package var isPrivate: Bool { number >= 16000 }
    }

    /// All entities, by number.
    package let all: [Entity]
    private let byNumber: [Int64: Entity]
    /// The tables, by their name in capitals.
    private let tables: [String: String]

    /// - Parameter tables: those of the store.
    /// - Returns: nil for a store without the table that lists its entities.
    /// - Throws: an error of the database.
    package init?(_ connection: any SQLConnection, _ tables: ExistingTables) throws {
        guard tables.columns(of: "Z_PRIMARYKEY") != nil else { return nil }
        var entities: [Entity] = []
        try connection.forEachRow(of: Self.list) { row in
            guard let number = row.wholeNumber(0), row.type(1) == .text else { return }
            entities.append(
                Entity(
                    number: number, name: row.string(1), parent: row.wholeNumber(2) ?? 0,
                    highestKey: row.wholeNumber(3) ?? 0))
        }
        all = entities
        byNumber = Dictionary(all.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
        self.tables = Dictionary(
            tables.names.map { ($0.uppercased(), $0) }, uniquingKeysWith: { first, _ in first })
    }

    private static let list: SQLStatement =
        "SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT\(.limit(20_000, offset: nil))"

    /// The table that has the rows of an entity; nil when it has none.
    package func table(of entity: Entity) -> String? {
        var root = entity
        // A list that goes round has no root.
        var steps = 0
        while !root.isRoot, let parent = byNumber[root.parent], steps < 1000 {
            root = parent
            steps += 1
        }
        let name = root.name.uppercased()
        return tables[root.isPrivate ? "A\(name)" : "Z\(name)"]
    }
}

extension SQLRow {
    /// The number in a column; nil for a value of another type, which columns of damaged stores may have.
    package func wholeNumber(_ column: Int) -> Int64? {
        switch type(column) {
        case .integer: integer(column)
        case .double: Int64(exactly: double(column).rounded(.towardZero))
        case .null, .text, .blob: nil
        }
    }
}

extension SQLConnection {
    /// The rows that a statement finds, whose first column has the keys of objects.
    ///
    /// - Throws: an error of the database.
    package func found(_ statement: SQLStatement) throws -> FoundRows {
        var found = FoundRows()
        try forEachRow(of: statement) { found.add($0.wholeNumber(0)) }
        return found
    }

    /// The number in the first column of the first row; nil where there is none, or a value of another type.
    ///
    /// - Throws: an error of the database.
    package func firstInteger(_ statement: SQLStatement) throws -> Int64? {
        try firstInteger(dialect.render(statement))
    }

    package func firstInteger(_ statement: RenderedSQL) throws -> Int64? {
        var value: Int64?
        var isFirst = true
        try forEachRow(of: statement) { row in
            if isFirst { value = row.wholeNumber(0) }
            isFirst = false
        }
        return value
    }
}
