import Foundation

/// Reads the table of a binary property list, object by object, every offset and length checked.
///
/// The format: the eight bytes `bplist00`; the objects, each a marker byte and its contents; the table of the
/// objects' offsets; and 32 bytes that give the widths of an offset and of a reference, the number of objects,
/// the outermost object and the offset of the table. All numbers are big-endian.
struct BinaryPropertyListParser {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let offsetWidth: Int
    private let referenceWidth: Int
    private let count: Int
    private let tableStart: Int
    let root: Int

    /// How many bytes of contents the objects may still claim. Writers give each object its own bytes; a table
    /// whose every entry points to the same large array would otherwise cost the square of the file's length.
    private var unclaimed: Int

    /// How many objects, and how many references to them, may be made.
    private let maximumObjects: Int
    /// How many more references may be made.
    private var unmade: Int

    /// The bytes of a key that may be shared by any number of dictionaries; see `checkKeys`.
    private static let shortKey = 1_000

    private static let headerLength = 8
    private static let trailerLength = 32

    init(_ bytes: UnsafeBufferPointer<UInt8>, maximumObjects: Int) throws {
        guard bytes.count >= Self.headerLength + Self.trailerLength + 2 else {
            throw MalformedPropertyList("it is too short")
        }
        guard bytes.prefix(BinaryPropertyList.magic.count).elementsEqual(BinaryPropertyList.magic) else {
            throw MalformedPropertyList("it does not begin with \"bplist\"")
        }
        self.bytes = bytes
        unclaimed = bytes.count
        unmade = maximumObjects
        self.maximumObjects = maximumObjects
        let trailer = bytes.count - Self.trailerLength
        offsetWidth = Int(bytes[trailer + 6])
        referenceWidth = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetWidth), (1...8).contains(referenceWidth) else {
            throw MalformedPropertyList("its widths are not 1 to 8 bytes")
        }
        let count = Self.bigEndian(bytes, at: trailer + 8, width: 8)
        let root = Self.bigEndian(bytes, at: trailer + 16, width: 8)
        let tableStart = Self.bigEndian(bytes, at: trailer + 24, width: 8)
        guard tableStart >= Self.headerLength, tableStart < trailer, count > 0,
            count <= UInt64(trailer - Int(tableStart)) / UInt64(offsetWidth), root < count
        else {
            throw MalformedPropertyList("its table of objects does not lie inside it")
        }
        // An object takes a byte at least before the table that has its offset.
        guard count <= tableStart - UInt64(Self.headerLength) else {
            throw MalformedPropertyList("its objects overlap")
        }
        self.count = Int(count)
        self.root = Int(root)
        self.tableStart = Int(tableStart)
    }

    mutating func parseNodes() throws -> [BinaryPropertyList.Node] {
        guard count <= maximumObjects else { throw tooMany }
        var nodes: [BinaryPropertyList.Node] = []
        nodes.reserveCapacity(count)
        for index in 0..<count {
            let offset = Self.bigEndian(bytes, at: tableStart + index * offsetWidth, width: offsetWidth)
            guard offset >= UInt64(Self.headerLength), offset < UInt64(tableStart) else {
                throw MalformedPropertyList("object \(index) does not lie inside it")
            }
            nodes.append(try parseNode(at: Int(offset)))
        }
        try checkKeys(nodes)
        return nodes
    }

    private var tooMany: MalformedPropertyList {
        MalformedPropertyList("it has more than \(maximumObjects) objects or references to them")
    }

    /// Bounds what it costs to look up the keys of all dictionaries: a string of a megabyte could be the key of each of a
    /// million of them.
    private func checkKeys(_ nodes: [BinaryPropertyList.Node]) throws {
        var unread = bytes.count * 2
        for case .dictionary(let keys, _) in nodes {
            for key in keys {
                guard case .string(let text) = nodes[key] else { continue }
                let length = text.utf8.count
                if length > Self.shortKey { unread -= length }
            }
            guard unread >= 0 else {
                throw MalformedPropertyList("its dictionaries share keys that are too long")
            }
        }
    }

    private mutating func parseNode(at start: Int) throws -> BinaryPropertyList.Node {
        let marker = bytes[start]
        let low = Int(marker & 0x0F)
        var position = start + 1
        switch marker >> 4 {
        case 0x0:
            switch marker {
            case 0x00: return .null
            case 0x08: return .boolean(false)
            case 0x09: return .boolean(true)
            default: throw MalformedPropertyList("the marker \(marker) is unknown")
            }
        case 0x1 where low <= 4: return try integer(at: position, width: 1 << low)
        case 0x2 where low == 2:
            return .real(Double(Float(bitPattern: UInt32(try number(at: position, width: 4)))))
        case 0x2 where low == 3: return .real(Double(bitPattern: try number(at: position, width: 8)))
        case 0x3 where low == 3: return .date(Double(bitPattern: try number(at: position, width: 8)))
        case 0x4:
            let length = try length(low, &position)
            return .data(Data(try claim(length, elementsOf: 1, at: position)))
        case 0x5:
            let length = try length(low, &position)
            let text = try claim(length, elementsOf: 1, at: position)
            guard text.allSatisfy({ $0 < 0x80 }) else { throw MalformedPropertyList("a string is not ASCII") }
            return .string(String(decoding: text, as: UTF8.self))
        case 0x6:
            let length = try length(low, &position)
            let text = try claim(length, elementsOf: 2, at: position)
            let units = stride(from: text.startIndex, to: text.endIndex, by: 2).lazy.map { [bytes] index in
                UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1])
            }
            return .string(String(decoding: Array(units), as: UTF16.self))
        case 0x7:
            let length = try length(low, &position)
            return .string(String(decoding: try claim(length, elementsOf: 1, at: position), as: UTF8.self))
        case 0x8 where low < 8: return .identifier(try number(at: position, width: low + 1))
        case 0xA:
            let length = try length(low, &position)
            return .array(try references(length, at: position))
        case 0xC:
            let length = try length(low, &position)
            return .set(try references(length, at: position))
        case 0xD:
            let length = try length(low, &position)
            guard length <= bytes.count else { throw MalformedPropertyList("a dictionary is too long") }
            let both = try references(length * 2, at: position)
            return .dictionary(keys: Array(both.prefix(length)), values: Array(both.suffix(length)))
        default:
            throw MalformedPropertyList("the marker \(marker) is unknown")
        }
    }

    /// An integer: one, two and four bytes are unsigned, eight are signed, and sixteen hold what is above
    /// `Int64.max`.
    private func integer(at position: Int, width: Int) throws -> BinaryPropertyList.Node {
        switch width {
        case 1, 2, 4: return .integer(Int64(try number(at: position, width: width)))
        case 8: return .integer(Int64(bitPattern: try number(at: position, width: 8)))
        default:
            let high = try number(at: position, width: 8)
            let low = try number(at: position + 8, width: 8)
            if high == 0 { return low <= Int64.max ? .integer(Int64(low)) : .unsigned(low) }
            guard high == .max, low > Int64.max else {
                throw MalformedPropertyList("an integer has more than 64 bits")
            }
            return .integer(Int64(bitPattern: low))
        }
    }

    /// The length of contents: in the marker, or, when that is full, in an integer that follows.
    private func length(_ low: Int, _ position: inout Int) throws -> Int {
        guard low == 0x0F else { return low }
        let marker = try number(at: position, width: 1)
        guard marker >> 4 == 0x1, marker & 0x0F <= 3 else {
            throw MalformedPropertyList("a length is not an integer")
        }
        let width = 1 << Int(marker & 0x0F)
        let length = try number(at: position + 1, width: width)
        guard length <= UInt64(bytes.count) else {
            throw MalformedPropertyList("a length exceeds the data")
        }
        position += 1 + width
        return Int(length)
    }

    private mutating func references(_ length: Int, at position: Int) throws -> [Int] {
        let range = try claim(length, elementsOf: referenceWidth, at: position).indices
        guard length <= unmade else { throw tooMany }
        unmade -= length
        var references: [Int] = []
        references.reserveCapacity(length)
        for start in stride(from: range.lowerBound, to: range.upperBound, by: referenceWidth) {
            let reference = Self.bigEndian(bytes, at: start, width: referenceWidth)
            guard reference < UInt64(count) else {
                throw MalformedPropertyList("a reference names no object")
            }
            references.append(Int(reference))
        }
        return references
    }

    /// The bytes of an object's contents.
    private mutating func claim(
        _ length: Int, elementsOf width: Int, at position: Int
    ) throws -> Slice<UnsafeBufferPointer<UInt8>> {
        // Both factors are at most the length of the data and eight, so the product cannot overflow.
        let size = length * width
        guard size <= tableStart - position else {
            throw MalformedPropertyList("an object reaches beyond its end")
        }
        guard size <= unclaimed else { throw MalformedPropertyList("its objects overlap") }
        unclaimed -= size
        return bytes[position..<(position + size)]
    }

    private func number(at position: Int, width: Int) throws -> UInt64 {
        guard width <= tableStart - position else {
            throw MalformedPropertyList("an object reaches beyond its end")
        }
        return Self.bigEndian(bytes, at: position, width: width)
    }

    private static func bigEndian(
        _ bytes: UnsafeBufferPointer<UInt8>, at position: Int, width: Int
    ) -> UInt64 {
        var value: UInt64 = 0
        for index in position..<(position + width) { value = value << 8 | UInt64(bytes[index]) }
        return value
    }
}
