import Foundation
import ObjectGraph

extension SQLReading {
    /// The rows that a statement finds, packed.
    ///
    /// - Throws: as `forEachRow(of:as:timestamp:_:)`.
    package func rows(
        _ statement: RenderedSQL, as selection: RowSelection,
        timestamp: Double = Date.timeIntervalSinceReferenceDate
    ) throws -> [Row] {
        var rows: [Row] = []
        try forEachRow(of: statement, as: selection, timestamp: timestamp) { rows.append($0) }
        return rows
    }

    /// The number of the entity and the key of each row.
    package func keys(_ statement: RenderedSQL) throws -> [(entityNumber: Int32, reference: Int64)] {
        var keys: [(entityNumber: Int32, reference: Int64)] = []
        try forEachPair(of: statement) { keys.append((Int32(truncatingIfNeeded: $0), $1)) }
        return keys
    }

    /// The integer in the first column of the last row; 0 for NULL and where there is no row.
    package func integer(_ statement: RenderedSQL) throws -> Int64 {
        var value: Int64 = 0
        try forEachRow(of: statement) { value = $0.integer(0) }
        return value
    }
}

// Statements as pieces, which the connection's dialect renders.

extension SQLConnection {
    package func execute(_ statement: SQLStatement) throws { try execute(dialect.render(statement)) }

    package func prepare(_ statement: SQLStatement) throws -> any SQLPreparedStatement {
        try prepare(dialect.render(statement))
    }

    package func rowWriter(_ statement: SQLStatement, _ columns: [SQLColumn]) throws -> any RowWriting {
        try rowWriter(dialect.render(statement), columns)
    }

    package func forEachRow(of statement: SQLStatement, _ body: (any SQLRow) throws -> Void) throws {
        try forEachRow(of: dialect.render(statement), body)
    }

    package func forEachRow(
        of statement: SQLStatement, as selection: RowSelection, timestamp: Double,
        _ body: (Row) throws -> Void
    ) throws {
        try forEachRow(of: dialect.render(statement), as: selection, timestamp: timestamp, body)
    }

    package func forEachPair(of statement: SQLStatement, _ body: (Int64, Int64) throws -> Void) throws {
        try forEachPair(of: dialect.render(statement), body)
    }

    package func links(
        _ statement: SQLStatement
    ) throws -> [Int64: [(entityNumber: Int32, reference: Int64)]] {
        try links(dialect.render(statement))
    }

    /// Runs a statement for what it changes.
    package func run(_ statement: SQLStatement) throws { try forEachRow(of: statement) { _ in } }

    /// Runs a statement with parameters for what it changes.
    package func run(_ statement: RenderedSQL, _ values: [SQLValue]) throws {
        try forEachRow(of: statement.binding(values)) { _ in }
    }

    package func run(_ statement: SQLStatement, _ values: [SQLValue]) throws {
        try run(dialect.render(statement), values)
    }

    /// Calls `body` with each row that a statement with parameters finds.
    package func forEachRow(
        of statement: SQLStatement, _ values: [SQLValue], _ body: (any SQLRow) throws -> Void
    ) throws {
        try forEachRow(of: dialect.render(statement).binding(values), body)
    }

    /// The rows that a statement finds, packed.
    ///
    /// - Throws: as `forEachRow(of:as:timestamp:_:)`.
    package func rows(
        _ statement: SQLStatement, as selection: RowSelection,
        timestamp: Double = Date.timeIntervalSinceReferenceDate
    ) throws -> [Row] {
        try rows(dialect.render(statement), as: selection, timestamp: timestamp)
    }

    /// The number of the entity and the key of each row.
    package func keys(_ statement: SQLStatement) throws -> [(entityNumber: Int32, reference: Int64)] {
        try keys(dialect.render(statement))
    }

    /// The value in the first column of the first row; nil when there is no row.
    package func value(_ statement: SQLStatement) throws -> SQLValue? {
        var found: SQLValue?
        try forEachRow(of: statement) { row in found = found ?? row.value(0) }
        return found
    }

    /// The integer in the first column of the last row; 0 for NULL and where there is no row.
    package func integer(_ statement: SQLStatement) throws -> Int64 { try integer(dialect.render(statement)) }

    /// The same of a statement with parameters.
    package func integer(_ statement: SQLStatement, _ values: [SQLValue]) throws -> Int64 {
        try integer(dialect.render(statement).binding(values))
    }

    /// The strings in the first column, without NULL.
    package func strings(_ statement: SQLStatement) throws -> [String] {
        var strings: [String] = []
        try forEachRow(of: statement) { if !$0.isNull(0) { strings.append($0.string(0)) } }
        return strings
    }
}
