import ObjectGraph

/// A temporary table of a connection, for what would fill the memory: rows of numbers and strings, in the order in which they came.
///
/// It goes with the transaction in which it is made if that is rolled back, and else by `remove()`.
package final class ScratchTable {
    package typealias Column = (name: String, type: SQLColumnType)

    private let connection: any SQLConnection
    private let name: String
    private let insertion: RenderedSQL
    private let selection: RenderedSQL
    private var lookups: [[String]: RenderedSQL] = [:]
    private var count: Int64 = 0

    /// - Parameters:
    ///   - name: one that no table of a store has.
    ///   - indexed: columns whose values are unique together, in the order of an index.
    /// - Throws: an error of the database.
    package init(
        _ connection: any SQLConnection, _ name: String, _ columns: [Column], indexed: [String] = []
    ) throws {
        self.connection = connection
        self.name = name
        let names = columns.map(\.name)
        insertion = try connection.dialect.render(
            "INSERT INTO \(name: name) (Z_PK, \(names: names)) VALUES (\(parameters: names.count + 1))")
        selection = try connection.dialect.render("SELECT \(names: names) FROM \(name: name) ORDER BY Z_PK")
        var parts: [SQLStatement] = ["Z_PK \(.columnType(.primaryKey))"]
        parts += columns.map { "\(name: $0.name) \(.columnType($0.type))" as SQLStatement }
        if !indexed.isEmpty { parts.append("UNIQUE (\(names: indexed))") }
        try connection.execute("CREATE TEMPORARY TABLE \(name: name) (\(list: parts))")
    }

    /// - Throws: an error of the database.
    package func insert(_ values: [SQLValue]) throws {
        count += 1
        try connection.run(insertion, [.integer(count)] + values)
    }

    /// Calls `body` with each row, in the order in which they came. It must not insert into this table.
    ///
    /// - Throws: an error of the database, or what `body` throws.
    package func forEachRow(_ body: (any SQLRow) throws -> Void) throws {
        try connection.forEachRow(of: selection, body)
    }

    /// The number in a column of a row that has other numbers in other columns; nil when there is no such row.
    ///
    /// - Throws: an error of the database.
    package func number(_ column: String, where columns: [String], are values: [Int64]) throws -> Int64? {
        let statement: RenderedSQL
        if let known = lookups[[column] + columns] {
            statement = known
        } else {
            let conditions = columns.map { "\(name: $0) = \(.parameter)" as SQLStatement }
            statement = try connection.dialect.render(
                "SELECT \(name: column) FROM \(name: name) WHERE \(conditions.joined(separator: " AND "))")
            lookups[[column] + columns] = statement
        }
        var found: Int64?
        try connection.forEachRow(of: statement.binding(values.map(SQLValue.integer))) { row in
            found = found ?? row.integer(0)
        }
        return found
    }

    /// - Throws: an error of the database.
    package func remove() throws { try connection.execute("DROP TABLE \(name: name)") }
}
