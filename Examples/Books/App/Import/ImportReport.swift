import Foundation

/// The refused lines: the first ones for the screen, all of them for a file that was asked for.
struct ImportReport {
    private static let shown = 20
    private var first: [BookImporter.Refusal] = []
    private let file: FileHandle?
    private let path: String?
    private var unwritten = Data()

    /// - Parameter path: where to write all refused lines; nil for nowhere.
    /// - Throws: a sentence when the file cannot be made.
    init(path: String?) throws {
        self.path = path
        guard let path else {
            file = nil
            return
        }
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let file = FileHandle(forWritingAtPath: path)
        else { throw TextProblem("\(path) cannot be written.") }
        self.file = file
        unwritten = Data("line,reason\r\n".utf8)
    }

    /// Records a refused line.
    ///
    /// - Throws: when the file cannot be written.
    mutating func add(_ refusal: BookImporter.Refusal) throws {
        if first.count < Self.shown { first.append(refusal) }
        guard file != nil else { return }
        let reason = refusal.reason.replacing("\"", with: "\"\"")
        unwritten.append(Data("\(refusal.line),\"\(reason)\"\r\n".utf8))
        if unwritten.count > 1 << 16 { try write() }
    }

    /// Writes what is not written yet.
    ///
    /// - Throws: when the file cannot be written.
    mutating func close() throws {
        try write()
        try file?.close()
    }

    private mutating func write() throws {
        try file?.write(contentsOf: unwritten)
        unwritten.removeAll(keepingCapacity: true)
    }

    /// The report for people.
    func text(_ progress: BookImporter.Progress, seconds: Double) -> String {
        var text = ""
        for refusal in first { text += "Line \(refusal.line) refused: \(Self.printable(refusal.reason))\n" }
        let more = progress.refused - first.count
        if more > 0 {
            let location = path.map { "all are in \($0)" } ?? "--report FILE writes all of them"
            text += "… and \(more) more; \(location).\n"
        }
        let lines = progress.imported + progress.refused
        let speed = seconds > 0 ? Int(Double(lines) / seconds) : 0
        let time = String(format: "%.1f", seconds)
        return text
            + "Imported \(progress.imported) books, refused \(progress.refused) lines, in \(time) s (\(speed) lines/s).\n"
    }

    /// Without control characters, which a file could use to write over the screen.
    private static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }))
    }
}
