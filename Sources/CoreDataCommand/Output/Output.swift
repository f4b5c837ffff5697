import Foundation

/// Where a command writes: standard output or standard error.
struct Output {
    static let standard = Output(handle: .standardOutput, descriptor: STDOUT_FILENO)
    static let error = Output(handle: .standardError, descriptor: STDERR_FILENO)

    private let handle: FileHandle

    /// Whether text may have colours: on a terminal that shows them, unless `NO_COLOR` is set (no-color.org).
    let hasColors: Bool

    private init(handle: FileHandle, descriptor: Int32) {
        self.handle = handle
        let environment = ProcessInfo.processInfo.environment
        hasColors =
            isatty(descriptor) == 1 && environment["NO_COLOR", default: ""].isEmpty
            && environment["TERM"] != "dumb"
    }

    /// Writes a string and ends the line. The program ends with a message where it cannot be written: a result of which
    /// a part is missing must not look like a whole one. A reader that has gone away ends it by its signal.
    func write(_ text: String) {
        do {
            try handle.write(contentsOf: Data((text + "\n").utf8))
        } catch {
            let reason = "error: the output cannot be written: \(CommandFailure(error).reason)\n"
            try? FileHandle.standardError.write(contentsOf: Data(reason.utf8))
            Foundation.exit(CommandFailure.exitCode)
        }
    }

    /// Shows a string without ending the line.
    func show(_ text: String) { try? handle.write(contentsOf: Data(text.utf8)) }

    /// Writes a piece of long output as it is.
    ///
    /// - Throws: a failure when it cannot be written, such as on a full disk.
    func write(piece text: String) throws {
        do {
            try handle.write(contentsOf: Data(text.utf8))
        } catch {
            throw CommandFailure("The output cannot be written: \(error.localizedDescription)")
        }
    }

    /// Writes a value as JSON with sorted keys.
    func write(json value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        write(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    func styled(_ text: String, _ style: Style) -> String {
        hasColors ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }
}

/// How a string looks on a terminal.
enum Style: String {
    case bold = "1"
    case faint = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case cyan = "36"
}
