/// Where a query's words are in a text, and the part of the text that shows most of them.
package struct SearchExcerpt: Hashable, Sendable {
    /// The words of the query in the text, in bytes of UTF-8, in ascending order and apart from each other.
    package let ranges: [Range<Int>]
    /// The part of the text, in bytes of UTF-8.
    package let part: Range<Int>
    /// How many different phrases of the query are in the part.
    package let phraseCount: Int

    /// - Parameter wordCount: how many words the part has, if the text has as many.
    /// - Returns: nil when the text has no phrase of the query.
    package init?(of text: String, _ phrases: [SearchPhrase], wordCount: Int) {
        let tokens = SearchTokenizer.tokens(of: text)
        let keys = tokens.map(\.key)
        var found: [(words: Range<Int>, phrase: Int)] = []
        for (number, phrase) in phrases.enumerated() {
            phrase.forEachStart(in: keys) { found.append(($0..<($0 + phrase.words.count), number)) }
        }
        guard !found.isEmpty else { return nil }
        found.sort { ($0.words.lowerBound, $0.words.upperBound) < ($1.words.lowerBound, $1.words.upperBound) }

        var marked: [Range<Int>] = []
        for (words, _) in found {
            let range =
                tokens[words.lowerBound].range.lowerBound..<tokens[words.upperBound - 1].range.upperBound
            if let last = marked.last, last.upperBound >= range.lowerBound {
                marked[marked.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                marked.append(range)
            }
        }
        ranges = marked

        let (start, best) = Self.bestStart(found, wordCount)
        phraseCount = best
        // Some words before the first one show what it is about.
        let first = max(0, min(start - wordCount / 4, tokens.count - wordCount))
        let last = min(first + wordCount, tokens.count) - 1
        part = Self.part(
            of: text, tokens[first...last], first == 0, last == tokens.count - 1, tokens[start].range)
    }

    /// A part is cut after as many bytes: words, and what stands between them, may be of any length.
    private static let maxBytes = 4_096
    /// As many bytes before the first word and after the last one of a text are shown.
    private static let mostEdge = 64

    /// The part of a text that some words take, with what is around them at the ends of the text.
    private static func part(
        of text: String, _ tokens: ArraySlice<SearchToken>, _ isAtStart: Bool, _ isAtEnd: Bool,
        _ found: Range<Int>
    ) -> Range<Int> {
        guard let first = tokens.first?.range, let last = tokens.last?.range else { return 0..<0 }
        let count = text.utf8.count
        var lower = isAtStart && first.lowerBound <= mostEdge ? 0 : first.lowerBound
        var upper = isAtEnd && count - last.upperBound <= mostEdge ? count : last.upperBound
        if upper - lower > maxBytes {
            // The found word is in it in any case.
            if found.lowerBound - lower > maxBytes / 4 { lower = found.lowerBound }
            upper = min(upper, lower + maxBytes)
            let utf8 = text.utf8
            var index = utf8.index(utf8.startIndex, offsetBy: upper)
            while upper < count, utf8[index] & 0xC0 == 0x80 {
                index = utf8.index(before: index)
                upper -= 1
            }
        }
        return lower..<upper
    }

    /// The occurrence from which on a part has the most different phrases; the first of several.
    private static func bestStart(
        _ found: [(words: Range<Int>, phrase: Int)], _ wordCount: Int
    ) -> (start: Int, phraseCount: Int) {
        // The part begins a quarter of its words before the occurrence.
        let reach = max(1, wordCount - wordCount / 4)
        var counts: [Int: Int] = [:]
        var best = (start: found[0].words.lowerBound, phraseCount: 0)
        var end = 0
        for index in found.indices {
            let start = found[index].words.lowerBound
            while end < found.count, found[end].words.upperBound <= start + reach || end <= index {
                counts[found[end].phrase, default: 0] += 1
                end += 1
            }
            if counts.count > best.phraseCount { best = (start, counts.count) }
            let phrase = found[index].phrase
            counts[phrase, default: 1] -= 1
            if counts[phrase] == 0 { counts[phrase] = nil }
        }
        return best
    }
}
