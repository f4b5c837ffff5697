import Foundation
import FullTextSearch

extension SearchHit {
    /// A hit with what shows why the object was found.
    init(_ object: Object, rank: Double?, _ search: SearchPredicate, wordCount: Int) {
        let fields = search.fields(of: object.entity)
        let scope = search.scope(object.entity)
        let texts = Dictionary(fields.texts(of: object).map { ($0.field, $0.text) }) { first, _ in first }
        let phrases = search.query.requiredPhrases
        var highlights: [String: [Range<String.Index>]] = [:]
        var best: (snippet: SearchSnippet, phraseCount: Int)?
        for field in fields.fields
        where scope.contains(field.number) && field.name != SearchedFields.displayName {
            guard let text = texts[field.number],
                let excerpt = SearchExcerpt(of: text, phrases, wordCount: max(1, wordCount))
            else { continue }
            highlights[field.name] = excerpt.ranges.map(text.range)
            if excerpt.phraseCount > best?.phraseCount ?? 0 {
                best = (SearchSnippet(field.name, text, excerpt), excerpt.phraseCount)
            }
        }
        self.init(object: object, rank: rank, snippet: best?.snippet, highlights: highlights)
    }
}

extension SearchSnippet {
    fileprivate init(_ attribute: String, _ text: String, _ excerpt: SearchExcerpt) {
        let part = String(text[text.range(excerpt.part)])
        self.init(
            attribute: attribute, text: part,
            highlights: excerpt.ranges.compactMap { range in
                let inside = range.clamped(to: excerpt.part)
                guard !inside.isEmpty else { return nil }
                let start = excerpt.part.lowerBound
                return part.range((inside.lowerBound - start)..<(inside.upperBound - start))
            },
            isCutAtStart: excerpt.part.lowerBound > 0,
            isCutAtEnd: excerpt.part.upperBound < text.utf8.count)
    }
}

extension String {
    /// The range of some bytes.
    fileprivate func range(_ bytes: Range<Int>) -> Range<String.Index> {
        let lower = utf8.index(startIndex, offsetBy: bytes.lowerBound)
        return lower..<utf8.index(lower, offsetBy: bytes.count)
    }
}
