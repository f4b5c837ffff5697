import CocoaFoundation
@testable import CoreDataSQL
@testable import ObjectGraph

/// A dialect of no database: numbered parameters, all names quoted, Booleans that are not numbers, and only words of standard SQL.
///
/// It refuses what only one database would understand, so that a statement which it renders can be put before others.
struct FakeDialect: SQLDialect {
    /// Why a statement is not one of standard SQL.
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    /// The text of a whole statement, whose grammar is checked; nil for a statement that its database's own module wrote.
    ///
    /// - Throws: `Refusal`.
    static func rendered(_ statement: SQLStatement) throws -> String? {
        if case .native? = statement.pieces.first, statement.pieces.count == 1 { return nil }
        var text = SQLText(capacity: statement.length)
        try FakeDialect().write(statement, to: &text)
        try StatementGrammar.check(statement)
        return text.text
    }

    func quoted(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }

    func arguments(ofWindow limit: Int64?, _ offset: Int64) -> [SQLValue] {
        [.integer(limit ?? .max), .integer(offset)]
    }

    func write(_ piece: SQLPiece, to text: inout SQLText) throws {
        switch piece {
        case .text(let words): text.append(words)
        case .native(let sql): throw Refusal(description: "SQL of one database inside of a statement: \(sql)")
        case .rendered(let statement, _): try write(statement, to: &text)
        case .name(let name): text.append(quoted(name))
        case .value(let value): text.append(":\(text.bind(value))")
        case .parameter: text.append(":\(text.parameter())")
        case .numberedParameter(let position): text.append(":\(position)")
        case .literal(let value): text.append("literal(\(value))")
        case .list(let values), .rows(let values): text.append("list(\(values.count))")
        case .tuples(let tuples): text.append("tuples(\(tuples.count))")
        case .boolean(let isMet): text.append(isMet ? "TRUE" : "FALSE")
        case .unknown: text.append("UNKNOWN")
        case .window(let limit, let offset):
            text.append(" window")
            for value in arguments(ofWindow: limit, offset) { text.append(" :\(text.bind(value))") }
        case .limit(let limit, let offset): text.append(" window \(limit) \(offset ?? 0)")
        case .limitParameter: text.append(" window :\(text.parameter())")
        case .insertUnlessThere(let table, let columns, let values):
            text.append(
                "INSERT UNLESS THERE \(quoted(table)) (\(columns.map(quoted).joined(separator: ", "))) (")
            try write(values, to: &text)
            text.append(")")
        case .columnType(let type): text.append("\(type)")
        case .indexed(let name, let isAscending):
            text.append("\(quoted(name)) \(isAscending ? "ASC" : "DESC")")
        default:
            text.append("\(Self.word(piece))(")
            try write(piece.statements, to: &text)
            text.append(")")
        }
    }

    /// What a piece does, as a word.
    private static func word(_ piece: SQLPiece) -> String {
        switch piece {
        case .truth: "truth"
        case .number: "number"
        case .isSame: "same"
        case .differs: "differs"
        case .textMatch(let operation, _, _, let options): "match_\(operation)_\(options)"
        case .contains: "contains"
        case .cast(_, let type): "cast_\(type)"
        case .plain: "plain"
        case .arithmetic(_, let sign, _): "\(sign)"
        case .coalesce: "coalesce"
        case .greatest: "greatest"
        case .folded(_, let options): "folded_\(options)"
        case .function(let function, _): "\(function)"
        case .call(let name, _): "call_\(name)"
        case .aggregate(let function, let value, let isZero): "\(function)_\(value.kind)_\(isZero)"
        case .datePart(let part, _): "\(part)"
        case .order(_, let order, let isAscending): "order_\(order?.rawValue ?? "")_\(isAscending)"
        case .returning: " RETURNING "
        default: "\(piece)"
        }
    }
}
