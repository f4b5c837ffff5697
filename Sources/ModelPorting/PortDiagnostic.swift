/// What the porter has to say about a position in a source.
package struct PortDiagnostic: Hashable, Sendable, CustomStringConvertible {
    package enum Severity: String, Sendable {
        /// The source cannot be ported as it is; nothing is written for the file.
        case error
        /// The file is ported, and something of it does not work as on Apple's platforms.
        case warning
    }

    /// The source as it was named to the porter.
    package let file: String
    /// Counted from 1.
    package let line: Int
    /// Counted in bytes from 1, as the compiler does.
    package let column: Int
    package let severity: Severity
    package let message: String

    /// The form that compilers print and editors understand: `Book.swift:3:5: error: …`.
    package var description: String { "\(file):\(line):\(column): \(severity.rawValue): \(message)" }
}
