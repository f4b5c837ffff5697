/// The tokens of a statement of SQL, so far as it takes to find words in it. Comments are left out.
package struct SQLTokens {
    private enum Token: Equatable {
        /// A keyword, a name without quotation marks or a number, in lower case.
        case word(String)
        /// A quoted name, in lower case.
        case quoted(String)
        case mark(UInt8)
        case literal
    }

    private let tokens: [Token]

    package init(_ statement: String) {
        let text = Array(statement.utf8)
        var tokens: [Token] = []
        var index = 0
        while index < text.count {
            let byte = text[index]
            switch byte {
            case UInt8(ascii: "'"):
                index = Self.endOfQuoted(text, index, byte)
                tokens.append(.literal)
            case UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "["):
                let closing = byte == UInt8(ascii: "[") ? UInt8(ascii: "]") : byte
                let end = Self.endOfQuoted(text, index, closing)
                let name = String(decoding: text[index..<end].dropFirst().dropLast(), as: UTF8.self)
                tokens.append(.quoted(name.lowercased()))
                index = end
            case UInt8(ascii: "-") where text[index...].starts(with: "--".utf8):
                index = text[index...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
            case UInt8(ascii: "/") where text[index...].starts(with: "/*".utf8):
                index += 2
                while index < text.count, !text[index...].starts(with: "*/".utf8) { index += 1 }
                index = min(index + 2, text.count)
            case UInt8(ascii: " "), UInt8(ascii: "\t")...UInt8(ascii: "\r"): index += 1
            case _ where Self.isOfName(byte):
                let end = text[index...].firstIndex { !Self.isOfName($0) } ?? text.count
                tokens.append(.word(String(decoding: text[index..<end], as: UTF8.self).lowercased()))
                index = end
            default:
                tokens.append(.mark(byte))
                index += 1
            }
        }
        self.tokens = tokens
    }

    /// The functions that are called: names, quoted or not, followed by an opening parenthesis, in lower case.
    package var calledFunctions: Set<String> {
        Set(
            zip(tokens, tokens.dropFirst()).compactMap { name, mark in
                guard mark == .mark(UInt8(ascii: "(")) else { return nil }
                switch name {
                case .word(let name), .quoted(let name): return name
                case .mark, .literal: return nil
                }
            })
    }

    /// What a CREATE statement makes: "table", "virtual" for the table of a module, "index", "view" or "trigger"; nil for
    /// another statement, and for what is temporary.
    var createdKind: String? {
        var words = tokens.prefix(3).makeIterator()
        guard words.next() == .word("create"), case .word(let word)? = words.next() else { return nil }
        guard word == "unique" else {
            return ["table", "virtual", "index", "view", "trigger"].contains(word) ? word : nil
        }
        return words.next() == .word("index") ? "index" : nil
    }

    /// Whether `RAISE(IGNORE)` is in a trigger.
    var raisesIgnore: Bool {
        contains([.word("raise"), .mark(UInt8(ascii: "(")), .word("ignore")])
    }

    /// Whether a conflict with a condition of a table drops a row instead of being an error.
    var dropsConflicts: Bool {
        ["ignore", "replace"].contains { contains([.word("on"), .word("conflict"), .word($0)]) }
    }

    private func contains(_ wanted: [Token]) -> Bool {
        tokens.indices.contains { tokens[$0...].starts(with: wanted) }
    }

    /// Where what is quoted ends; a quotation mark that is doubled belongs to it.
    private static func endOfQuoted(_ text: [UInt8], _ start: Int, _ closing: UInt8) -> Int {
        var index = start + 1
        while index < text.count {
            if text[index] == closing {
                let isDoubled =
                    closing != UInt8(ascii: "]") && index + 1 < text.count && text[index + 1] == closing
                guard isDoubled else { return index + 1 }
                index += 1
            }
            index += 1
        }
        return text.count
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }
}
