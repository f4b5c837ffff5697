import Foundation
import ObjectGraph

/// The constants of an `IN`.
package struct ValueList {
    private let values: [SQLValue]
    /// More than this many go in as one argument.
    package static let maxParameters = FetchQuery.maxSingleReferences

    init(_ values: [SQLValue]) {
        self.values = values.filter { value in
            if case .double(let number) = value { !number.isNaN } else { value != .null }
        }
    }

    /// Whether an expression is one of the values.
    func condition(_ sql: SQLStatement) -> SQLStatement {
        guard !values.isEmpty else { return SQLStatement(.boolean(false)) }
        guard values.count > Self.maxParameters else { return "\(sql) IN (\(values: values))" }
        return "\(sql) IN (\(.list(values)))"
    }

    /// The values as a SELECT of a column `v`.
    var rows: SQLStatement { SQLStatement(.rows(values)) }
}
