/// A search for code points in a row, of which some may be any, in many strings (Baeza-Yates and Gonnet's "shift-and").
///
/// One bit for each code point of what is looked for says whether the string up to here ends with all before it. So a search
/// takes time linear to the string for up to 64 code points, and a step for every 64 more at each code point of the string;
/// trying every position would take one for each. The memory is linear to what is looked for.
struct WildcardSearch: Sendable {
    private typealias Word = UInt64

    private let wordCount: Int
    private let lastBit: Word
    /// The positions of code points that may be any.
    private let anyOne: [Word]
    /// The positions of each code point that is at many, as bits; of at most 64 code points.
    private let frequent: [Unicode.Scalar: [Word]]
    /// The positions of the others.
    private let rare: [Unicode.Scalar: [Int]]

    /// - Parameter elements: the code points, nil for any; not empty.
    init(for elements: [Unicode.Scalar?]) {
        let count = (elements.count + Word.bitWidth - 1) / Word.bitWidth
        wordCount = count
        lastBit = 1 << Word((elements.count - 1) % Word.bitWidth)
        func bits(_ offsets: [Int]) -> [Word] {
            var bits = [Word](repeating: 0, count: count)
            for offset in offsets { bits[offset / Word.bitWidth] |= 1 << Word(offset % Word.bitWidth) }
            return bits
        }
        let offsets = Dictionary(grouping: elements.indices) { elements[$0] }
        anyOne = bits(offsets[nil] ?? [])
        var frequent: [Unicode.Scalar: [Word]] = [:]
        var rare: [Unicode.Scalar: [Int]] = [:]
        for case (let scalar?, let offsets) in offsets {
            if offsets.count >= count { frequent[scalar] = bits(offsets) } else { rare[scalar] = offsets }
        }
        self.frequent = frequent
        self.rare = rare
    }

    /// Where the first occurrence at or after a position ends; nil when there is none.
    func endOfFirst(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        wordCount == 1 ? endOfFirstShort(in: text, from: start) : endOfFirstLong(in: text, from: start)
    }

    private func endOfFirstShort(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        let anyOne = anyOne[0]
        var state: Word = 0
        var position = start
        while position < text.count {
            let (scalar, next) = text.scalar(at: position)
            // Of one word every code point is frequent.
            state = (state << 1 | 1) & (anyOne | (frequent[scalar]?[0] ?? 0))
            position = next
            if state & lastBit != 0 { return position }
        }
        return nil
    }

    private func endOfFirstLong(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        var state = [Word](repeating: 0, count: wordCount)
        var shifted = state
        var position = start
        while position < text.count {
            let (scalar, next) = text.scalar(at: position)
            var carry: Word = 1
            for index in 0..<wordCount {
                shifted[index] = state[index] << 1 | carry
                carry = state[index] >> Word(Word.bitWidth - 1)
            }
            if let bits = frequent[scalar] {
                for index in 0..<wordCount { state[index] = shifted[index] & (anyOne[index] | bits[index]) }
            } else {
                for index in 0..<wordCount { state[index] = shifted[index] & anyOne[index] }
                for offset in rare[scalar] ?? [] {
                    let bit: Word = 1 << Word(offset % Word.bitWidth)
                    state[offset / Word.bitWidth] |= shifted[offset / Word.bitWidth] & bit
                }
            }
            position = next
            if state[wordCount - 1] & lastBit != 0 { return position }
        }
        return nil
    }
}
