@testable import CoreDataSQL

/// A word of a statement, or a piece as one, in the way that its grammar sees it.
enum StatementToken: Equatable {
    /// A word of standard SQL, in capital letters.
    case word(String)
    /// A name of a table, a column, an alias.
    case name(String)
    case symbol(Character)
    case integer
    /// A piece that is a value.
    case value
    /// A piece that is true, false or unknown.
    case condition
    /// A piece that is a SELECT of one column.
    case rows
    /// A limit.
    case window
    case returning
    case type
    /// A piece that is a whole statement.
    case statement

    /// All that stands in text.
    private static let words: Set<String> = [
        "ADD", "ALL", "ALTER", "AND", "AS", "ASC", "BETWEEN", "BY", "CASE", "COLUMN", "COUNT", "CREATE",
        "DELETE",
        "DESC", "DISTINCT", "DROP", "ELSE", "END", "EXCEPT", "EXISTS", "FROM", "GROUP", "HAVING", "IN",
        "INDEX",
        "INNER", "INSERT", "INTERSECT", "INTO", "IS", "JOIN", "KEY", "LEFT", "MAX", "MIN", "NOT", "NULL",
        "ON", "OR",
        "ORDER", "OUTER", "OVER", "PRIMARY", "RANK", "ROW_NUMBER", "SELECT", "SET", "TABLE", "TEMPORARY",
        "THEN", "TRUE",
        "UNION",
        "UNIQUE", "UPDATE", "VALUES", "WHEN", "WHERE",
    ]

    /// The tokens of a statement; what pieces are made of is checked on the way.
    ///
    /// - Throws: `FakeDialect.Refusal`.
    static func tokens(of statement: SQLStatement) throws -> [StatementToken] {
        var tokens: [StatementToken] = []
        for piece in statement.pieces { try add(piece, &tokens) }
        return tokens
    }

    private static func add(_ piece: SQLPiece, _ tokens: inout [StatementToken]) throws {
        switch piece {
        case .text(let text): try add(text[...], &tokens)
        case .native(let sql): throw FakeDialect.Refusal(description: "SQL of one database: \(sql)")
        case .rendered(let statement, _):
            for piece in statement.pieces { try add(piece, &tokens) }
        case .name(let name), .indexed(let name, _): tokens.append(.name(name))
        case .value, .parameter, .numberedParameter, .literal: tokens.append(.value)
        case .list, .tuples, .rows: tokens.append(.rows)
        case .boolean, .unknown: tokens.append(.condition)
        case .truth, .isSame, .differs, .textMatch, .contains:
            for part in piece.statements { try StatementGrammar.check(part, is: .value) }
            tokens.append(.condition)
        case .number(let condition):
            try StatementGrammar.check(condition, is: .condition)
            tokens.append(.value)
        case .cast, .plain, .arithmetic, .coalesce, .greatest, .folded, .function, .call, .aggregate,
            .datePart, .order:
            for part in piece.statements { try StatementGrammar.check(part, is: .value) }
            tokens.append(.value)
        case .window, .limit, .limitParameter: tokens.append(.window)
        case .returning(let list):
            tokens.append(.returning)
            for piece in list.pieces { try add(piece, &tokens) }
        case .insertUnlessThere(_, _, let values):
            for value in values { try StatementGrammar.check(value, is: .value) }
            tokens.append(.statement)
        case .columnType: tokens.append(.type)
        }
    }

    private static func add(_ text: Substring, _ tokens: inout [StatementToken]) throws {
        var rest = text
        while let first = rest.first {
            if first.isWhitespace {
                rest.removeFirst()
            } else if first.isASCII, first.isLetter || first == "_" {
                let word = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
                rest = rest[word.endIndex...]
                tokens.append(try token(String(word), in: text))
            } else if first.isASCII, first.isNumber {
                rest = rest.drop { $0.isASCII && $0.isNumber }
                tokens.append(.integer)
            } else if "(),.=<>+-*/".contains(first) {
                rest.removeFirst()
                tokens.append(.symbol(first))
            } else {
                throw FakeDialect.Refusal(description: "'\(first)' in the text \"\(text)\"")
            }
        }
    }

    private static func token(_ word: String, in text: Substring) throws -> StatementToken {
        if words.contains(word) { return .word(word) }
        // Names that all stores have, and aliases.
        let isOfStores = word.hasPrefix("Z") || ["ACHANGE", "ATRANSACTION"].contains { word.hasPrefix($0) }
        let isAlias = word.first?.isLowercase == true && word.dropFirst().allSatisfy(\.isNumber)
        guard isOfStores || isAlias else {
            throw FakeDialect.Refusal(description: "the word \(word) in the text \"\(text)\"")
        }
        return .name(word)
    }
}
