import Foundation

/// The fields of a query or of a form, decoded without mercy: text that is not UTF-8 is refused, not repaired.
struct Fields: Sendable, Equatable {
    /// More fields than any of our forms has.
    private static let maxFields = 64
    private var values: [String: String] = [:]

    struct Malformed: Error {}

    init() {}

    /// Decodes `application/x-www-form-urlencoded` text. Of a field that is there twice, the first counts.
    ///
    /// - Throws: `Malformed` for wrong escapes, text that is not UTF-8, zero bytes, too many fields.
    init(decoding bytes: some Collection<UInt8>) throws(Malformed) {
        let pairs = bytes.split(separator: UInt8(ascii: "&"))
        guard pairs.count <= Self.maxFields else { throw Malformed() }
        for pair in pairs {
            let parts = pair.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = try Self.decoded(parts[0])
            let value = parts.count == 2 ? try Self.decoded(parts[1]) : ""
            if values[name] == nil { values[name] = value }
        }
    }

    subscript(name: String) -> String? { values[name] }

    private static func decoded(_ bytes: some Sequence<UInt8>) throws(Malformed) -> String {
        var decoded: [UInt8] = []
        var iterator = bytes.makeIterator()
        while let byte = iterator.next() {
            switch byte {
            case UInt8(ascii: "+"): decoded.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = iterator.next().flatMap(digit), let low = iterator.next().flatMap(digit)
                else {
                    throw Malformed()
                }
                decoded.append(high << 4 | low)
            default: decoded.append(byte)
            }
        }
        guard !decoded.contains(0), let text = String(validating: decoded, as: UTF8.self) else {
            throw Malformed()
        }
        return text
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// The address of a page of ours, with fields.
struct PageAddress: Sendable, Equatable {
    var path: String
    private(set) var fields: [(name: String, value: String)] = []

    init(_ path: String) { self.path = path }

    /// The address with a field more; nil adds none.
    func with(_ name: String, _ value: String?) -> PageAddress {
        guard let value else { return self }
        var address = self
        address.fields.append((name, value))
        return address
    }

    /// The address as links and headers have it.
    var text: String {
        guard !fields.isEmpty else { return path }
        return path + "?"
            + fields.map { "\(Self.escaped($0.name))=\(Self.escaped($0.value))" }.joined(separator: "&")
    }

    /// Everything but unreserved characters as the escapes of its UTF-8 bytes.
    static func escaped(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func == (one: PageAddress, other: PageAddress) -> Bool { one.text == other.text }
}
