import CocoaFoundation

// Characters: names, values, references and what is between them.

extension ModelXMLReader {
    /// The next byte; `nil` at the end.
    func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    func startsWith(_ text: StaticString) -> Bool {
        guard peek() == text.utf8Start.pointee else { return false }
        return text.withUTF8Buffer { bytes[position...].starts(with: $0) }
    }

    /// Passes over a string if it is next.
    mutating func skip(_ text: StaticString) -> Bool {
        guard startsWith(text) else { return false }
        position += text.utf8CodeUnitCount
        return true
    }

    /// Passes over white space, and says whether there was any.
    @discardableResult
    mutating func skipSpace() -> Bool {
        let start = position
        while let next = peek(), Self.isSpace(next) { position += 1 }
        return position > start
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    /// Reads up to a string, which is passed over.
    mutating func text(upTo end: StaticString) throws -> String {
        let start = position
        try pass(end)
        return String(decoding: bytes[start..<(position - end.utf8CodeUnitCount)], as: UTF8.self)
    }

    /// Passes over everything up to a string, and over the string.
    mutating func pass(_ end: StaticString) throws {
        let first = end.withUTF8Buffer { $0[0] }
        while position < bytes.count {
            if bytes[position] == first, skip(end) { return }
            position += 1
        }
        throw malformed("there is no \(end)")
    }

    /// Reads a name. Which of the characters beyond ASCII may be in a name is not checked.
    mutating func name() throws -> String {
        let start = position
        while let next = peek(), Self.isName(next, isFirst: position == start) { position += 1 }
        guard position > start else { throw malformed("a name is missing") }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private static func isName(_ byte: UInt8, isFirst: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
            UInt8(ascii: ":"), 0x80...0xFF:
            true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): !isFirst
        default: false
        }
    }

    /// Reads a value in quotation marks.
    mutating func quotedValue() throws -> String {
        guard let quote = peek(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw malformed("there is no quotation mark before a value")
        }
        position += 1
        let value = try value(upTo: quote, isAttribute: true)
        guard peek() == quote else { throw malformed("a value has no end") }
        position += 1
        return value
    }

    /// Reads characters and references up to a byte, or to the end of the text.
    ///
    /// In the value of an attribute a line break or tab counts as a space unless it is written as a
    /// reference; in text the line break of other systems counts as one line feed. Both are rules of XML.
    mutating func value(upTo end: UInt8, isAttribute: Bool) throws -> String {
        let start = position
        while let next = peek(), next != end, next >= 0x20, next != UInt8(ascii: "&"),
            next != UInt8(ascii: "<")
        {
            position += 1
        }
        var value = bytes[start..<position]
        while let next = peek(), next != end {
            switch next {
            case UInt8(ascii: "&"):
                value.append(contentsOf: try reference())
                continue
            case UInt8(ascii: "<"):
                throw malformed("a value contains <")
            case 0x0D:
                if position + 1 < bytes.count, bytes[position + 1] == 0x0A { position += 1 }
                value.append(isAttribute ? 0x20 : 0x0A)
            case 0x09, 0x0A:
                value.append(isAttribute ? 0x20 : next)
            case 0x00..<0x20:
                throw malformed("there is a control character")
            default:
                value.append(next)
            }
            position += 1
        }
        return String(decoding: value, as: UTF8.self)
    }

    /// Reads the characters after `<![CDATA[`, in which there are no references, up to the end of the section.
    mutating func markedCharacters() throws -> String {
        let start = position
        try pass("]]>")
        let end = position - 3
        var value: [UInt8] = []
        value.reserveCapacity(end - start)
        for index in start..<end {
            switch bytes[index] {
            case 0x0D: value.append(0x0A)
            case 0x0A where index > start && bytes[index - 1] == 0x0D: break
            case 0x09, 0x0A, 0x20...: value.append(bytes[index])
            default: throw malformed("there is a control character")
            }
        }
        return String(decoding: value, as: UTF8.self)
    }

    /// Reads a reference to a character: one of the five that have names, or any by its number.
    private mutating func reference() throws -> String.UTF8View {
        // The longest reference that means anything has ten characters.
        let text = bytes[position...].prefix(12)
        guard let end = text.firstIndex(of: UInt8(ascii: ";")) else { throw malformed("there is a & alone") }
        let name = String(decoding: bytes[(position + 1)..<end], as: UTF8.self)
        guard let character = Self.namedCharacters[name] ?? Self.numberedCharacter(name) else {
            throw malformed("the reference &\(name); is unknown")
        }
        position = end + 1
        return character.utf8
    }

    private static let namedCharacters = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]

    private static func numberedCharacter(_ name: String) -> String? {
        guard name.hasPrefix("#") else { return nil }
        let digits = name.dropFirst()
        let number = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        guard let number, let scalar = Unicode.Scalar(number) else { return nil }
        let isAllowed = number == 0x09 || number == 0x0A || number == 0x0D || number >= 0x20
        return isAllowed ? String(Character(scalar)) : nil
    }
}
