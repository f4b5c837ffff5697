import CocoaFoundation
import CoreDataSQL
import Foundation
import GRDB
import ObjectGraph

/// SQLite's way, with the names of Apple's schema.
package struct SQLiteDialect: SQLDialect {
    package init() {}

    /// Names of Apple's schema are plain; any other character is quoted.
    package func quoted(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy {
            ($0 >= 0x30 && $0 <= 0x39) || ($0 >= 0x41 && $0 <= 0x5A) || ($0 >= 0x61 && $0 <= 0x7A)
                || $0 == 0x5F
        }
        return isPlain && !name.isEmpty ? name : "\"\(name.replacing("\"", with: "\"\""))\""
    }

    /// A part of a statement whose text this module writes.
    func part(_ statement: SQLStatement) throws -> RenderedSQL {
        var text = SQLText(capacity: statement.length)
        try write(statement, to: &text)
        return RenderedSQL(text.text, text.arguments)
    }

    package func write(_ piece: SQLPiece, to text: inout SQLText) throws {
        switch piece {
        case .text(let words), .native(let words), .rendered(_, let words): text.append(words)
        case .name(let name): text.append(quoted(name))
        case .value(let value):
            text.bind(value)
            text.append("?")
        case .parameter:
            text.parameter()
            text.append("?")
        case .numberedParameter(let position): text.append("?\(position)")
        case .literal(let value): text.append(literal(value))
        case .list(let values): list(values, &text)
        case .tuples(let tuples):
            for (index, tuple) in tuples.enumerated() {
                for value in tuple { text.bind(value) }
                let values = Array(repeating: "?", count: tuple.count).joined(separator: ", ")
                text.append(index == 0 ? "VALUES (\(values))" : ", (\(values))")
            }
        case .rows(let values): rows(values, &text)
        default: try writeExpression(piece, &text)
        }
    }

    // MARK: Expressions

    private func writeExpression(_ piece: SQLPiece, _ text: inout SQLText) throws {
        switch piece {
        // Conditions are numbers.
        case .boolean(let isMet): text.append(isMet ? "1" : "0")
        case .unknown: text.append("NULL")
        case .truth(let value), .number(let value): try write(value, to: &text)
        case .isSame(let a, let b): try infix(a, " IS ", b, &text)
        case .differs(let a, let b): try infix(a, " IS NOT ", b, &text)
        case .textMatch(let operation, let string, let pattern, let options):
            text.append("\(SQLFunctionNames.textMatch)(\(operation.rawValue), ")
            try infix(string, ", ", pattern, &text)
            text.append(", \(options))")
        case .contains(let string, let part): try call(SQLFunctionNames.contains, string, part, &text)
        case .cast(let value, let type):
            text.append("CAST(")
            try write(value, to: &text)
            text.append(" AS \(Self.name(of: type)))")
        // A plus sign makes no column of it.
        case .plain(let value):
            text.append("+")
            try write(value, to: &text)
        case .arithmetic(let a, let sign, let b):
            text.append("(")
            try infix(a, " \(sign.rawValue) ", b, &text)
            text.append(")")
        case .coalesce(let a, let b): try call("IFNULL", a, b, &text)
        case .greatest(let a, let b): try call("MAX", a, b, &text)
        case .folded(let string, let options):
            text.append("\(SQLFunctionNames.folded)(")
            try write(string, to: &text)
            text.append(", \(options))")
        case .function(let function, let argument):
            text.append("\(self.function(function))(")
            if let argument { try write(argument, to: &text) }
            text.append(")")
        case .call(let function, let arguments): try call(function, arguments, &text)
        case .aggregate(let function, let value, let isZeroWithoutRows):
            try aggregate(function, value, isZeroWithoutRows, &text)
        case .datePart(let part, let date):
            text.append("strftime('\(Self.format(part))', ")
            try write(date, to: &text)
            text.append(" + 978307200, 'unixepoch')")
        default: try writeClause(piece, &text)
        }
    }

    private func infix(
        _ a: SQLStatement, _ sign: String, _ b: SQLStatement, _ text: inout SQLText
    ) throws {
        try write(a, to: &text)
        text.append(sign)
        try write(b, to: &text)
    }

    private func call(_ name: String, _ a: SQLStatement, _ b: SQLStatement, _ text: inout SQLText) throws {
        text.append("\(name)(")
        try infix(a, ", ", b, &text)
        text.append(")")
    }

    private static func name(of type: SQLCast) -> String {
        switch type {
        case .integer: "INTEGER"
        case .real: "REAL"
        case .string: "TEXT"
        }
    }

    private static func format(_ part: SQLDatePart) -> String {
        switch part {
        case .year: "%Y"
        case .month: "%Y-%m"
        case .day: "%Y-%m-%d"
        }
    }

    // MARK: Functions

    package func function(_ function: StoreFunction) -> String {
        switch function {
        case .uppercase: SQLFunctionNames.uppercase
        case .lowercase: SQLFunctionNames.lowercase
        case .canonical: SQLFunctionNames.canonical
        case .now: SQLFunctionNames.now
        }
    }

    private func call(_ function: String, _ arguments: [SQLTypedValue], _ text: inout SQLText) throws {
        // Letters and colons alone: the names are those of the table.
        let name = function.hasPrefix("random") ? SQLFunctionNames.chance : SQLFunctionNames.function
        text.append("\(name)('\(function)'")
        for argument in arguments {
            text.append(", \(argument.kind.rawValue), ")
            try write(argument.sql, to: &text)
        }
        text.append(")")
    }

    private func aggregate(
        _ function: AggregateFunction, _ value: SQLTypedValue, _ isZeroWithoutRows: Bool,
        _ text: inout SQLText
    ) throws {
        let name: String
        var hasKind = true
        switch function {
        case .count: (name, hasKind) = ("COUNT", false)
        case .minimum: (name, hasKind) = ("MIN", false)
        case .maximum: (name, hasKind) = ("MAX", false)
        // SQLite's own sum rounds the sum of the first rows, and fails where that does not fit.
        case .sum where value.kind.isWholeNumber:
            hasKind = false
            name = isZeroWithoutRows ? SQLFunctionNames.wholeTotal : SQLFunctionNames.wholeSum
        case .sum: name = isZeroWithoutRows ? SQLFunctionNames.total : SQLFunctionNames.sum
        case .average: name = isZeroWithoutRows ? SQLFunctionNames.averageOrZero : SQLFunctionNames.average
        case .median: name = SQLFunctionNames.median
        case .standardDeviation: name = SQLFunctionNames.standardDeviation
        }
        text.append("\(name)(")
        try write(value.sql, to: &text)
        text.append(hasKind ? ", \(value.kind.rawValue))" : ")")
    }

    // MARK: Clauses

    private func writeClause(_ piece: SQLPiece, _ text: inout SQLText) throws {
        switch piece {
        case .order(let value, let order, let isAscending):
            try write(value, to: &text)
            if let name = order.flatMap(SQLiteCollations.name) { text.append(" COLLATE \(name)") }
            text.append(isAscending ? " ASC" : " DESC")
        case .window(let limit, let offset):
            for value in arguments(ofWindow: limit, offset) { text.bind(value) }
            text.append(" LIMIT ? OFFSET ?")
        case .limit(let limit, let offset):
            text.append(" LIMIT \(limit)" + (offset.map { " OFFSET \($0)" } ?? ""))
        case .limitParameter:
            text.parameter()
            text.append(" LIMIT ?")
        case .insertUnlessThere(let table, let columns, let values):
            let names = columns.map(quoted).joined(separator: ", ")
            text.append("INSERT OR IGNORE INTO \(quoted(table)) (\(names)) VALUES (")
            try write(values, to: &text)
            text.append(")")
        case .returning(let list):
            text.append(" RETURNING ")
            try write(list, to: &text)
        case .columnType(let type): text.append(name(of: type))
        case .indexed(let name, let isAscending):
            text.append("\(quoted(name)) COLLATE BINARY \(isAscending ? "ASC" : "DESC")")
        default: throw NSError.coreData(.coreData, "SQLite has no form for \(piece).")
        }
    }

    package func arguments(ofWindow limit: Int64?, _ offset: Int64) -> [SQLValue] {
        [.integer(limit ?? -1), .integer(offset)]
    }

    private func name(of type: SQLColumnType) -> String {
        switch type {
        case .primaryKey: "INTEGER PRIMARY KEY"
        case .integer: "INTEGER"
        case .string(let length): length.map { "VARCHAR(\($0))" } ?? "VARCHAR"
        case .data: "BLOB"
        case .property(let kind): columnType(kind)
        }
    }

    package func columnType(_ kind: SlotKind) -> String {
        switch kind {
        case .integer16, .integer32, .integer64, .boolean, .toOne: "INTEGER"
        case .double, .float: "FLOAT"
        case .date: "TIMESTAMP"
        case .decimal: "DECIMAL"
        case .string, .uri: "VARCHAR"
        case .uuid, .binary, .transformable: "BLOB"
        case .composite, .undefined, .toMany, .fetched: ""
        }
    }

    // MARK: Values

    private func literal(_ value: SQLValue) -> String {
        switch value {
        case .null: "NULL"
        case .integer(let value): "\(value)"
        case .double(let value): value.isFinite ? "\(value)" : value < 0 ? "-9e999" : "9e999"
        case .text(let string): "'\(string.replacing("'", with: "''"))'"
        case .blob(let data): "x'\(HexDigits.of(data))'"
        }
    }

    /// More values than one parameter each go in as one array of JSON.
    private func list(_ values: [SQLValue], _ text: inout SQLText) {
        let list = JSONList(values)
        text.bind(.text(list.json))
        let data = "\(SQLFunctionNames.data)(value)"
        let value =
            switch list.form {
            case .plain: "value"
            case .data: data
            case .textAsData: "CAST(\(data) AS TEXT)"
            }
        text.append("SELECT \(value) FROM json_each(?)")
    }

    private func rows(_ values: [SQLValue], _ text: inout SQLText) {
        guard !values.isEmpty else { return text.append("SELECT NULL v WHERE 0") }
        guard values.count > ValueList.maxParameters else {
            for value in values { text.bind(value) }
            let rows = Array(repeating: "SELECT ? v", count: values.count).joined(separator: " UNION ALL ")
            return text.append("SELECT v FROM (\(rows))")
        }
        // The names of the columns are those of the first statement.
        text.append("SELECT v FROM (SELECT NULL v WHERE 0 UNION ALL ")
        list(values, &text)
        text.append(")")
    }
}

extension Database {
    /// A name as an identifier: for tools that look at tables without a schema, which has a dialect.
    package func quoted(_ name: String) -> String { SQLiteDialect().quoted(name) }
}
