/// Changes to a source that keep the number of its lines.
struct TextEdits {
    private let bytes: [UInt8]
    private var edits: [(range: Range<Int>, text: String)] = []
    /// The most that is added to a source, in bytes.
    private static let maxAdded = 64 << 20
    private var added = 0

    /// Whether no more may be added: `var a, b, …: Type` writes the type once for each name.
    var isFull: Bool { added > Self.maxAdded }

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Puts a string in place of another; the line ends and the indentation of the old one are
    /// kept, after the new one.
    ///
    /// - Parameters:
    ///   - range: what is replaced, in bytes. Ranges do not overlap.
    ///   - text: has no line end.
    mutating func replace(_ range: Range<Int>, with text: String) {
        let lineEnds = Self.lineEnds(in: bytes[range])
        added += text.utf8.count
        edits.append((range, text + String(decoding: lineEnds, as: UTF8.self)))
    }

    /// The line ends of a source, each with the blanks after it: a literal of several lines needs its indentation.
    private static func lineEnds(in text: ArraySlice<UInt8>) -> [UInt8] {
        var kept: [UInt8] = []
        var isStart = false
        for byte in text {
            switch byte {
            case 10, 13:
                isStart = true
                kept.append(byte)
            case 9, 32:
                if isStart { kept.append(byte) }
            default: isStart = false
            }
        }
        return kept
    }

    /// Puts a string, without line ends, before a byte; several at one position follow one another in the order of the
    /// calls.
    mutating func insert(_ text: String, at offset: Int) {
        added += text.utf8.count
        edits.append((offset..<offset, text))
    }

    /// The changed text.
    func applied() -> String {
        let ordered = edits.enumerated().sorted {
            ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset)
        }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + bytes.count / 4)
        var location = 0
        for (_, edit) in ordered {
            assert(edit.range.lowerBound >= location, "two edits of one text")
            guard edit.range.lowerBound >= location else { continue }
            result += bytes[location..<edit.range.lowerBound]
            result += Array(edit.text.utf8)
            location = edit.range.upperBound
        }
        result += bytes[location...]
        return String(decoding: result, as: UTF8.self)
    }
}
