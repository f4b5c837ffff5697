/// Cuts a format string into tokens, one at a time.
///
/// A copy of a lexer goes on by itself, which is how the parser looks ahead.
struct Lexer {
    private let bytes: ContiguousArray<UInt8>
    private var position = 0

    /// What is wrong, and where in bytes.
    struct Failure: Error {
        let offset: Int
        let reason: String
    }

    init(_ format: String) {
        bytes = ContiguousArray(format.utf8)
    }

    /// The next token; `.end` after the last.
    ///
    /// - Throws: `Failure`.
    mutating func next() throws -> Token {
        skipWhitespace()
        let start = position
        guard let byte = peek() else { return Token(kind: .end, offset: start) }
        let kind: Token.Kind
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            kind = .text(try readString())
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            kind = .number(try readNumber())
        case UInt8(ascii: ".") where peek(1)?.isDigit == true:
            kind = .number(try readNumber())
        case UInt8(ascii: "#"):
            kind = .key(try readName(after: "#"))
        case UInt8(ascii: "@"):
            kind = .collectionOperator(try readName(after: "@"))
        case UInt8(ascii: "$"):
            kind = .variable(try readName(after: "$"))
        case UInt8(ascii: "%"):
            kind = try readArgument()
        default:
            if let word = readIdentifier() {
                kind = .word(word)
            } else if let symbol = readSymbol() {
                kind = .symbol(symbol)
            } else {
                let (scalar, _) = scalar(at: position)
                throw Failure(offset: start, reason: "Unexpected character \"\(scalar)\".")
            }
        }
        return Token(kind: kind, offset: start)
    }

    private func peek(_ distance: Int = 0) -> UInt8? {
        position + distance < bytes.count ? bytes[position + distance] : nil
    }

    private func scalar(at position: Int) -> (Unicode.Scalar, next: Int) {
        bytes.withUnsafeBufferPointer { $0.scalar(at: position) }
    }

    private mutating func skipWhitespace() {
        while let byte = peek() {
            if byte < 0x80 {
                guard byte == 0x20 || (0x09...0x0D).contains(byte) else { return }
                position += 1
            } else {
                let (scalar, next) = scalar(at: position)
                guard scalar.properties.isWhitespace else { return }
                position = next
            }
        }
    }

    // MARK: Names

    private mutating func readIdentifier() -> String? {
        let start = position
        while position < bytes.count {
            let (scalar, next) = scalar(at: position)
            guard position == start ? scalar.beginsIdentifier : scalar.continuesIdentifier else { break }
            position = next
        }
        return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
    }

    private mutating func readName(after mark: String) throws -> String {
        let start = position
        position += 1
        guard let name = readIdentifier() else {
            throw Failure(offset: start, reason: "A name is missing after \"\(mark)\".")
        }
        return name
    }

    // MARK: Symbols

    private mutating func readSymbol() -> Token.Symbol? {
        guard let first = peek() else { return nil }
        if let second = peek(1), let symbol = Lexer.symbol(first, second) {
            position += 2
            return symbol
        }
        guard let symbol = Lexer.symbol(first) else { return nil }
        position += 1
        return symbol
    }

    private static func symbol(_ first: UInt8, _ second: UInt8) -> Token.Symbol? {
        switch (Character(Unicode.Scalar(first)), Character(Unicode.Scalar(second))) {
        case ("=", "="): .equal
        case ("!", "="), ("<", ">"): .notEqual
        case ("<", "="), ("=", "<"): .lessOrEqual
        case (">", "="), ("=", ">"): .greaterOrEqual
        case ("&", "&"): .and
        case ("|", "|"): .or
        case ("*", "*"): .power
        case (":", "="): .assign
        default: nil
        }
    }

    private static func symbol(_ byte: UInt8) -> Token.Symbol? {
        // "=" alone is the one symbol that is another's synonym.
        byte == UInt8(ascii: "=") ? .equal : Token.Symbol(rawValue: String(Unicode.Scalar(byte)))
    }

    // MARK: Arguments

    private mutating func readArgument() throws -> Token.Kind {
        let start = position
        position += 1
        if peek() == UInt8(ascii: "%") {
            position += 1
            return .symbol(.percent)
        }
        // Flags, width and precision mean nothing here, and are passed over as Apple's parser does.
        while let byte = peek(), byte.isDigit || "+-.".utf8.contains(byte) { position += 1 }
        let lengthStart = position
        while let byte = peek(), "hlqLzjt".utf8.contains(byte) { position += 1 }
        guard let letter = peek() else {
            throw Failure(offset: start, reason: "A letter is missing after \"%\".")
        }
        position += 1
        let text = String(decoding: bytes[lengthStart..<position], as: UTF8.self)
        switch letter {
        case UInt8(ascii: "@"): return .argument(.object)
        case UInt8(ascii: "K"): return .argument(.keyPath)
        case UInt8(ascii: "s"): return .argument(.cString)
        case _ where "diDuUxXoOcC".utf8.contains(letter): return .argument(.integer(text))
        case _ where "fFeEgGaA".utf8.contains(letter): return .argument(.double(text))
        default:
            throw Failure(
                offset: start,
                reason: "There is no such argument; known are %@, %K, %d, %i, %u, %x, %c, %f, %e, %g and %s.")
        }
    }

    // MARK: Numbers

    private mutating func readNumber() throws -> Token.Number {
        let start = position
        let number: Token.Number
        if peek() == UInt8(ascii: "0"), let letter = peek(1), let radix = Lexer.radix(letter) {
            position += 2
            number = .integer(try readDigits(radix, from: start))
        } else {
            number = try readDecimalNumber()
        }
        if position < bytes.count, scalar(at: position).0.continuesIdentifier {
            throw Failure(offset: start, reason: "A number is followed by a letter.")
        }
        return number
    }

    private static func radix(_ letter: UInt8) -> UInt64? {
        switch letter | 0x20 {
        case UInt8(ascii: "x"): 16
        case UInt8(ascii: "o"): 8
        case UInt8(ascii: "b"): 2
        default: nil
        }
    }

    private mutating func readDigits(_ radix: UInt64, from start: Int) throws -> UInt64 {
        var value: UInt64 = 0
        let firstDigit = position
        while let digit = peek()?.hexadecimalDigit, digit < radix {
            let (product, overflow) = value.multipliedReportingOverflow(by: radix)
            if overflow { throw Failure(offset: start, reason: "The number has more than 64 bits.") }
            value = product + digit
            position += 1
        }
        if position == firstDigit { throw Failure(offset: start, reason: "The number has no digits.") }
        return value
    }

    private mutating func readDecimalNumber() throws -> Token.Number {
        let start = position
        var isWhole = true
        skipDigits()
        if peek() == UInt8(ascii: "."), peek(1)?.isDigit == true {
            isWhole = false
            position += 1
            skipDigits()
        }
        if let letter = peek(), letter | 0x20 == UInt8(ascii: "e") {
            let sign = peek(1).map { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") } ?? false
            if peek(sign ? 2 : 1)?.isDigit == true {
                isWhole = false
                position += sign ? 2 : 1
                skipDigits()
            }
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isWhole, let integer = UInt64(text) { return .integer(integer) }
        guard let double = Double(text), double.isFinite else {
            throw Failure(offset: start, reason: "The number is too large.")
        }
        return .double(double)
    }

    private mutating func skipDigits() {
        while peek()?.isDigit == true { position += 1 }
    }

    // MARK: Strings

    private mutating func readString() throws -> String {
        let start = position
        let quote = bytes[position]
        position += 1
        var content = ContiguousArray<UInt8>()
        while let byte = peek() {
            if byte == quote {
                position += 1
                return String(decoding: content, as: UTF8.self)
            }
            if byte == UInt8(ascii: "\\") {
                content += String(try readEscape()).utf8
            } else {
                content.append(byte)
                position += 1
            }
        }
        throw Failure(offset: start, reason: "The string is not closed.")
    }

    private mutating func readEscape() throws -> String {
        let start = position
        position += 1
        guard let letter = peek() else { return "\\" }
        position += 1
        switch Character(Unicode.Scalar(letter)) {
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "a": return "\u{7}"
        case "b": return "\u{8}"
        case "v": return "\u{B}"
        case "f": return "\u{C}"
        case "\\", "\"", "'": return String(Unicode.Scalar(letter))
        case "u": return String(try readUnicodeEscape(from: start))
        case "x": return String(try readCode(radix: 16, atMost: 2, from: start))
        case "0"..."7":
            position -= 1
            return String(try readCode(radix: 8, atMost: 3, from: start))
        default:
            // The backslash stays, so that `"\d+"` is the regular expression that it looks like.
            position -= 1
            return "\\"
        }
    }

    private mutating func readCode(radix: UInt64, atMost count: Int, from start: Int) throws -> Unicode.Scalar
    {
        var value: UInt64 = 0
        var digits = 0
        while digits < count, let digit = peek()?.hexadecimalDigit, digit < radix {
            value = value * radix + digit
            digits += 1
            position += 1
        }
        guard digits > 0, let scalar = UInt32(exactly: value).flatMap(Unicode.Scalar.init) else {
            throw Failure(offset: start, reason: "The escape has no digits.")
        }
        return scalar
    }

    private mutating func readUnicodeEscape(from start: Int) throws -> Unicode.Scalar {
        let first = try readCodeUnit(from: start)
        if let scalar = Unicode.Scalar(first) { return scalar }
        // A character outside the first plane is written as two escapes, as UTF-16 has it.
        guard UTF16.isLeadSurrogate(first), peek() == UInt8(ascii: "\\"), peek(1) == UInt8(ascii: "u") else {
            throw Failure(offset: start, reason: "The escape is half of a character.")
        }
        position += 2
        let second = try readCodeUnit(from: start)
        guard UTF16.isTrailSurrogate(second) else {
            throw Failure(offset: start, reason: "The escape is half of a character.")
        }
        return UTF16.decode(UTF16.EncodedScalar([first, second]))
    }

    private mutating func readCodeUnit(from start: Int) throws -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = peek()?.hexadecimalDigit else {
                throw Failure(offset: start, reason: "The escape needs four hexadecimal digits.")
            }
            value = value << 4 | UInt16(digit)
            position += 1
        }
        return value
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { self &- 0x30 < 10 }

    fileprivate var hexadecimalDigit: UInt64? {
        switch self {
        case 0x30...0x39: UInt64(self - 0x30)
        case 0x41...0x46: UInt64(self - 0x41 + 10)
        case 0x61...0x66: UInt64(self - 0x61 + 10)
        default: nil
        }
    }
}
