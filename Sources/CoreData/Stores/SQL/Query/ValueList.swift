import Foundation

/// The constants of an `IN`.
struct ValueList {
    private let values: [SQLValue]
    /// More than this many go in as one argument.
    private static let mostParameters = 64

    init(_ values: [SQLValue]) { self.values = values.filter { $0 != .null } }

    /// Whether an expression is one of the values.
    ///
    /// - Throws: 134060 for a list of blobs that is too long for a statement.
    func condition(_ sql: SQLStatement, _ dialect: any SQLDialect) throws -> SQLStatement {
        guard !values.isEmpty else { return SQLStatement("0") }
        if values.count > Self.mostParameters, let json = json() {
            return SQLStatement("\(sql.text) IN (\(dialect.listTable("?")))", sql.arguments + [.text(json)])
        }
        guard values.count <= 30_000 else {
            throw NSError.coreData(
                .coreData, "A list of \(values.count) binary values is too long; 30,000 is the most.")
        }
        let parameters = Array(repeating: "?", count: values.count).joined(separator: ", ")
        return SQLStatement("\(sql.text) IN (\(parameters))", sql.arguments + values)
    }

    /// The values as a JSON array; nil when one of them has no exact form there.
    private func json() -> String? {
        var parts: [String] = []
        parts.reserveCapacity(values.count)
        for value in values {
            switch value {
            case .integer(let value): parts.append(String(value))
            case .double(let value) where value.isFinite: parts.append("\(value)")
            case .text(let value):
                guard let data = try? JSONEncoder().encode([value]),
                    let text = String(data: data, encoding: .utf8)
                else { return nil }
                parts.append(String(text.dropFirst().dropLast()))
            default: return nil
            }
        }
        return "[\(parts.joined(separator: ","))]"
    }
}
