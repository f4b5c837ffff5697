/// A set of property indexes of one entity; no allocation up to 64 properties.
package struct PropertySet: Hashable, Sendable {
    /// The first 64 indexes, and those after them by words.
    private(set) var low: UInt64 = 0
    private(set) var high: [UInt64] = []

    package init() {}

    init(low: UInt64, high: [UInt64]) {
        self.low = low
        self.high = high
    }

    package init(_ indexes: some Sequence<Int>) {
        for index in indexes { insert(index) }
    }

    package var isEmpty: Bool { low == 0 && high.allSatisfy { $0 == 0 } }

    @inline(__always)
    package func contains(_ index: Int) -> Bool {
        index < 64 ? low & (1 << UInt64(truncatingIfNeeded: index)) != 0 : containsHigh(index)
    }

    @inline(never)
    private func containsHigh(_ index: Int) -> Bool {
        let word = index >> 6 - 1
        return word < high.count && high[word] & (1 << UInt64(index & 63)) != 0
    }

    @inline(__always)
    package mutating func insert(_ index: Int) {
        if index < 64 {
            low |= 1 << UInt64(truncatingIfNeeded: index)
        } else {
            insertHigh(index)
        }
    }

    @inline(never)
    private mutating func insertHigh(_ index: Int) {
        let word = index >> 6 - 1
        if word >= high.count { high += repeatElement(0, count: word + 1 - high.count) }
        high[word] |= 1 << UInt64(index & 63)
    }

    package mutating func remove(_ index: Int) {
        if index < 64 {
            low &= ~(1 << UInt64(index))
        } else if index >> 6 - 1 < high.count {
            high[index >> 6 - 1] &= ~(1 << UInt64(index & 63))
        }
    }

    package mutating func removeAll() {
        low = 0
        if !high.isEmpty { high = [] }
    }
}

extension PropertySet: Sequence {
    package struct Iterator: IteratorProtocol {
        fileprivate var word: UInt64
        fileprivate var wordIndex = 0
        fileprivate let high: [UInt64]

        package mutating func next() -> Int? {
            while word == 0 {
                guard wordIndex < high.count else { return nil }
                word = high[wordIndex]
                wordIndex += 1
            }
            let bit = word.trailingZeroBitCount
            word &= word - 1
            return wordIndex << 6 + bit
        }
    }

    /// The indexes in ascending order.
    package func makeIterator() -> Iterator { Iterator(word: low, high: high) }
}
