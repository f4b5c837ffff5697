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
        let lower = first == 0 ? 0 : tokens[first].range.lowerBound
        let upper = last == tokens.count - 1 ? text.utf8.count : tokens[last].range.upperBound
        part = lower..<max(upper, lower)
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
