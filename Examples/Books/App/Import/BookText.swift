import CoreData

/// Why a text is not a valid value of a book's property, as a human-readable sentence.
struct TextProblem: Error, Equatable {
    let sentence: String
    init(_ sentence: String) { self.sentence = sentence }
}

/// Reads the values of books from text, in files and in forms. Empty text is a missing value.
enum BookText {
    /// The longest title and the longest name, in characters.
    static let longestName = 500

    /// A title or a name, without space around it; accents in one form, so that equal names are equal bytes.
    static func name(_ text: String) throws(TextProblem) -> String? {
        let name = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard name.utf8.count <= longestName || name.count <= longestName else {
            throw TextProblem("This is longer than \(longestName) characters.")
        }
        guard !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw TextProblem("This contains control characters, such as a line end or a tab.")
        }
        guard !name.isEmpty else { return nil }
        return name.utf8.allSatisfy { $0 < 0x80 } ? name : name.precomposedStringWithCanonicalMapping
    }

    /// A price: digits, and perhaps a point with more digits. It is made of whole numbers, so that no binary
    /// fraction comes near it.
    static func price(_ text: String) throws(TextProblem) -> NSDecimalNumber? {
        let text = text.trimmingCharacters(in: .whitespaces)
        guard !text.isEmpty else { return nil }
        let isNegative = text.first == "-"
        let parts = (isNegative ? text.dropFirst() : text[...]).split(
            separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isDigit) }) else {
            throw TextProblem("Write the price as a number such as 12.99.")
        }
        let fraction = parts.count == 2 ? parts[1] : ""
        guard parts[0].count + fraction.count <= 15, let value = UInt64(parts[0] + fraction) else {
            throw TextProblem("Write the price with no more than 15 digits.")
        }
        return NSDecimalNumber(mantissa: value, exponent: Int16(-fraction.count), isNegative: isNegative)
    }

    /// A web address.
    static func url(_ text: String) throws(TextProblem) -> URL? {
        let text = text.trimmingCharacters(in: .whitespaces)
        guard !text.isEmpty else { return nil }
        // Other schemes could run scripts when a user follows them.
        guard text.utf8.count <= 2000, let url = URL(string: text), let scheme = url.scheme?.lowercased(),
            scheme == "https" || scheme == "http", let host = url.host, !host.isEmpty
        else { throw TextProblem("Write a web address that begins with https:// or http://.") }
        return url
    }
}
