import CocoaFoundation
import Foundation
import ObjectGraph

/// How a database spells statements.
///
/// `render(_:)` is the only place where SQL text arises.
package protocol SQLDialect: Sendable {
    /// A name as an identifier.
    func quoted(_ name: String) -> String
    /// Writes a piece at the end of a text.
    ///
    /// - Throws: 134060 for a piece that the database has no form for.
    func write(_ piece: SQLPiece, to text: inout SQLText) throws
    /// What `SQLPiece.window` binds, whose text is the same for all limits.
    func arguments(ofWindow limit: Int64?, _ offset: Int64) -> [SQLValue]
    /// Why the database has no form for a piece; nil where it has. Conditions of such pieces are decided on rows.
    func obstacle(to piece: SQLPiece) -> String?
}

extension SQLDialect {
    package func obstacle(to piece: SQLPiece) -> String? { nil }

    /// The text of a statement, and what is bound to it.
    ///
    /// - Throws: 134060 for a piece that the database has no form for.
    package func render(_ statement: SQLStatement) throws -> RenderedSQL {
        #if DEBUG
        StatementObservers.current?.willRender(statement)
        #endif
        var text = SQLText(capacity: statement.length + 16)
        try write(statement, to: &text)
        return RenderedSQL(text.text, text.arguments)
    }

    /// A statement without arguments as one piece, whose text is there already. One that the database has no form for stays as it is:
    /// rendering throws for it.
    package func prerendered(_ statement: SQLStatement) -> SQLStatement {
        assert(!statement.hasArguments)
        var text = SQLText(capacity: statement.length)
        do { try write(statement, to: &text) } catch { return statement }
        return SQLStatement(.rendered(statement, text: text.text))
    }

    /// Writes the pieces of a statement at the end of a text.
    package func write(_ statement: SQLStatement, to text: inout SQLText) throws {
        for piece in statement.pieces { try write(piece, to: &text) }
    }

    /// Writes statements with commas between them.
    package func write(_ statements: [SQLStatement], to text: inout SQLText) throws {
        for (index, statement) in statements.enumerated() {
            if index > 0 { text.append(", ") }
            try write(statement, to: &text)
        }
    }
}

/// A statement as a database takes it.
package struct RenderedSQL: Sendable, Equatable {
    package let text: String
    /// What is bound to its placeholders, in the order of their positions; none for a statement with parameters.
    package let arguments: [SQLValue]

    package init(_ text: String, _ arguments: [SQLValue] = []) {
        self.text = text
        self.arguments = arguments
    }

    /// A statement with parameters, and their values.
    package func binding(_ values: [SQLValue]) -> RenderedSQL { RenderedSQL(text, values) }
}

/// A statement that is being rendered.
package struct SQLText {
    package private(set) var text = ""
    package private(set) var arguments: [SQLValue] = []
    /// How many placeholders there are so far.
    package private(set) var count = 0

    package init(capacity: Int = 0) { text.reserveCapacity(capacity) }

    package mutating func append(_ other: String) { text += other }

    /// Binds a value to the next position, from 1, which it returns.
    @discardableResult
    package mutating func bind(_ value: SQLValue) -> Int {
        arguments.append(value)
        count += 1
        return count
    }

    /// Takes the next position for a parameter, from 1.
    @discardableResult
    package mutating func parameter() -> Int {
        count += 1
        return count
    }
}
