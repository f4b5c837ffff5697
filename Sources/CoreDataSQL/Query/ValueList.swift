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

    /// Whether a column has one of the keys. Keys without a gap become a range: the database goes through it once, where it looks for
    /// each key of a list.
    static func condition(_ column: SQLStatement, keys: [Int64]) -> SQLStatement {
        if let run = run(of: keys) {
            return
                "\(column) BETWEEN \(value: .integer(run.lowerBound)) AND \(value: .integer(run.upperBound))"
        }
        return ValueList(keys.map(SQLValue.integer)).condition(column)
    }

    /// With fewer keys a range saves too little.
    private static var leastRun: Int { 16 }

    /// The first and the last of keys, in any order, that have no gap; nil for few keys. O(n).
    private static func run(of keys: [Int64]) -> ClosedRange<Int64>? {
        guard keys.count >= leastRun, let first = keys.min(), let last = keys.max() else { return nil }
        let (distance, overflow) = last.subtractingReportingOverflow(first)
        guard !overflow, distance < keys.count else { return nil }
        // A list may have a key several times.
        var isThere = [Bool](repeating: false, count: Int(distance) + 1)
        for key in keys { isThere[Int(key - first)] = true }
        return isThere.contains(false) ? nil : first...last
    }

    /// The values as a SELECT of a column `v`.
    var rows: SQLStatement { SQLStatement(.rows(values)) }
}
