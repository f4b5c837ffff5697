import CocoaFoundation
import CoreDataSQL
import Foundation
import ObjectGraph

extension SQLiteDialect {
    package func textMatch(_ operation: TextOperation, _ text: String, _ pattern: String, options: Int)
        -> String
    {
        "\(SQLFunctionNames.textMatch)(\(operation.rawValue), \(text), \(pattern), \(options))"
    }

    package func contains(_ text: String, _ part: String) -> String {
        "\(SQLFunctionNames.contains)(\(text), \(part))"
    }

    package func collation(_ order: StringOrder) -> String? { SQLiteCollations.name(order) }

    package func listTable(_ parameter: String, _ form: SQLListForm) -> String {
        let data = "\(SQLFunctionNames.data)(value)"
        let value =
            switch form {
            case .plain: "value"
            case .data: data
            case .textAsData: "CAST(\(data) AS TEXT)"
            }
        return "SELECT \(value) FROM json_each(\(parameter))"
    }

    package func folded(_ text: String, options: Int) -> String {
        "\(SQLFunctionNames.folded)(\(text), \(options))"
    }

    package func call(_ function: String, _ arguments: [(text: String, kind: SlotKind)]) -> String {
        // Letters and colons alone: the names are those of the table.
        let name = function.hasPrefix("random") ? SQLFunctionNames.chance : SQLFunctionNames.function
        let list = arguments.map { ", \($0.kind.rawValue), \($0.text)" }.joined()
        return "\(name)('\(function)'\(list))"
    }

    package func aggregate(
        _ function: AggregateFunction, _ text: String, _ kind: SlotKind, isZeroOfNothing: Bool
    ) -> String {
        func own(_ name: String) -> String { "\(name)(\(text), \(kind.rawValue))" }
        switch function {
        case .count: return "COUNT(\(text))"
        case .minimum: return "MIN(\(text))"
        case .maximum: return "MAX(\(text))"
        // SQLite's own sum rounds the sum of the first rows, and fails where that does not fit.
        case .sum where kind.isWholeNumber:
            let name = isZeroOfNothing ? SQLFunctionNames.wholeTotal : SQLFunctionNames.wholeSum
            return "\(name)(\(text))"
        case .sum: return own(isZeroOfNothing ? SQLFunctionNames.total : SQLFunctionNames.sum)
        case .average:
            return own(isZeroOfNothing ? SQLFunctionNames.averageOrZero : SQLFunctionNames.average)
        case .median: return own(SQLFunctionNames.median)
        case .standardDeviation: return own(SQLFunctionNames.standardDeviation)
        }
    }
}
