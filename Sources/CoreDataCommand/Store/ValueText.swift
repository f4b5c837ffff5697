import StoreTools

/// Rows in columns of text.
struct TextTable {
    private static let maximumWidth = 40
    private let columns: [String]
    private var widths: [Int] = []

    init(_ columns: [String]) { self.columns = columns }

    /// The lines of some rows, with the heading if they are the first. The first rows say how wide the columns are.
    mutating func lines(_ rows: [[String]], in output: Output) -> [String] {
        let cells = rows.map { $0.map(Self.cell) }
        var lines: [String] = []
        if widths.isEmpty {
            widths = columns.indices.map { index in
                ([columns[index].count] + cells.map { $0[index].count }).max() ?? 0
            }
            lines.append(output.styled(line(columns.map(Self.cell)), .bold))
        }
        return lines + cells.map(line)
    }

    private func line(_ cells: [String]) -> String {
        var text = ""
        for (index, cell) in cells.enumerated() {
            if index > 0 { text += "  " }
            let shown = cell.count > widths[index] ? cell.prefix(max(widths[index] - 1, 0)) + "…" : cell
            text += shown
            if index < cells.count - 1 { text += String(repeating: " ", count: widths[index] - shown.count) }
        }
        return text
    }

    /// One line without control characters, which a terminal might obey.
    private static func cell(_ text: String) -> String {
        let start = String(text.prefix(maximumWidth + 1))
        let shown = String(
            String.UnicodeScalarView(
                start.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
        return shown.count > maximumWidth ? shown.prefix(maximumWidth - 1) + "…" : shown
    }
}

extension JSONValue {
    private static let maximumLength = 200

    /// The value in one line, cut where it is long, without control characters.
    var shownText: String {
        let text = plainText
        let start = text.prefix(Self.maximumLength)
        let scalars = start.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }
        return String(String.UnicodeScalarView(scalars)) + (start.endIndex < text.endIndex ? "…" : "")
    }
}
