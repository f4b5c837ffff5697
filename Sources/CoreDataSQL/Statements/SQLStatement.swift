import Foundation
import ObjectGraph

/// A statement, or a part of one, as pieces that a dialect renders.
///
/// Statements are written as string literals:
///
///     let statement: SQLStatement = "UPDATE \(name: table) SET \(name: column) = \(.parameter) WHERE Z_PK = \(value: key)"
///
/// What stands in the literal is standard SQL. Everything else is interpolated: a piece, another statement, a name, a value. A plain string
/// cannot be, so that nothing becomes SQL by accident.
///
/// A statement has values of its own or parameters, whose values are bound for each run, and not both.
package struct SQLStatement: Sendable, Equatable {
    package private(set) var pieces: [SQLPiece]
    /// About how many bytes it has as text. O(1).
    package private(set) var length: Int

    /// No SQL at all.
    package init() {
        pieces = []
        length = 0
    }

    package init(_ piece: SQLPiece) {
        pieces = [piece]
        length = piece.length
    }

    /// SQL that only one database understands, for the module of that database.
    package init(native text: String) { self.init(.native(text)) }

    package var isEmpty: Bool { pieces.isEmpty }

    /// Whether a value or a parameter is bound.
    package var hasArguments: Bool { pieces.contains(where: \.hasArguments) }

    package mutating func append(_ piece: SQLPiece) {
        length += piece.length
        if case .text(let text) = piece, case .text(let last)? = pieces.last {
            pieces[pieces.count - 1] = .text(last + text)
        } else {
            pieces.append(piece)
        }
    }

    package mutating func append(_ other: SQLStatement) {
        guard let first = other.pieces.first else { return }
        guard !pieces.isEmpty else {
            self = other
            return
        }
        let length = length + other.length
        if case .text = first {
            append(first)
            pieces.append(contentsOf: other.pieces.dropFirst())
        } else {
            pieces.append(contentsOf: other.pieces)
        }
        self.length = length
    }
}

extension SQLStatement: ExpressibleByStringInterpolation {
    package init(stringLiteral text: String) {
        self.init()
        if !text.isEmpty { append(.text(text)) }
    }

    package init(stringInterpolation interpolation: StringInterpolation) { self = interpolation.statement }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var statement = SQLStatement()

        package init(literalCapacity: Int, interpolationCount: Int) {
            statement.reserve(2 * interpolationCount + 1)
        }

        package mutating func appendLiteral(_ text: String) {
            if !text.isEmpty { statement.append(.text(text)) }
        }

        package mutating func appendInterpolation(_ piece: SQLPiece) { statement.append(piece) }

        package mutating func appendInterpolation(_ other: SQLStatement) { statement.append(other) }

        package mutating func appendInterpolation(name: String) { statement.append(.name(name)) }

        package mutating func appendInterpolation(names: [String]) {
            list(names.map(SQLPiece.name))
        }

        package mutating func appendInterpolation(value: SQLValue) { statement.append(.value(value)) }

        package mutating func appendInterpolation(values: [SQLValue]) {
            list(values.map(SQLPiece.value))
        }

        /// So many parameters, with commas between them.
        package mutating func appendInterpolation(parameters count: Int) {
            list(Array(repeating: .parameter, count: count))
        }

        /// A number that is part of the statement, such as an entity's.
        package mutating func appendInterpolation(integer: some BinaryInteger) {
            statement.append(.text(String(integer)))
        }

        package mutating func appendInterpolation(integers: [some BinaryInteger]) {
            statement.append(.text(integers.map { String($0) }.joined(separator: ", ")))
        }

        /// Statements with commas between them.
        package mutating func appendInterpolation(list statements: [SQLStatement]) {
            statement.append(statements.joined(separator: ", "))
        }

        private mutating func list(_ pieces: [SQLPiece]) {
            for (index, piece) in pieces.enumerated() {
                if index > 0 { statement.append(.text(", ")) }
                statement.append(piece)
            }
        }
    }

    private mutating func reserve(_ count: Int) { pieces.reserveCapacity(count) }
}

extension [SQLStatement] {
    /// The statements with a separator between them, which is text of standard SQL.
    package func joined(separator: SQLStatement) -> SQLStatement {
        var joined = SQLStatement()
        for (index, statement) in enumerated() {
            if index > 0 { joined.append(separator) }
            joined.append(statement)
        }
        return joined
    }
}

extension SQLStatement {
    /// Conditions that are to hold together, of which one at least is there.
    static func all(_ conditions: SQLStatement?...) -> SQLStatement {
        assert(conditions.contains { $0 != nil }, "A statement does not end with WHERE.")
        return conditions.compactMap(\.self).joined(separator: " AND ")
    }
}

extension SQLPiece {
    fileprivate var hasArguments: Bool {
        switch self {
        case .value, .parameter, .numberedParameter, .list, .tuples, .rows, .window, .limitParameter: true
        default: statements.contains(where: \.hasArguments)
        }
    }

    /// The statements that it is made of.
    package var statements: [SQLStatement] {
        switch self {
        case .truth(let a), .number(let a), .cast(let a, _), .plain(let a), .folded(let a, _),
            .datePart(_, let a),
            .order(let a, _, _), .returning(let a), .rendered(let a, _):
            [a]
        case .isSame(let a, let b), .differs(let a, let b), .textMatch(_, let a, let b, _),
            .contains(let a, let b),
            .arithmetic(let a, _, let b), .coalesce(let a, let b), .greatest(let a, let b):
            [a, b]
        case .function(_, let a): a.map { [$0] } ?? []
        case .call(_, let values): values.map(\.sql)
        case .aggregate(_, let a, _): [a.sql]
        case .insertUnlessThere(_, _, let values): values
        case .text, .native, .name, .value, .parameter, .numberedParameter, .literal, .list, .tuples, .rows,
            .boolean,
            .unknown,
            .window, .limit, .limitParameter, .columnType, .indexed:
            []
        }
    }

    /// About how many bytes it has as text.
    fileprivate var length: Int {
        switch self {
        case .text(let text), .native(let text), .rendered(_, let text): text.utf8.count
        case .name(let name): name.utf8.count + 2
        case .value, .parameter, .numberedParameter, .boolean, .unknown: 1
        case .literal(.text(let text)): text.utf8.count + 2
        case .literal: 20
        case .list, .rows: 50
        case .tuples(let tuples): tuples.reduce(8) { $0 + 3 * $1.count + 2 }
        default: statements.reduce(20) { $0 + $1.length + 4 }
        }
    }
}
