import CocoaFoundation
import Foundation
import ObjectGraph

/// Values as an array of JSON, which SQLite takes as one argument.
struct JSONList {
    /// How the values are written.
    enum Form {
        case plain
        /// Data as hexadecimal digits.
        case data
        /// Strings as the hexadecimal digits of their bytes: JSON of SQLite ends a string at a NUL.
        case textAsData
    }

    let json: String
    let form: Form

    /// - Parameter values: without NULL, which has no form in a list, and without "not a number".
    init(_ values: [SQLValue]) {
        let hasNUL = values.contains {
            if case .text(let text) = $0 { text.utf8.contains(0) } else { false }
        }
        let hasData = values.contains { if case .blob = $0 { true } else { false } }
        form = hasNUL ? .textAsData : hasData ? .data : .plain
        var json = "["
        for (index, value) in values.enumerated() {
            if index > 0 { json += "," }
            switch value {
            case .null: json += "null"
            case .integer(let value): json += String(value)
            // Out of range is infinite.
            case .double(let value): json += value.isFinite ? "\(value)" : value < 0 ? "-9e999" : "9e999"
            case .text(let value) where hasNUL: json += "\"\(HexDigits.of(value.utf8))\""
            case .text(let value): EscapedText.append(value, to: &json)
            case .blob(let value): json += "\"\(HexDigits.of(value))\""
            }
        }
        self.json = json + "]"
    }
}

enum HexDigits {
    private static let pairs = (0...255).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }

    static func of(_ bytes: some Sequence<UInt8>) -> String {
        var digits = ""
        digits.reserveCapacity(2 * bytes.underestimatedCount)
        for byte in bytes { digits += pairs[Int(byte)] }
        return digits
    }
}
