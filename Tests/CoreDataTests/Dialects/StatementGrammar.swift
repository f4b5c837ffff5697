@testable import CoreDataSQL

/// The grammar of standard SQL, as far as statements use it, with the difference between values and conditions.
///
/// SQLite takes numbers for conditions and conditions for numbers, other databases do not.
struct StatementGrammar {
    enum Kind: Equatable {
        case value
        case condition
        /// NULL, and what is made of nothing else.
        case either
        /// Several values in parentheses.
        case row
    }

    private let tokens: [StatementToken]
    private var index = 0

    private init(_ statement: SQLStatement) throws { tokens = try StatementToken.tokens(of: statement) }

    /// How deep a statement may be nested: each level takes a dozen calls, and statements are rendered on small stacks, too.
    private static let deepest = 40

    /// Checks a statement, unless it is nested very deep.
    ///
    /// - Throws: `FakeDialect.Refusal` for what is not a whole statement.
    static func check(_ statement: SQLStatement) throws {
        guard depth(of: statement) <= deepest else { return }
        var grammar = try StatementGrammar(statement)
        try grammar.statement()
        try grammar.end()
    }

    private static func depth(of statement: SQLStatement) -> Int {
        var (deepest, depth) = (0, 0)
        for piece in statement.pieces {
            if case .text(let text) = piece {
                for byte in text.utf8 {
                    if byte == UInt8(ascii: "(") { depth += 1 }
                    if byte == UInt8(ascii: ")") { depth -= 1 }
                    deepest = max(deepest, depth)
                }
            } else {
                for part in piece.statements { deepest = max(deepest, depth + 1 + self.depth(of: part)) }
            }
        }
        return deepest
    }

    /// - Throws: `FakeDialect.Refusal` for what is not a value, or not a condition.
    static func check(_ part: SQLStatement, is kind: Kind) throws {
        var grammar = try StatementGrammar(part)
        try grammar.expression(kind)
        try grammar.end()
    }

    // MARK: Tokens

    private var next: StatementToken? { index < tokens.count ? tokens[index] : nil }

    private func refusal(_ wanted: String) -> FakeDialect.Refusal {
        let rest = tokens[index...].prefix(5).map { "\($0)" }.joined(separator: " ")
        return .init(description: "\(wanted) is needed at token \(index): \(rest)")
    }

    private func end() throws { if next != nil { throw refusal("The end") } }

    private mutating func take(_ token: StatementToken) -> Bool {
        guard next == token else { return false }
        index += 1
        return true
    }

    private mutating func take(_ word: String) -> Bool { take(.word(word)) }

    private mutating func need(_ token: StatementToken) throws {
        if !take(token) { throw refusal("\(token)") }
    }

    private mutating func need(_ word: String) throws { try need(.word(word)) }

    private mutating func name() throws {
        guard case .name? = next else { throw refusal("A name") }
        index += 1
    }

    /// What is in parentheses, with commas between.
    private mutating func list(_ element: (inout StatementGrammar) throws -> Void) throws {
        try need(.symbol("("))
        repeat { try element(&self) } while take(.symbol(","))
        try need(.symbol(")"))
    }

    // MARK: Statements

    private mutating func statement() throws {
        switch next {
        case .statement: index += 1
        case .word("INSERT"): try insert()
        case .word("UPDATE"): try update()
        case .word("DELETE"): try delete()
        case .word("CREATE"): try create()
        case .word("ALTER"):
            index += 1
            try need("TABLE")
            try name()
            try need("ADD")
            try need("COLUMN")
            try name()
            try need(.type)
        case .word("DROP"):
            index += 1
            if !take("TABLE") { try need("INDEX") }
            try name()
        default: try select()
        }
    }

    private mutating func insert() throws {
        try need("INSERT")
        try need("INTO")
        try name()
        if next == .symbol("(") { try list { try $0.name() } }
        if take("VALUES") {
            repeat { try list { try $0.expression(.value) } } while take(.symbol(","))
        } else {
            try select()
        }
        try returning()
    }

    private mutating func update() throws {
        try need("UPDATE")
        try name()
        try need("SET")
        repeat {
            try name()
            try need(.symbol("="))
            try expression(.value)
        } while take(.symbol(","))
        if take("FROM") { try tables() }
        if take("WHERE") { try expression(.condition) }
        try returning()
    }

    private mutating func delete() throws {
        try need("DELETE")
        try need("FROM")
        try table()
        if take("WHERE") { try expression(.condition) }
        try returning()
    }

    private mutating func returning() throws {
        guard take(.returning) else { return }
        repeat { try column() } while take(.symbol(","))
    }

    private mutating func create() throws {
        try need("CREATE")
        let isTemporary = take("TEMPORARY")
        if isTemporary || next == .word("TABLE") {
            try need("TABLE")
            try name()
            return try list { try $0.columnOrConstraint() }
        }
        _ = take("UNIQUE")
        try need("INDEX")
        try name()
        try need("ON")
        try name()
        try list { try $0.name() }
        if take("WHERE") { try expression(.condition) }
    }

    private mutating func columnOrConstraint() throws {
        if take("UNIQUE") { return try list { try $0.name() } }
        if take("PRIMARY") {
            try need("KEY")
            return try list { try $0.name() }
        }
        try name()
        try need(.type)
    }

    // MARK: SELECT

    private mutating func select() throws {
        try oneSelect()
        while take("UNION") || take("INTERSECT") || take("EXCEPT") {
            _ = take("ALL")
            try oneSelect()
        }
        if take("ORDER") {
            try need("BY")
            try orders()
        }
        _ = take(.window)
    }

    private mutating func oneSelect() throws {
        if take(.rows) { return }
        if take("VALUES") {
            repeat { try list { try $0.expression(.value) } } while take(.symbol(","))
            return
        }
        try need("SELECT")
        _ = take("DISTINCT")
        repeat { try column() } while take(.symbol(","))
        if take("FROM") { try tables() }
        if take("WHERE") { try expression(.condition) }
        if take("GROUP") {
            try need("BY")
            repeat { try expression(.value) } while take(.symbol(","))
        }
        if take("HAVING") { try expression(.condition) }
    }

    private mutating func column() throws {
        try expression(.value)
        try alias()
    }

    private mutating func alias() throws {
        if take("AS") { return try name() }
        if case .name? = next { index += 1 }
    }

    private mutating func tables() throws {
        try table()
        while true {
            if take(.symbol(",")) {
                try table()
                continue
            }
            let isOuter = take("LEFT")
            if isOuter { _ = take("OUTER") }
            if !isOuter { _ = take("INNER") }
            guard take("JOIN") else { return }
            try table()
            try need("ON")
            try expression(.condition)
        }
    }

    private mutating func table() throws {
        if take(.symbol("(")) {
            try select()
            try need(.symbol(")"))
            _ = take("AS")
            return try name()
        }
        try name()
        try alias()
    }

    private mutating func orders() throws {
        repeat {
            try expression(.value)
            if !take("ASC") { _ = take("DESC") }
        } while take(.symbol(","))
    }

    // MARK: Expressions

    private mutating func expression(_ wanted: Kind) throws {
        let start = index
        let kind = try expression()
        guard kind == wanted || kind == .either else {
            index = start
            throw refusal("A \(wanted), and not a \(kind),")
        }
    }

    private func check(_ kind: Kind, is wanted: Kind) throws {
        if kind != wanted && kind != .either { throw refusal("A \(wanted) before, and not a \(kind),") }
    }

    private mutating func expression() throws -> Kind {
        let first = try conjunction()
        guard next == .word("OR") else { return first }
        try check(first, is: .condition)
        while take("OR") { try check(try conjunction(), is: .condition) }
        return .condition
    }

    private mutating func conjunction() throws -> Kind {
        let first = try negation()
        guard next == .word("AND") else { return first }
        try check(first, is: .condition)
        while take("AND") { try check(try negation(), is: .condition) }
        return .condition
    }

    private mutating func negation() throws -> Kind {
        guard take("NOT") else { return try comparison() }
        try check(try negation(), is: .condition)
        return .condition
    }

    private mutating func comparison() throws -> Kind {
        let left = try sum()
        switch next {
        case .symbol("<"), .symbol(">"), .symbol("="):
            let first = next
            index += 1
            if first == .symbol("<") { _ = take(.symbol(">")) || take(.symbol("=")) }
            if first == .symbol(">") { _ = take(.symbol("=")) }
            let right = try sum()
            if left == .row, right == .row { return .condition }
            try check(left, is: .value)
            try check(right, is: .value)
            return .condition
        case .word("IS"):
            index += 1
            _ = take("NOT")
            if take("TRUE") {
                try check(left, is: .condition)
            } else {
                try need("NULL")
                try check(left, is: .value)
            }
            return .condition
        case .word("IN"), .word("NOT"):
            _ = take("NOT")
            try need("IN")
            if left != .row { try check(left, is: .value) }
            try set()
            return .condition
        case .word("BETWEEN"):
            index += 1
            try check(left, is: .value)
            try check(try sum(), is: .value)
            try need("AND")
            try check(try sum(), is: .value)
            return .condition
        default: return left
        }
    }

    private mutating func set() throws {
        let start = index
        try need(.symbol("("))
        if beginsSelect {
            try select()
            return try need(.symbol(")"))
        }
        index = start
        try list { try $0.expression(.value) }
    }

    private var beginsSelect: Bool {
        next == .word("SELECT") || next == .word("VALUES") || next == .rows
    }

    private mutating func sum() throws -> Kind {
        let first = try primary()
        var isSum = false
        while let sign = next, [.symbol("+"), .symbol("-"), .symbol("*"), .symbol("/")].contains(sign) {
            index += 1
            isSum = true
            try check(try primary(), is: .value)
        }
        if isSum { try check(first, is: .value) }
        return isSum ? .value : first
    }

    private mutating func primary() throws -> Kind {
        switch next {
        case .value, .integer:
            index += 1
            return .value
        case .condition:
            index += 1
            return .condition
        case .symbol("-"):
            index += 1
            try check(try primary(), is: .value)
            return .value
        case .symbol("("): return try parenthesis()
        case .name:
            index += 1
            if take(.symbol(".")) { try name() }
            return .value
        case .word("NULL"):
            index += 1
            return .either
        case .word("CASE"): return try cases()
        case .word("EXISTS"):
            index += 1
            try need(.symbol("("))
            try select()
            try need(.symbol(")"))
            return .condition
        case .word("COUNT"), .word("MIN"), .word("MAX"), .word("RANK"), .word("ROW_NUMBER"):
            return try aggregate()
        default: throw refusal("A value or a condition")
        }
    }

    private mutating func parenthesis() throws -> Kind {
        try need(.symbol("("))
        if beginsSelect {
            try select()
            try need(.symbol(")"))
            return .value
        }
        let first = try expression()
        guard next == .symbol(",") else {
            try need(.symbol(")"))
            return first
        }
        try check(first, is: .value)
        while take(.symbol(",")) { try expression(.value) }
        try need(.symbol(")"))
        return .row
    }

    /// A CASE is what its results are.
    private mutating func cases() throws -> Kind {
        try need("CASE")
        var kind = Kind.either
        func combine(_ other: Kind, _ grammar: StatementGrammar) throws {
            guard kind != .either else { return kind = other }
            try grammar.check(other, is: kind)
        }
        repeat {
            try need("WHEN")
            try expression(.condition)
            try need("THEN")
            try combine(try expression(), self)
        } while next == .word("WHEN")
        if take("ELSE") { try combine(try expression(), self) }
        try need("END")
        return kind
    }

    private mutating func aggregate() throws -> Kind {
        index += 1
        try need(.symbol("("))
        if !take(.symbol("*")), next != .symbol(")") { try expression(.value) }
        try need(.symbol(")"))
        if take("OVER") {
            try need(.symbol("("))
            try need("ORDER")
            try need("BY")
            try orders()
            try need(.symbol(")"))
        }
        return .value
    }
}
