import ObjectGraph
import Foundation

extension Log {
    /// Whether the environment has `OPENCOREDATA_LOG_VALUES=1`.
    private static let showsValues = ProcessInfo.processInfo.environment["OPENCOREDATA_LOG_VALUES"] == "1"

    /// The values of a statement, for a log. They are the data of a program's users, and logs are kept and sent
    /// around: so a log has their types and sizes, and the values only if the environment requests them.
    package static func description(of values: [SQLValue], showingValues: Bool = showsValues) -> String {
        let list = values.map { value in
            switch value {
            case .null: "null"
            case .integer(let value): showingValues ? "\(value)" : "integer"
            case .double(let value): showingValues ? "\(value)" : "double"
            case .text(let value):
                showingValues ? value.debugDescription : "text of \(value.utf8.count) bytes"
            case .blob(let value): "blob of \(value.count) bytes"
            }
        }
        return "[\(list.joined(separator: ", "))]"
    }
}
