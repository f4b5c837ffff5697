/// The functions that a statement of SQL calls.
enum SQLFunctionCalls {
    /// The names that have an opening parenthesis behind them, in lower case. What stands in literals, comments and
    /// quoted names is not looked at, except that a function's name may be quoted too.
    static func names(in statement: String) -> Set<String> {
        var names: Set<String> = []
        let text = Array(statement.utf8)
        var last: String?
        var index = 0
        while index < text.count {
            let byte = text[index]
            switch byte {
            case UInt8(ascii: "'"):
                index = endOfQuoted(text, index, byte)
                last = nil
            case UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "["):
                let closing = byte == UInt8(ascii: "[") ? UInt8(ascii: "]") : byte
                let end = endOfQuoted(text, index, closing)
                last = String(decoding: text[index..<end].dropFirst().dropLast(), as: UTF8.self)
                index = end
            case UInt8(ascii: "-") where text[index...].starts(with: "--".utf8):
                index = text[index...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
            case UInt8(ascii: "/") where text[index...].starts(with: "/*".utf8):
                index += 2
                while index < text.count, !text[index...].starts(with: "*/".utf8) { index += 1 }
                index = min(index + 2, text.count)
            case UInt8(ascii: " "), UInt8(ascii: "\t")...UInt8(ascii: "\r"): index += 1
            case _ where isOfName(byte):
                let end = text[index...].firstIndex { !isOfName($0) } ?? text.count
                last = String(decoding: text[index..<end], as: UTF8.self)
                index = end
            default:
                if byte == UInt8(ascii: "("), let name = last { names.insert(name.lowercased()) }
                last = nil
                index += 1
            }
        }
        return names
    }

    /// Where what is quoted ends; a quotation mark that stands twice belongs to it.
    private static func endOfQuoted(_ text: [UInt8], _ start: Int, _ closing: UInt8) -> Int {
        var index = start + 1
        while index < text.count {
            if text[index] == closing {
                let isDoubled =
                    closing != UInt8(ascii: "]") && index + 1 < text.count && text[index + 1] == closing
                guard isDoubled else { return index + 1 }
                index += 1
            }
            index += 1
        }
        return text.count
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }
}
