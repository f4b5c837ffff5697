/// A search for the same bytes in many strings, in time linear to each string (Knuth, Morris and Pratt).
///
/// The plain search is quadratic: a long pattern in a long string, both written by an attacker, would hold a
/// server for minutes.
package final class ByteSearch: Sendable {
    let pattern: ContiguousArray<UInt8>
    /// For each position of the pattern the length of the longest proper prefix that ends there.
    private let borders: ContiguousArray<Int>

    package init(for pattern: ContiguousArray<UInt8>) {
        self.pattern = pattern
        var borders = ContiguousArray(repeating: 0, count: pattern.count)
        var length = 0
        for index in pattern.indices.dropFirst() {
            while length > 0, pattern[index] != pattern[length] { length = borders[length - 1] }
            if pattern[index] == pattern[length] { length += 1 }
            borders[index] = length
        }
        self.borders = borders
    }

    /// The position of the byte that texts have least often; 0 where there is none.
    package static func rarest(of bytes: UnsafeBufferPointer<UInt8>) -> Int {
        bytes.indices.min { frequency(of: bytes[$0]) < frequency(of: bytes[$1]) } ?? 0
    }

    /// Roughly how often texts have a byte, compared with others.
    private static func frequency(of byte: UInt8) -> Int {
        switch byte {
        case UInt8(ascii: " "): 9
        // What letters of other alphabets than the Latin one begin with.
        case 0xC0...0xFF: 8
        case UInt8(ascii: "a"), UInt8(ascii: "e"), UInt8(ascii: "i"), UInt8(ascii: "n"), UInt8(ascii: "o"),
            UInt8(ascii: "r"), UInt8(ascii: "s"), UInt8(ascii: "t"):
            7
        case UInt8(ascii: "c"), UInt8(ascii: "d"), UInt8(ascii: "h"), UInt8(ascii: "l"), UInt8(ascii: "u"): 6
        case UInt8(ascii: "a")...UInt8(ascii: "z"): 5
        case 0x80...0xBF: 4
        case UInt8(ascii: "0")...UInt8(ascii: "9"): 2
        default: 1
        }
    }

    /// Where the bytes first are in `text` at or after a position, at a position that is accepted; they may overlap those that
    /// are not.
    package func firstRange(
        in text: UnsafeBufferPointer<UInt8>, from start: Int = 0,
        where isAccepted: ((Range<Int>) -> Bool)? = nil
    ) -> Range<Int>? {
        pattern.withUnsafeBufferPointer { pattern in
            guard let first = pattern.first else { return start <= text.count ? start..<start : nil }
            var matched = 0
            var index = start
            while index < text.count {
                if matched == 0 {
                    guard pattern.count <= text.count - index, let base = text.baseAddress,
                        let found = memchr(base + index, Int32(first), text.count - index)
                    else { return nil }
                    index = UnsafeRawPointer(base).distance(to: found) + 1
                    matched = 1
                } else if text[index] == pattern[matched] {
                    matched += 1
                    index += 1
                } else {
                    matched = borders[matched - 1]
                    continue
                }
                if matched == pattern.count {
                    let range = (index - matched)..<index
                    guard let isAccepted, !isAccepted(range) else { return range }
                    matched = borders[matched - 1]
                }
            }
            return nil
        }
    }
}
