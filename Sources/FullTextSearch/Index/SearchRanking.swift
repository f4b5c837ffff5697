import Foundation

/// What all documents of a collection have together, for the rank of one.
package struct SearchStatistics: Sendable {
    package var documentCount = 0
    package var wordCount = 0
    /// How many documents have each phrase of a query.
    package var documentCounts: [SearchPhrase: Int] = [:]

    package init() {}
}

/// How well a document meets a query: Okapi BM25, as the `bm25` of SQLite's FTS5 computes it for one list of phrases, summed up over
/// the groups that the document meets. Higher is better.
package enum SearchRanking {
    private static let saturation = 1.2
    private static let lengthWeight = 0.75

    package static func rank(
        of document: SearchDocument, _ query: SearchQuery, _ scope: FieldScope, _ statistics: SearchStatistics
    ) -> Double {
        var rank = 0.0
        for group in query.groups where group.isMet(by: document, scope) {
            rank += self.rank(of: document, group, scope, statistics)
        }
        return rank
    }

    private static func rank(
        of document: SearchDocument, _ group: SearchQuery.Group, _ scope: FieldScope,
        _ statistics: SearchStatistics
    ) -> Double {
        let count = Double(statistics.documentCount)
        let length = Double(document.wordCount)
        // An index without documents does not say what is usual.
        let averageLength = statistics.wordCount > 0 ? Double(statistics.wordCount) / count : length
        var rank = 0.0
        for phrase in group.required {
            let having = Double(statistics.documentCounts[phrase] ?? 0)
            var weight = log((count - having + 0.5) / (having + 0.5))
            // A word that more than half of the documents have.
            if !(weight > 0) { weight = 1e-6 }
            let frequency = Double(document.count(of: phrase, scope))
            let share = 1 - lengthWeight + lengthWeight * length / averageLength
            rank += weight * ((frequency * (saturation + 1)) / (frequency + saturation * share))
        }
        return rank
    }
}
