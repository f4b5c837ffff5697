import CocoaFoundation
import Foundation
import ManagedObjectModel

/// Reads the file of an XML store, which may come from anyone.
///
/// There are no declarations and thus nothing to expand and nothing to load; depth is fixed; every byte is read once. Not
/// `XMLParser`: on Linux a hostile file can make it stop the program.
package struct XMLStoreReader {
    private let bytes: [UInt8]
    private let url: URL?
    private var position = 0

    /// - Throws: 134010 for a store of another type, 259 for a file that is not well-formed or not a store.
    package static func read(_ data: Data, _ url: URL) throws -> XMLStoreFile {
        guard let first = data.first(where: { ![0xEF, 0xBB, 0xBF, 0x20, 0x09, 0x0A, 0x0D].contains($0) }),
            first == UInt8(ascii: "<")
        else { throw StoreDocument.foreign(data, url, type: NSXMLStoreType) }
        var reader = XMLStoreReader(bytes: Array(data), url: url)
        return try reader.file()
    }

    /// Reads a file that has been made and not been written.
    static func read(header text: String) throws -> XMLStoreFile {
        var reader = XMLStoreReader(bytes: Array(text.utf8), url: nil)
        return try reader.file()
    }

    private init(bytes: [UInt8], url: URL?) {
        self.bytes = bytes
        self.url = url
    }

    private mutating func file() throws -> XMLStoreFile {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw fault("it is not UTF-8") }
        _ = skip("\u{FEFF}")
        try prolog()
        var (name, _, isEmpty) = try startTag()
        guard name == "database", !isEmpty else {
            throw NSError.coreData(
                .persistentStoreTypeMismatch,
                "The file at \(url?.path ?? "") is not an XML store: it holds a <\(name)> and no <database>.")
        }
        try pass()
        var file = try info()
        var attributes: [String: String]
        while true {
            try pass()
            if skip("</database") {
                try endOfTag()
                break
            }
            (name, attributes, isEmpty) = try startTag()
            guard name == "object" else { throw fault("there is a <\(name)> in <database>") }
            file.objects.append(try object(attributes, isEmpty))
        }
        try pass()
        guard position == bytes.count else { throw fault("there is content after the root element") }
        return file
    }

    // MARK: Parts

    private mutating func prolog() throws {
        while true {
            try pass()
            guard skip("<!DOCTYPE") else { return }
            while let next = peek(), next != UInt8(ascii: ">") {
                position += 1
                switch next {
                case UInt8(ascii: "["), UInt8(ascii: "<"):
                    throw fault("a document type must not declare anything")
                case UInt8(ascii: "\""), UInt8(ascii: "'"):
                    while let quoted = peek(), quoted != next { position += 1 }
                    position += 1
                default: break
                }
            }
            guard skip(">") else { throw fault("the document type has no end") }
        }
    }

    /// Reads what the file says of itself.
    private mutating func info() throws -> XMLStoreFile {
        let (name, _, isEmpty) = try startTag()
        guard name == "databaseInfo", !isEmpty else {
            throw fault("<database> does not begin with <databaseInfo>")
        }
        var texts: [String: String] = [:]
        var metadata: [String: Any] = [:]
        while true {
            try pass()
            if skip("</databaseInfo") {
                try endOfTag()
                break
            }
            let (name, _, isEmpty) = try startTag()
            if name == "metadata" {
                if !isEmpty { metadata = try self.metadata() }
                continue
            }
            let text = isEmpty ? "" : try self.text(upToEndOf: name)
            guard texts.updateValue(text, forKey: name) == nil, texts.count <= 64 else {
                throw fault("<\(name)> occurs twice, or there are too many elements")
            }
        }
        func text(_ name: String) -> String? {
            texts[name]?.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        guard let identifier = text("UUID"), !identifier.isEmpty else { throw fault("it has no identifier") }
        guard let number = text("nextObjectID").flatMap({ Int64($0) }),
            (0..<MappedStore.numberLimit).contains(number)
        else {
            throw fault("its nextObjectID is not a number")
        }
        return XMLStoreFile(identifier: identifier, nextObjectID: number, metadata: metadata)
    }

    private mutating func object(_ settings: [String: String], _ isEmpty: Bool) throws -> XMLStoreFile.Object
    {
        guard let type = settings["type"], let id = settings["id"] else {
            throw fault("an <object> has no type or no id")
        }
        var object = XMLStoreFile.Object(type: type, id: id)
        guard !isEmpty else { return object }
        while true {
            try pass()
            if skip("</object") {
                try endOfTag()
                return object
            }
            let (name, settings, isEmpty) = try startTag()
            guard let property = settings["name"] else { throw fault("a <\(name)> has no name") }
            switch name {
            case "attribute":
                let text = isEmpty ? "" : try self.text(upToEndOf: name)
                object.attributes.append(
                    .init(name: property, type: settings["type"] ?? "", text: text))
            case "relationship":
                if !isEmpty {
                    guard try text(upToEndOf: name).allSatisfy(\.isWhitespace) else {
                        throw fault("there is text in a <relationship>")
                    }
                }
                let ids = (settings["idrefs"] ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
                object.relationships.append(
                    .init(
                        name: property, type: settings["type"] ?? "",
                        destination: settings["destination"] ?? "", ids: ids))
            default: throw fault("there is a <\(name)> in <object>")
            }
        }
    }

    // MARK: Tags and text

    mutating func startTag() throws -> (String, [String: String], isEmpty: Bool) {
        guard skip("<") else { throw fault("there is text where an element should be") }
        let name = name()
        guard !name.isEmpty else { throw fault("an element has no name") }
        var settings: [String: String] = [:]
        while true {
            skipSpace()
            if skip("/>") { return (name, settings, true) }
            if skip(">") { return (name, settings, false) }
            let key = self.name()
            skipSpace()
            guard !key.isEmpty, skip("=") else { throw fault("the tag <\(name)> cannot be read") }
            skipSpace()
            guard let quote = peek(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
                throw fault("there is no quotation mark before a value")
            }
            position += 1
            let value = try characters(upTo: quote)
            position += 1
            guard settings.updateValue(value, forKey: key) == nil, settings.count <= 64 else {
                throw fault("the attribute '\(key)' occurs twice, or there are too many")
            }
        }
    }

    mutating func endOfTag() throws {
        skipSpace()
        guard skip(">") else { throw fault("an end tag has no end") }
    }

    private mutating func name() -> String {
        let start = position
        while let next = peek(), next > 0x20, !"<>=/'\"&".utf8.contains(next) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    mutating func text(upToEndOf element: String) throws -> String {
        var text = ""
        while true {
            text += try characters(upTo: UInt8(ascii: "<"))
            if skip("</\(element)") {
                try endOfTag()
                return text
            }
            if skip("<![CDATA[") {
                let start = position
                while !startsWith("]]>") {
                    guard position < bytes.count else { throw fault("a CDATA section has no end") }
                    position += 1
                }
                text += String(decoding: bytes[start..<position], as: UTF8.self)
                position += 3
            } else if try !skipComment() {
                throw fault("there is an element in <\(element)>")
            }
        }
    }

    /// Reads characters and references up to a byte, which must come.
    private mutating func characters(upTo end: UInt8) throws -> String {
        var value: [UInt8] = []
        while let next = peek(), next != end {
            switch next {
            case UInt8(ascii: "&"): value += try reference()
            case UInt8(ascii: "<"): throw fault("a value contains <")
            case 0x0D:
                value.append(0x0A)
                position += 1
                if peek() == 0x0A { position += 1 }
            case 0x00..<0x09, 0x0B..<0x20: throw fault("there is a control character")
            default:
                value.append(next)
                position += 1
            }
        }
        guard peek() == end else { throw fault("a value has no end") }
        return String(decoding: value, as: UTF8.self)
    }

    private mutating func reference() throws -> [UInt8] {
        let text = bytes[position...].prefix(12)
        guard let end = text.firstIndex(of: UInt8(ascii: ";")) else { throw fault("there is a & alone") }
        let name = String(decoding: bytes[(position + 1)..<end], as: UTF8.self)
        position = end + 1
        switch name {
        case "amp": return [UInt8(ascii: "&")]
        case "lt": return [UInt8(ascii: "<")]
        case "gt": return [UInt8(ascii: ">")]
        case "quot": return [UInt8(ascii: "\"")]
        case "apos": return [UInt8(ascii: "'")]
        default: break
        }
        guard name.hasPrefix("#") else { throw fault("the reference &\(name); is unknown") }
        let digits = name.dropFirst()
        let number = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        guard let number, let scalar = Unicode.Scalar(number), number >= 0x20 || [9, 10, 13].contains(number)
        else {
            throw fault("the reference &\(name); does not stand for a character")
        }
        return Array(String(Character(scalar)).utf8)
    }

    /// Passes over space, comments and processing instructions.
    mutating func pass() throws {
        repeat { skipSpace() } while try skipComment()
    }

    private mutating func skipComment() throws -> Bool {
        let end: String
        if skip("<!--") { end = "-->" } else if skip("<?") { end = "?>" } else { return false }
        while !startsWith(end) {
            guard position < bytes.count else { throw fault("a comment has no end") }
            position += 1
        }
        position += end.utf8.count
        return true
    }

    // MARK: Bytes

    private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private func startsWith(_ text: String) -> Bool {
        bytes[min(position, bytes.count)...].starts(with: text.utf8)
    }

    mutating func skip(_ text: String) -> Bool {
        guard startsWith(text) else { return false }
        position += text.utf8.count
        return true
    }

    private mutating func skipSpace() {
        while let next = peek(), [0x20, 0x09, 0x0A, 0x0D].contains(next) { position += 1 }
    }

    func fault(_ reason: String) -> NSError {
        let line = 1 + bytes.prefix(position).count { $0 == 0x0A }
        return StoreDocument.damaged(url, "line \(line): \(reason)")
    }
}
