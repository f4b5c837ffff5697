import CocoaFoundation
@testable import CoreDataSQL
@testable import ObjectGraph

/// How PostgreSQL spells statements: a first one, for `scripts/check-dialect`.
struct PostgreSQLDialect: SQLDialect {
    /// Names in small letters, to which PostgreSQL folds names that are not quoted.
    func quoted(_ name: String) -> String {
        let folded = name.unicodeScalars.map { scalar in
            ("A"..."Z").contains(scalar) ? String(scalar).lowercased() : String(scalar)
        }.joined()
        return "\"\(Self.shortened(folded).replacing("\"", with: "\"\""))\""
    }

    /// A name of at most 63 bytes, with a hash for what is left out.
    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > 63 else { return name }
        let hash = name.utf8.reduce(UInt64(14_695_981_039_346_656_037)) {
            ($0 ^ UInt64($1)) &* 1_099_511_628_211
        }
        var prefix = name
        while prefix.utf8.count > 46 { prefix.removeLast() }
        return "\(prefix)_\(String(hash, radix: 16))"
    }

    func arguments(ofWindow limit: Int64?, _ offset: Int64) -> [SQLValue] {
        [limit.map(SQLValue.integer) ?? .null, .integer(offset)]
    }

    func obstacle(to piece: SQLPiece) -> String? {
        switch piece {
        case .native: "it is SQL of another database"
        case .textMatch: "it does not compare strings as Unicode and the options have it"
        case .folded: "it has no folding of strings that is independent of its locale"
        case .function(.now, _): nil
        case .function: "its functions of strings depend on its locale"
        case .call(let name, _): "it has no function \(name)"
        case .aggregate(.minimum, let value, _), .aggregate(.maximum, let value, _):
            switch value.kind {
            case .boolean, .uuid, .binary: "it has no least value of the kind \(value.kind)"
            default: nil
            }
        case .aggregate(.count, _, _): nil
        case .aggregate(.median, _, _): "it has no median"
        case .aggregate(_, let value, _) where value.kind == .boolean: "it does not add up Booleans"
        case .order(_, let order?, _) where order != .compare: "it orders strings by other rules"
        default: nil
        }
    }

    func write(_ piece: SQLPiece, to text: inout SQLText) throws {
        if let reason = obstacle(to: piece) { throw SQLObstacle(reason: reason) }
        switch piece {
        case .text(let words), .native(let words): text.append(words)
        case .rendered(let statement, _): try write(statement, to: &text)
        case .name(let name): text.append(quoted(name))
        case .value(let value): text.append("$\(text.bind(value))")
        case .parameter: text.append("$\(text.parameter())")
        case .numberedParameter(let position): text.append("$\(position)")
        case .literal(let value): text.append(Self.literal(value))
        case .list(let values):
            text.append("SELECT unnest($\(text.bind(.null))::\(Self.type(of: values))[])")
        case .tuples(let tuples):
            let list = tuples.map { tuple in "(\(tuple.map { "$\(text.bind($0))" }.joined(separator: ", ")))"
            }
            text.append(list.joined(separator: ", "))
        case .rows(let values):
            text.append("SELECT v FROM unnest($\(text.bind(.null))::\(Self.type(of: values))[]) AS r(v)")
        default: try writeExpression(piece, &text)
        }
    }

    private func writeExpression(_ piece: SQLPiece, _ text: inout SQLText) throws {
        switch piece {
        case .boolean(let isMet): text.append(isMet ? "TRUE" : "FALSE")
        case .unknown: text.append("NULL::boolean")
        case .truth(let value): try write("(\(value) <> 0)", to: &text)
        case .number(let condition): try spell("(", condition, ")::integer", &text)
        case .isSame(let a, let b): try spell(a, " IS NOT DISTINCT FROM ", b, &text)
        case .differs(let a, let b): try spell(a, " IS DISTINCT FROM ", b, &text)
        case .contains(let string, let part):
            text.append("strpos(")
            try spell(string, ", ", part, &text)
            text.append(") > 0")
        case .cast(let value, let type): try spell("CAST(", value, " AS \(Self.name(of: type)))", &text)
        case .plain(let value): try spell("(", value, ")", &text)
        case .arithmetic(let a, .divide, let b):
            text.append("(")
            try spell(a, " / NULLIF(", b, &text)
            text.append(", 0))")
        case .arithmetic(let a, let sign, let b):
            text.append("(")
            try spell(a, " \(sign.rawValue) ", b, &text)
            text.append(")")
        case .coalesce(let a, let b):
            text.append("COALESCE(")
            try spell(a, ", ", b, &text)
            text.append(")")
        case .greatest(let a, let b):
            text.append("GREATEST(")
            try spell(a, ", ", b, &text)
            text.append(")")
        case .function: text.append("extract(epoch FROM clock_timestamp()) - 978307200")
        case .aggregate(let function, let value, let isZeroWithoutRows):
            let call = "\(Self.name(of: function))("
            try spell(
                isZeroWithoutRows ? "COALESCE(\(call)" : call, value.sql, isZeroWithoutRows ? "), 0)" : ")",
                &text
            )
        case .datePart(let part, let date):
            text.append("to_char(to_timestamp(")
            try spell("", date, " + 978307200) AT TIME ZONE 'UTC', '\(Self.format(part))')", &text)
        default: try writeClause(piece, &text)
        }
    }

    private func spell(_ a: String, _ part: SQLStatement, _ b: String, _ text: inout SQLText) throws {
        text.append(a)
        try write(part, to: &text)
        text.append(b)
    }

    private func spell(_ a: SQLStatement, _ sign: String, _ b: SQLStatement, _ text: inout SQLText) throws {
        try write(a, to: &text)
        text.append(sign)
        try write(b, to: &text)
    }

    private func writeClause(_ piece: SQLPiece, _ text: inout SQLText) throws {
        switch piece {
        case .order(let value, let order, let isAscending):
            let collation = order == nil ? "" : " COLLATE \"C\""
            try spell("", value, collation + (isAscending ? " ASC NULLS FIRST" : " DESC NULLS LAST"), &text)
        case .window(let limit, let offset):
            let values = arguments(ofWindow: limit, offset)
            text.append(" LIMIT $\(text.bind(values[0])) OFFSET $\(text.bind(values[1]))")
        case .limit(let limit, let offset):
            text.append(" LIMIT \(limit)" + (offset.map { " OFFSET \($0)" } ?? ""))
        case .limitParameter: text.append(" LIMIT $\(text.parameter())")
        case .insertUnlessThere(let table, let columns, let values):
            text.append(
                "INSERT INTO \(quoted(table)) (\(columns.map(quoted).joined(separator: ", "))) VALUES (")
            try write(values, to: &text)
            text.append(") ON CONFLICT DO NOTHING")
        case .returning(let list): try spell(" RETURNING ", list, "", &text)
        case .columnType(let type): text.append(Self.name(of: type))
        case .indexed(let name, let isAscending):
            text.append("\(quoted(name)) \(isAscending ? "ASC" : "DESC")")
        default: throw SQLObstacle(reason: "it has no form for \(piece)")
        }
    }

    // MARK: Words

    private static func name(of function: AggregateFunction) -> String {
        switch function {
        case .count: "COUNT"
        case .minimum: "MIN"
        case .maximum: "MAX"
        case .sum: "SUM"
        case .average, .median: "AVG"
        case .standardDeviation: "STDDEV_POP"
        }
    }

    private static func format(_ part: SQLDatePart) -> String {
        switch part {
        case .year: "YYYY"
        case .month: "YYYY-MM"
        case .day: "YYYY-MM-DD"
        }
    }

    private static func name(of type: SQLCast) -> String {
        switch type {
        case .integer: "bigint"
        case .real: "double precision"
        case .string: "text"
        }
    }

    private static func name(of type: SQLColumnType) -> String {
        switch type {
        case .primaryKey: "bigint PRIMARY KEY"
        case .integer: "bigint"
        case .string(let length): length.map { "varchar(\($0)) COLLATE \"C\"" } ?? "text COLLATE \"C\""
        case .data: "bytea"
        case .property(let kind): name(of: kind)
        }
    }

    private static func name(of kind: SlotKind) -> String {
        switch kind {
        case .integer16, .integer32, .integer64, .toOne: "bigint"
        case .boolean: "boolean"
        case .double, .float, .date: "double precision"
        case .decimal: "numeric"
        case .string, .uri: "text COLLATE \"C\""
        case .uuid: "uuid"
        case .binary, .transformable, .composite, .undefined, .toMany, .fetched: "bytea"
        }
    }

    /// The type of the values of a list, which are of one kind.
    private static func type(of values: [SQLValue]) -> String {
        switch values.first {
        case .double: "double precision"
        case .text: "text"
        case .blob: "bytea"
        case .integer, .null, nil:
            values.contains { if case .double = $0 { true } else { false } } ? "double precision" : "bigint"
        }
    }

    /// A constant whose type is that of what it is compared with.
    private static func literal(_ value: SQLValue) -> String {
        switch value {
        case .null: "NULL"
        case .integer(let value): "'\(value)'"
        case .double(let value): "'\(value)'"
        case .text(let string): "'\(string.replacing("'", with: "''"))'"
        case .blob(let data): "'\\x\(data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())'"
        }
    }
}
