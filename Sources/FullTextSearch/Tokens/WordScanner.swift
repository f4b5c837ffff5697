/// Finds where the words of UTF-8 bytes are.
struct WordScanner {
    struct Word {
        let range: Range<Int>
        let isASCII: Bool
        /// Whether there are scalars in it that do not count.
        let hasIgnorables: Bool
    }

    private let utf8: UnsafeBufferPointer<UInt8>
    private var index = 0

    /// - Parameter utf8: the bytes of a string, which are well formed.
    init(_ utf8: UnsafeBufferPointer<UInt8>) { self.utf8 = utf8 }

    /// The next word; nil at the end.
    mutating func next() -> Word? {
        while index < utf8.count {
            let start = index
            let scalar = decode()
            switch ScalarClass.of(scalar) {
            case .separator, .mark, .ignorable: continue
            case .letter: return word(from: start, isASCII: scalar < 0x80)
            case .character, .jamo: return character(from: start)
            }
        }
        return nil
    }

    private mutating func word(from start: Int, isASCII: Bool) -> Word {
        var isASCII = isASCII
        var end = index
        var ignorables = 0
        var hasIgnorables = false
        scanning: while index < utf8.count {
            let before = index
            let scalar = decode()
            switch ScalarClass.of(scalar) {
            case .letter, .mark:
                end = index
                hasIgnorables = hasIgnorables || ignorables > 0
                isASCII = isASCII && scalar < 0x80
            case .ignorable:
                // At the end of a word they are not a part of it.
                ignorables += 1
                isASCII = false
            case .separator, .character, .jamo:
                index = before
                break scanning
            }
        }
        return Word(range: start..<end, isASCII: isASCII, hasIgnorables: hasIgnorables)
    }

    private mutating func character(from start: Int) -> Word {
        var end = index
        var ignorables = 0
        var hasIgnorables = false
        scanning: while index < utf8.count {
            let before = index
            switch ScalarClass.of(decode()) {
            case .mark, .jamo:
                end = index
                hasIgnorables = hasIgnorables || ignorables > 0
            case .ignorable: ignorables += 1
            case .separator, .letter, .character:
                index = before
                break scanning
            }
        }
        return Word(range: start..<end, isASCII: false, hasIgnorables: hasIgnorables)
    }

    /// The scalar at the index, which moves behind it.
    @inline(__always)
    private mutating func decode() -> UInt32 {
        let first = UInt32(utf8[index])
        guard first >= 0x80 else {
            index += 1
            return first
        }
        let count = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        guard index + count <= utf8.count else {
            index = utf8.count
            return 0xFFFD
        }
        var value = first & (0xFF >> (UInt32(count) + 1))
        for offset in 1..<count { value = value << 6 | UInt32(utf8[index + offset]) & 0x3F }
        index += count
        return value
    }
}
