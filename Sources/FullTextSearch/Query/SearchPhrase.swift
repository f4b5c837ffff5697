/// Words that follow each other in a text; one word alone mostly.
package struct SearchPhrase: Hashable, Sendable {
    /// The canonical forms of the words; not empty.
    package let words: [String]
    /// Whether the last word is the beginning of one.
    package let isPrefix: Bool

    package init(words: [String], isPrefix: Bool = false) {
        self.words = words
        self.isPrefix = isPrefix
    }

    /// How often the phrase is in a text, which is given by the canonical forms of its words.
    package func count(in keys: [String]) -> Int {
        var count = 0
        forEachStart(in: keys) { _ in count += 1 }
        return count
    }

    /// Whether the phrase is in a text.
    package func isContained(in keys: [String]) -> Bool {
        guard keys.count >= words.count else { return false }
        return (0...(keys.count - words.count)).contains { isAt($0, in: keys) }
    }

    /// Calls `body` with the index of the first word of each occurrence; occurrences may overlap.
    package func forEachStart(in keys: [String], _ body: (Int) -> Void) {
        guard keys.count >= words.count else { return }
        for start in 0...(keys.count - words.count) where isAt(start, in: keys) { body(start) }
    }

    private func isAt(_ start: Int, in keys: [String]) -> Bool {
        let last = words.count - 1
        for offset in 0..<last where !keys[start + offset].isSameBytes(words[offset]) { return false }
        let key = keys[start + last]
        return isPrefix ? key.beginsWithBytes(of: words[last]) : key.isSameBytes(words[last])
    }
}

extension String {
    /// Whether both have the same bytes: canonical forms are composed already.
    func isSameBytes(_ other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }

    func beginsWithBytes(of prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }
}
