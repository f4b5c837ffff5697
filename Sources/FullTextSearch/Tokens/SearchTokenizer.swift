import CocoaFoundation

/// Finds the words of a text, the same ones for every kind of index.
///
/// A word is a run of letters and digits with their marks. A character of a script without spaces between words is a word of its own, so
/// that any part of such a text is found as a phrase of its characters. All else stands between words.
///
/// What is compared is the word's canonical form (`TextFolding`), in which case and marks are gone. It is cut after
/// ``longestWord`` scalars.
package enum SearchTokenizer {
    /// How many words of one value are indexed.
    package static let mostWords = 10_000
    /// How many scalars of a word are compared.
    package static let longestWord = 128

    private static let folding = TextFolding(ignoresCase: true, ignoresMarks: true)

    /// The first words of a text.
    package static func tokens(of text: String, upTo limit: Int = mostWords) -> [SearchToken] {
        var tokens: [SearchToken] = []
        forEachToken(of: text, upTo: limit) { key, range in
            tokens.append(SearchToken(key: String(decoding: key, as: UTF8.self), range: range))
        }
        return tokens
    }

    /// The canonical forms of the first words of a text.
    package static func keys(of text: String, upTo limit: Int = mostWords) -> [String] {
        var keys: [String] = []
        forEachToken(of: text, upTo: limit) { key, _ in keys.append(String(decoding: key, as: UTF8.self)) }
        return keys
    }

    /// The canonical forms of the first words of a text with spaces between them, and how many they are.
    package static func joinedKeys(of text: String, upTo limit: Int = mostWords) -> (text: String, count: Int)
    {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(text.utf8.count, 1 << 16))
        var count = 0
        forEachToken(of: text, upTo: limit) { key, _ in
            if count > 0 { bytes.append(0x20) }
            bytes.append(contentsOf: key)
            count += 1
        }
        return (String(decoding: bytes, as: UTF8.self), count)
    }

    /// Calls `body` with the canonical form of each of the first words of a text, and its range in bytes.
    private static func forEachToken(
        of text: String, upTo limit: Int, _ body: (UnsafeBufferPointer<UInt8>, Range<Int>) -> Void
    ) {
        var text = text
        text.withUTF8 { utf8 in
            var scanner = WordScanner(utf8)
            var count = 0
            while count < limit, let word = scanner.next() {
                let bytes = UnsafeBufferPointer(rebasing: utf8[word.range])
                let isWord =
                    word.isASCII
                    ? withLowercase(bytes) { body($0, word.range) }
                    : withCanonical(bytes, word) { body($0, word.range) }
                if isWord { count += 1 }
            }
        }
    }

    private static func withLowercase(
        _ bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Void
    ) -> Bool {
        // Each byte is a scalar here.
        let kept = UnsafeBufferPointer(rebasing: bytes.prefix(longestWord))
        folding.withFolded(utf8: kept, body)
        return true
    }

    /// - Returns: whether anything is left of the word.
    private static func withCanonical(
        _ bytes: UnsafeBufferPointer<UInt8>, _ word: WordScanner.Word,
        _ body: (UnsafeBufferPointer<UInt8>) -> Void
    ) -> Bool {
        var text = String(decoding: bytes, as: UTF8.self)
        if word.hasIgnorables {
            text.unicodeScalars.removeAll { ScalarClass.of($0.value) == .ignorable }
        }
        // Scalars that are dropped, or expand, make the form a little shorter or longer: it is what is cut. A text of one word is not
        // folded as a whole.
        let scalars = text.unicodeScalars
        if scalars.count > longestWord * 8 { text = String(scalars.prefix(longestWord * 8)) }
        var key = folding.folded(text)
        if key.utf8.count > longestWord, key.unicodeScalars.count > longestWord {
            key = String(key.unicodeScalars.prefix(longestWord))
        }
        guard !key.isEmpty else { return false }
        key.withUTF8(body)
        return true
    }
}
