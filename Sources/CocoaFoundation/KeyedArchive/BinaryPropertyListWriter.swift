import Foundation

extension BinaryPropertyList {
    /// The bytes of this property list, as Foundation's readers on every platform take them.
    ///
    /// - Complexity: O(length of the result).
    package func data() -> Data {
        var writer = BinaryPropertyListWriter(objectCount: nodes.count)
        return writer.write(self)
    }
}

/// Writes the table of a binary property list; ``BinaryPropertyListParser`` describes the format.
private struct BinaryPropertyListWriter {
    private var output = Array("bplist00".utf8)
    private let referenceWidth: Int

    init(objectCount: Int) {
        referenceWidth = Self.width(of: UInt64(objectCount))
    }

    mutating func write(_ list: BinaryPropertyList) -> Data {
        var offsets: [Int] = []
        offsets.reserveCapacity(list.nodes.count)
        for node in list.nodes {
            offsets.append(output.count)
            write(node)
        }
        let tableStart = output.count
        let offsetWidth = Self.width(of: UInt64(tableStart))
        for offset in offsets { append(UInt64(offset), width: offsetWidth) }
        output += [0, 0, 0, 0, 0, 0, UInt8(offsetWidth), UInt8(referenceWidth)]
        append(UInt64(list.nodes.count), width: 8)
        append(UInt64(list.root), width: 8)
        append(UInt64(tableStart), width: 8)
        return Data(output)
    }

    private mutating func write(_ node: BinaryPropertyList.Node) {
        switch node {
        case .null: output.append(0x00)
        case .boolean(let value): output.append(value ? 0x09 : 0x08)
        case .integer(let value): write(value)
        case .unsigned(let value):
            output.append(0x14)
            append(0, width: 8)
            append(value, width: 8)
        case .real(let value):
            output.append(0x23)
            append(value.bitPattern, width: 8)
        case .date(let value):
            output.append(0x33)
            append(value.bitPattern, width: 8)
        case .data(let data):
            write(marker: 0x40, length: data.count)
            output += data
        case .string(let text): write(text)
        case .identifier(let value):
            let width = Self.width(of: value)
            output.append(0x80 | UInt8(width - 1))
            append(value, width: width)
        case .array(let elements):
            write(marker: 0xA0, length: elements.count)
            write(elements)
        case .set(let elements):
            write(marker: 0xC0, length: elements.count)
            write(elements)
        case .dictionary(let keys, let values):
            write(marker: 0xD0, length: keys.count)
            write(keys)
            write(values)
        }
    }

    private mutating func write(_ value: Int64) {
        // Fewer than eight bytes are read as unsigned.
        let width = value < 0 ? 8 : Self.width(of: UInt64(value))
        output.append(0x10 | UInt8(width.trailingZeroBitCount))
        append(UInt64(bitPattern: value), width: width)
    }

    private mutating func write(_ text: String) {
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            write(marker: 0x50, length: text.utf8.count)
            output += text.utf8
        } else {
            write(marker: 0x60, length: text.utf16.count)
            for unit in text.utf16 { append(UInt64(unit), width: 2) }
        }
    }

    private mutating func write(marker: UInt8, length: Int) {
        if length < 0x0F {
            output.append(marker | UInt8(length))
        } else {
            output.append(marker | 0x0F)
            write(Int64(length))
        }
    }

    private mutating func write(_ references: [Int]) {
        for reference in references { append(UInt64(reference), width: referenceWidth) }
    }

    private mutating func append(_ value: UInt64, width: Int) {
        for shift in stride(from: (width - 1) * 8, through: 0, by: -8) {
            output.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
        }
    }

    /// The least of 1, 2, 4 and 8 bytes that hold a number.
    private static func width(of value: UInt64) -> Int {
        switch value {
        case ...0xFF: 1
        case ...0xFFFF: 2
        case ...0xFFFF_FFFF: 4
        default: 8
        }
    }
}
