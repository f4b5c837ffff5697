import ObjectGraph
import Foundation

/// Statement text with the values of its parameters. Every value is bound; every name is quoted by the dialect.
package struct SQLStatement: Sendable, Equatable {
    package var text: String
    package var arguments: [SQLValue] = []

    package init(_ text: String = "", _ arguments: [SQLValue] = []) {
        self.text = text
        self.arguments = arguments
    }

    package mutating func append(_ text: String) { self.text += text }

    package mutating func append(_ other: SQLStatement) {
        text += other.text
        arguments += other.arguments
    }
}

extension [SQLStatement] {
    /// The statements with a separator between them.
    package func joined(separator: String) -> SQLStatement {
        var joined = SQLStatement()
        for (index, statement) in enumerated() {
            if index > 0 { joined.append(separator) }
            joined.append(statement)
        }
        return joined
    }
}
