/// Rows of comma-separated values (RFC 4180), each ended by a line feed. No value is empty, empty text is `""`.
package enum CSVText {
    package static func line(_ fields: [String?]) -> String {
        fields.map { $0.map(field) ?? "" }.joined(separator: ",") + "\n"
    }

    private static func field(_ text: String) -> String {
        let needsQuotes = text.isEmpty || text.utf8.contains { "\",\n\r".utf8.contains($0) }
        return needsQuotes ? "\"\(text.replacing("\"", with: "\"\""))\"" : text
    }
}
