/// Finds sources whose brackets would keep the parser busy.
///
/// At each `[` the parser looks ahead whether a type follows, and in doing so again at each `[` in it: the time doubles
/// with each bracket that is still open. The scan counts open brackets as the parser would meet them, without knowing
/// where strings begin and end: it may count too many, and never too few. A word that no type can hold ends what is
/// open, unless it may be in a comment. Attributes with arguments in one another, which no source has, take the parser
/// even longer.
struct BracketScan {
    /// The most open brackets.
    private static let maxOpen = 12
    /// The most that all brackets together may cost, where one that is in `n` others costs 2ⁿ.
    private static let maxWork = 300_000

    /// The most attributes with arguments in one another.
    private static let maxAttributes = 6

    private static let endings: Set<String> = [
        "case", "class", "enum", "extension", "func", "guard", "import", "let", "return", "static", "struct",
        "switch", "var", "while",
    ]

    /// The position of the first bracket that is nested too deep; nil when there is none.
    static func firstTooDeep(_ bytes: [UInt8]) -> Int? {
        var open = 0
        var work = 0
        var commentDepth = 0
        var isLineComment = false
        var word: [UInt8] = []
        var isMember = false
        var isAttribute = false
        // For each open parenthesis, whether an attribute's.
        var parentheses: [Bool] = []
        var attributeDepth = 0
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            if isOfName(byte) {
                if word.isEmpty {
                    isMember = index > 0 && bytes[index - 1] == UInt8(ascii: ".")
                    isAttribute =
                        index > 0 && bytes[index - 1] == UInt8(ascii: "@") || isMember && isAttribute
                }
                if word.count < 16 { word.append(byte) }
                index += 1
                continue
            }
            if !word.isEmpty {
                let ends = !isMember && endings.contains(String(decoding: word, as: UTF8.self))
                if ends, commentDepth == 0, !isLineComment { open = 0 }
                word.removeAll(keepingCapacity: true)
            }
            switch (byte, next) {
            case (UInt8(ascii: "/"), UInt8(ascii: "*")):
                commentDepth += 1
                index += 1
            case (UInt8(ascii: "*"), UInt8(ascii: "/")):
                commentDepth = max(0, commentDepth - 1)
                index += 1
            case (UInt8(ascii: "/"), UInt8(ascii: "/")):
                isLineComment = true
                index += 1
            case (10, _), (13, _):
                isLineComment = false
            case (UInt8(ascii: "["), _):
                // A string with one bracket in it is common, and not a type.
                if index > 0, bytes[index - 1] == UInt8(ascii: "\""), next == UInt8(ascii: "\"") { break }
                open += 1
                work += 1 << min(open, maxOpen)
                if open > maxOpen || work > maxWork { return index }
            case (UInt8(ascii: "("), _):
                parentheses.append(isAttribute)
                if isAttribute { attributeDepth += 1 }
                if attributeDepth > maxAttributes { return index }
            case (UInt8(ascii: ")"), _):
                if parentheses.popLast() == true { attributeDepth -= 1 }
            case (UInt8(ascii: "]"), _):
                open = max(0, open - 1)
            default: break
            }
            if !keepsAttribute(byte) { isAttribute = false }
            index += 1
        }
        return nil
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "`"), 0x80...0xFF:
            true
        default: false
        }
    }

    /// Whether an attribute's name may be before a byte and its arguments after it.
    private static func keepsAttribute(_ byte: UInt8) -> Bool {
        switch byte {
        case 9, 10, 13, 32, UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "*"): true
        default: false
        }
    }
}
