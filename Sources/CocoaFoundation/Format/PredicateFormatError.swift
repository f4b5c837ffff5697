/// A mistake in the format string of a predicate or an expression.
///
/// `NSPredicate(parsing:arguments:)` and `NSExpression(parsing:arguments:)` throw it. Use them for strings that people type, and show
/// `description`, which marks the character; `NSPredicate(format:)` stops the program at the same mistakes.
///
/// ```swift
/// do {
///     request.predicate = try NSPredicate(parsing: searchField)
/// } catch let error as PredicateFormatError {
///     print(error.reason, "at character", error.column)
/// }
/// ```
///
/// Only the first mistake is reported. Whether an entity has the keys of a predicate is not checked here but when the request is executed.
public struct PredicateFormatError: Error, LocalizedError, CustomStringConvertible, Sendable, Hashable {
    /// The format string.
    public let format: String
    /// The character where the error was noticed, counted from 1.
    public let column: Int
    /// What is wrong, without the string.
    public let reason: String

    /// - Parameter offset: where the error was noticed, in bytes.
    init(format: String, offset: Int, reason: String) {
        self.format = format
        self.reason = reason
        column = String(decoding: format.utf8.prefix(offset), as: UTF8.self).count + 1
    }

    /// The reason, the string and a caret under the column.
    ///
    /// Of a long string a part is shown.
    public var description: String {
        let width = 72
        let characters = Array(format.prefix(column + width))
        let first = max(0, min(column - 1, characters.count) - width / 2)
        let last = min(characters.count, first + width)
        let shown = characters[first..<last].map { $0.isNewline || $0 == "\t" ? " " : $0 }
        let start = first > 0 ? "…" : ""
        let end =
            format.index(format.startIndex, offsetBy: last, limitedBy: format.endIndex) == format.endIndex
        let caret = String(repeating: " ", count: column - 1 - first + start.count)
        return """
            Unable to parse the format string: \(reason) (column \(column))
            \(start)\(String(shown))\(end ? "" : "…")
            \(caret)^
            """
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}
