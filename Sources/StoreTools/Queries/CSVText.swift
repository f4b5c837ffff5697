/// Rows of comma-separated values (RFC 4180), each ended by a line feed. No value is empty, empty string is `""`.
package enum CSVText {
    package static func line(_ fields: [String?]) -> String {
        fields.map { $0.map(field) ?? "" }.joined(separator: ",") + "\n"
    }

    private static func field(_ text: String) -> String {
        var needsQuotes = text.isEmpty
        for byte in text.utf8 where byte == 0x22 || byte == 0x2C || byte == 0x0A || byte == 0x0D {
            needsQuotes = true
            break
        }
        return needsQuotes ? "\"\(text.replacing("\"", with: "\"\""))\"" : text
    }
}
