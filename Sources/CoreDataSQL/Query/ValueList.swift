import ObjectGraph
import Foundation

/// The constants of an `IN`.
package struct ValueList {
    private let values: [SQLValue]
    private static let hex = (0...255).map { String(format: "%02x", $0) }
    /// More than this many go in as one argument.
    package static let mostParameters = FetchQuery.mostSingleReferences

    init(_ values: [SQLValue]) {
        self.values = values.filter { value in
            if case .double(let number) = value { !number.isNaN } else { value != .null }
        }
    }

    /// Whether an expression is one of the values.
    ///
    /// - Throws: 134060 for values that have no common form.
    func condition(_ sql: SQLStatement, _ dialect: any SQLDialect) throws -> SQLStatement {
        guard !values.isEmpty else { return SQLStatement("0") }
        guard values.count > Self.mostParameters else {
            let parameters = Array(repeating: "?", count: values.count).joined(separator: ", ")
            return SQLStatement("\(sql.text) IN (\(parameters))", sql.arguments + values)
        }
        let table = try table(dialect)
        return SQLStatement("\(sql.text) IN (\(table.text))", sql.arguments + table.arguments)
    }

    /// The values as rows of a column `v`.
    ///
    /// - Throws: as `condition(_:_:)`.
    func rows(_ dialect: any SQLDialect) throws -> SQLStatement {
        guard !values.isEmpty else { return SQLStatement("SELECT NULL v WHERE 0") }
        guard values.count > Self.mostParameters else {
            let rows = Array(repeating: "SELECT ? v", count: values.count).joined(separator: " UNION ALL ")
            return SQLStatement("SELECT v FROM (\(rows))", values)
        }
        // The names of the columns are those of the first statement.
        let table = try table(dialect)
        return SQLStatement(
            "SELECT v FROM (SELECT NULL v WHERE 0 UNION ALL \(table.text))", table.arguments)
    }

    /// The values as one argument.
    private func table(_ dialect: any SQLDialect) throws -> SQLStatement {
        // JSON of SQLite ends a string at a NUL.
        let isTextAsData = values.contains {
            if case .text(let text) = $0 { text.utf8.contains(0) } else { false }
        }
        guard let list = json(textAsData: isTextAsData) else {
            throw NSError.coreData(.coreData, "The values of a list cannot be given to the store.")
        }
        let form: SQLListForm = isTextAsData ? .textAsData : values.contains(where: \.isBlob) ? .data : .plain
        return SQLStatement(dialect.listTable("?", form), [.text(list)])
    }

    /// The values as a JSON array, data as hexadecimal digits; nil when one of them has no exact form there.
    private func json(textAsData: Bool) -> String? {
        var parts: [String] = []
        parts.reserveCapacity(values.count)
        for value in values {
            switch value {
            case .integer(let value): parts.append(String(value))
            case .double(let value):
                // Out of range is infinite.
                parts.append(value.isFinite ? "\(value)" : value < 0 ? "-9e999" : "9e999")
            case .text(let value) where textAsData: parts.append(Self.digits(value.utf8))
            case .text(let value):
                guard let data = try? JSONEncoder().encode([value]),
                    let text = String(data: data, encoding: .utf8)
                else { return nil }
                parts.append(String(text.dropFirst().dropLast()))
            case .blob(let value): parts.append(Self.digits(value))
            case .null: return nil
            }
        }
        return "[\(parts.joined(separator: ","))]"
    }
}

extension ValueList {
    fileprivate static func digits(_ bytes: some Sequence<UInt8>) -> String {
        "\"\(bytes.map { hex[Int($0)] }.joined())\""
    }
}

extension SQLValue {
    fileprivate var isBlob: Bool {
        if case .blob = self { true } else { false }
    }
}
