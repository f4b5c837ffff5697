import ManagedObjectModel

/// Names of a model in Swift's source text.
enum SwiftName {
    /// The words that need backticks to be names of types and members.
    private static let keywords: Set<String> = [
        "Any", "Protocol", "Self", "Type", "as", "associatedtype", "break", "case", "catch", "class",
        "continue",
        "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false",
        "fileprivate",
        "for", "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil",
        "operator",
        "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self", "static",
        "struct", "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var",
        "where",
        "while",
    ]

    /// Whether a string can be a name: letters, digits and underscores, no digit first.
    static func isIdentifier(_ text: String) -> Bool {
        guard let first = text.first, first == "_" || first.isLetter, text != "_" else { return false }
        return text.allSatisfy { $0 == "_" || $0.isLetter || $0.isASCII && $0.isNumber }
    }

    /// A name as it is written: in backticks if it is a word of the language.
    static func escaped(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    /// A name with a capital first letter, as in `addToPages`.
    static func capitalized(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }

    /// A string as a literal on one line.
    static func literal(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": literal += "\\\""
            case "\\": literal += "\\\\"
            case "\n": literal += "\\n"
            case "\r": literal += "\\r"
            case "\t": literal += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                literal += "\\u{\(String(scalar.value, radix: 16))}"
            default: literal.unicodeScalars.append(scalar)
            }
        }
        return literal + "\""
    }

    /// A string that can be in a comment of one line.
    static func comment(_ text: String) -> String {
        String(text.map { $0.isNewline || $0 == "\0" ? " " : $0 })
    }

    /// What every object has beside the names that no model may use. Swift takes a property of such a name for an
    /// override.
    static let membersOfEveryObject: Set<String> = [
        "classForCoder", "classForKeyedArchiver", "hashValue", "observationCenter",
    ]

    /// Names that Swift gives a meaning of its own, also in backticks.
    static let wordsBehindDot: Set<String> = ["Protocol", "Self", "Type"]
}
