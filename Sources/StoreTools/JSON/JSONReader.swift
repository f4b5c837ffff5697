import CoreData

/// Reads JSON of any length from a file, piece by piece: the caller descends into lists and objects, and takes the
/// values in them one at a time.
package final class JSONReader {
    /// Nil for a pipe: a file may be that of an open store.
    private let file: StoreFileReader?
    private let pipe: FileHandle?
    private var buffer: [UInt8] = []
    private var position = 0
    private var line = 1
    /// The position of the line's first byte.
    private var lineStart = 0
    /// How many bytes were read from the file so far.
    package private(set) var byteCount = 0
    /// What is left for the value that is being read.
    private var budget = 0
    /// How deep in a value the reader is.
    private var depth = 0

    /// Values inside values, at most.
    private static let maximumDepth = 64
    /// What one value may weigh, about as many bytes as it takes in memory: more than any that a store can hold.
    private let maximumWeight: Int
    private static let weightOfElement = 64
    private static let maximumNumberLength = 400

    /// - Parameters:
    ///   - url: the file.
    ///   - maximumWeight: what one value may weigh: its bytes, and 64 for each list, object and element of one.
    /// - Throws: an error when the file cannot be read.
    package init(_ url: URL, maximumWeight: Int = 2 << 30) throws {
        var status = stat()
        let isPipe = stat(url.path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
        pipe = isPipe ? FileHandle(forReadingAtPath: url.path) : nil
        file = isPipe ? nil : try? StoreFileReader(url.path)
        guard pipe != nil || file != nil else { throw StoreToolError("\(url.path) cannot be read.") }
        self.maximumWeight = maximumWeight
    }

    deinit { try? pipe?.close() }

    fileprivate init(text: String) {
        file = nil
        pipe = nil
        maximumWeight = 2 << 30
        buffer = Array(text.utf8)
        byteCount = buffer.count
    }

    /// - Returns: an error with the position: the line, and the byte in it, both counted from 1.
    package func failure(_ what: String) -> StoreToolError {
        StoreToolError("line \(line), byte \(offset - lineStart + 1): \(what)")
    }

    /// The position in the file.
    private var offset: Int { byteCount - buffer.count + position }

    private func spend(_ weight: Int) throws {
        budget -= weight
        guard budget >= 0 else { throw failure("a value is larger than \(maximumWeight >> 20) MiB") }
    }

    // MARK: Lists and objects

    /// Enters a list.
    package func beginList() throws { try expect("[", "a list") }

    /// Enters an object.
    package func beginObject() throws { try expect("{", "an object") }

    /// Whether there is another element; leaves the list when there is not.
    ///
    /// - Parameter isFirst: whether none was read yet; set to false.
    package func hasElement(_ isFirst: inout Bool) throws -> Bool {
        guard try next() != UInt8(ascii: "]") else {
            position += 1
            return false
        }
        if !isFirst { try expect(",", "a comma or the end of the list") }
        isFirst = false
        return true
    }

    /// The name of the next member; nil at the end of the object, which is left.
    ///
    /// - Parameter isFirst: whether none was read yet; set to false.
    package func key(_ isFirst: inout Bool) throws -> String? {
        guard try next() != UInt8(ascii: "}") else {
            position += 1
            return nil
        }
        if !isFirst { try expect(",", "a comma or the end of the object") }
        isFirst = false
        guard try next() == UInt8(ascii: "\"") else { throw failure("the name of a member is expected") }
        // Outside of a value, a name is all that there is in memory.
        if depth == 0 { budget = maximumWeight }
        let name = try string()
        try expect(":", "a colon")
        return name
    }

    /// Nothing may follow.
    package func end() throws {
        while let byte = try peek() {
            guard Self.isSpace(byte) else { throw failure("there is more after the end") }
            skipSpace(byte)
        }
    }

    // MARK: Values

    /// The next value, whole.
    package func value() throws -> JSONValue {
        budget = maximumWeight
        depth = 0
        defer { depth = 0 }
        return try element()
    }

    private func element() throws -> JSONValue {
        guard depth < Self.maximumDepth else { throw failure("values are nested too deeply") }
        depth += 1
        defer { depth -= 1 }
        try spend(Self.weightOfElement)
        let byte = try next()
        var isFirst = true
        switch byte {
        case UInt8(ascii: "["):
            try beginList()
            var elements: [JSONValue] = []
            while try hasElement(&isFirst) { elements.append(try element()) }
            return .array(elements)
        case UInt8(ascii: "{"):
            try beginObject()
            var members: [String: JSONValue] = [:]
            while let name = try key(&isFirst) {
                guard members.updateValue(try element(), forKey: name) == nil else {
                    throw failure("the member '\(name)' occurs twice")
                }
            }
            return .object(members)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
        default:
            switch try word() {
            case "null": return .null
            case "true": return .bool(true)
            case "false": return .bool(false)
            case let word: throw failure("'\(word)' is not a value of JSON")
            }
        }
    }

    private func word() throws -> String {
        var bytes: [UInt8] = []
        while let byte = try peek(), bytes.count < 20, byte > 0x20, !",:[]{}\"".utf8.contains(byte) {
            bytes.append(byte)
            position += 1
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text of a number: `-`, digits without a zero before others, a fraction, an exponent.
    private func number() throws -> String {
        var bytes: [UInt8] = []
        func take(_ isWanted: (UInt8) -> Bool) throws -> Int {
            let start = bytes.count
            while let byte = try peek(), isWanted(byte) {
                guard bytes.count < Self.maximumNumberLength else { throw failure("a number is too long") }
                bytes.append(byte)
                position += 1
            }
            return bytes.count - start
        }
        func takeOne(_ isWanted: (UInt8) -> Bool) throws -> Bool {
            guard let byte = try peek(), isWanted(byte) else { return false }
            bytes.append(byte)
            position += 1
            return true
        }
        func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
        func malformed() -> StoreToolError {
            failure("'\(String(decoding: bytes, as: UTF8.self))' is not a number of JSON")
        }
        _ = try takeOne { $0 == UInt8(ascii: "-") }
        let start = bytes.count
        let count = try take(isDigit)
        guard count == 1 || count > 1 && bytes[start] != 0x30 else { throw malformed() }
        if try takeOne({ $0 == UInt8(ascii: ".") }) { guard try take(isDigit) > 0 else { throw malformed() } }
        if try takeOne({ $0 | 0x20 == UInt8(ascii: "e") }) {
            _ = try takeOne { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
            guard try take(isDigit) > 0 else { throw malformed() }
        }
        try spend(bytes.count)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func string() throws -> String {
        position += 1
        var bytes: [UInt8] = []
        while true {
            guard let byte = try peek() else { throw failure("a string has no end") }
            // What needs no look at each byte.
            var end = position
            while end < buffer.count, buffer[end] != 0x22, buffer[end] != 0x5C, buffer[end] >= 0x20 {
                end += 1
            }
            if end > position {
                try spend(end - position)
                bytes += buffer[position..<end]
                position = end
                continue
            }
            position += 1
            switch byte {
            case 0x22:
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    throw failure("a string is not in UTF-8")
                }
                return text
            case 0x5C:
                try spend(1)
                try escape(&bytes)
            default: throw failure("a string has a control character")
            }
        }
    }

    private func escape(_ bytes: inout [UInt8]) throws {
        guard let byte = try peek() else { throw failure("a string has no end") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(byte)
        case UInt8(ascii: "b"): bytes.append(0x08)
        case UInt8(ascii: "f"): bytes.append(0x0C)
        case UInt8(ascii: "n"): bytes.append(0x0A)
        case UInt8(ascii: "r"): bytes.append(0x0D)
        case UInt8(ascii: "t"): bytes.append(0x09)
        case UInt8(ascii: "u"): bytes += try escapedScalar()
        default: throw failure("a string has an unknown escape")
        }
    }

    private func escapedScalar() throws -> [UInt8] {
        var number = try hexadecimal()
        if number >= 0xD800, number < 0xDC00 {
            guard try peek() == 0x5C else { throw failure("half a surrogate pair") }
            position += 1
            guard try peek() == UInt8(ascii: "u") else { throw failure("half a surrogate pair") }
            position += 1
            let low = try hexadecimal()
            guard low >= 0xDC00, low < 0xE000 else { throw failure("half a surrogate pair") }
            number = 0x10000 + (number - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(number) else { throw failure("half a surrogate pair") }
        return Array(String(Character(scalar)).utf8)
    }

    private func hexadecimal() throws -> UInt32 {
        var number: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = try peek(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw failure("four hexadecimal digits are expected")
            }
            number = number << 4 + UInt32(digit)
            position += 1
        }
        return number
    }

    // MARK: Bytes

    private func expect(_ character: Unicode.Scalar, _ what: String) throws {
        guard try next() == UInt8(ascii: character) else { throw failure("\(what) is expected") }
        position += 1
    }

    /// The next byte that is not a space; it is not consumed.
    private func next() throws -> UInt8 {
        while let byte = try peek() {
            guard Self.isSpace(byte) else { return byte }
            skipSpace(byte)
        }
        throw failure("the text ends too early")
    }

    private func skipSpace(_ byte: UInt8) {
        position += 1
        guard byte == 0x0A else { return }
        line += 1
        lineStart = offset
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    private func peek() throws -> UInt8? {
        if position < buffer.count { return buffer[position] }
        let part = 256 << 10
        guard let data = try file?.read(at: byteCount, count: part) ?? pipe?.read(upToCount: part),
            !data.isEmpty
        else { return nil }
        buffer = [UInt8](data)
        position = 0
        byteCount += buffer.count
        return buffer[0]
    }
}

extension JSONValue {
    /// Reads a string that is one value.
    ///
    /// - Throws: an error that says what is wrong with it.
    package init(parsing text: String) throws {
        let reader = JSONReader(text: text)
        self = try reader.value()
        try reader.end()
    }
}
