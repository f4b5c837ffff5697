import Foundation

/// The constants of an `IN`.
struct ValueList {
    private let values: [SQLValue]
    private static let hex = (0...255).map { String(format: "%02x", $0) }
    /// More than this many go in as one argument.
    private static let mostParameters = 64

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
        // JSON of SQLite ends a text at a NUL.
        let isTextAsData = values.contains {
            if case .text(let text) = $0 { text.utf8.contains(0) } else { false }
        }
        guard let list = json(textAsData: isTextAsData) else {
            throw NSError.coreData(.coreData, "The values of a list cannot be given to the store.")
        }
        let form: SQLListForm = isTextAsData ? .textAsData : values.contains(where: \.isBlob) ? .data : .plain
        let table = dialect.listTable("?", form)
        return SQLStatement("\(sql.text) IN (\(table))", sql.arguments + [.text(list)])
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
