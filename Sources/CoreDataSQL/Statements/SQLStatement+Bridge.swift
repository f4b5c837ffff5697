import Foundation
import ObjectGraph

// For the time being: statements as text, until all are pieces.

extension SQLStatement {
    package init(_ text: String, _ arguments: [SQLValue] = []) { self.init(.bridged(text, arguments)) }

    package mutating func append(_ text: String) { append(.bridged(text, [])) }

    package var text: String {
        get {
            pieces.map { piece in
                switch piece {
                case .text(let text), .bridged(let text, _): text
                default: fatalError("\(piece) is not bridged.")
                }
            }.joined()
        }
        set { self = SQLStatement(newValue, arguments) }
    }

    package var arguments: [SQLValue] {
        get {
            pieces.flatMap { piece -> [SQLValue] in
                if case .bridged(_, let values) = piece { return values }
                return []
            }
        }
        set { self = SQLStatement(text, newValue) }
    }
}

extension SQLStatement.StringInterpolation {
    package mutating func appendInterpolation(_ text: String) { appendLiteral(text) }
    package mutating func appendInterpolation(_ number: Int) { appendLiteral("\(number)") }
    package mutating func appendInterpolation(_ number: Int32) { appendLiteral("\(number)") }
}

extension [SQLStatement] {
    func joined(separator: String) -> SQLStatement { joined(separator: SQLStatement(separator)) }
}
