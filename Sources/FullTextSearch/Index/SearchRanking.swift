import Foundation

/// What all documents of a collection have together, for the rank of one.
package struct SearchStatistics: Sendable {
    package var documentCount = 0
    package var wordCount = 0
    /// How many documents have each phrase of a query.
    package var documentCounts: [SearchPhrase: Int] = [:]

    package init() {}
}

/// How well a document meets a group of a query: Okapi BM25, as the `bm25` of SQLite's FTS5 computes it for one list of phrases. The
/// rank by a query is the sum over the groups that the document meets. Higher is better.
package struct SearchRanking {
    private static let saturation = 1.2
    private static let lengthWeight = 0.75

    /// Of each required phrase, the rarer the higher.
    private let weights: [Double]
    /// Nil where there are no documents to say what is usual.
    private let averageLength: Double?

    package init(_ group: SearchQuery.Group, _ statistics: SearchStatistics) {
        let count = Double(statistics.documentCount)
        averageLength = statistics.wordCount > 0 ? Double(statistics.wordCount) / count : nil
        weights = group.required.map { phrase in
            let having = Double(statistics.documentCounts[phrase] ?? 0)
            let weight = log((count - having + 0.5) / (having + 0.5))
            // A word that more than half of the documents have.
            return weight > 0 ? weight : 1e-6
        }
    }

    /// The rank of a document.
    ///
    /// - Parameters:
    ///   - length: how many words it has.
    ///   - count: how often it has each of the required phrases, by its index.
    package func rank(length: Int, _ count: (Int) -> Int) -> Double {
        let length = Double(length)
        let share =
            1 - Self.lengthWeight + Self.lengthWeight * length / (averageLength ?? length)
        var rank = 0.0
        for (index, weight) in weights.enumerated() {
            let frequency = Double(count(index))
            rank += weight * ((frequency * (Self.saturation + 1)) / (frequency + Self.saturation * share))
        }
        return rank
    }

    /// The rank of a document by a query.
    package static func rank(
        of document: SearchDocument, _ query: SearchQuery, _ scope: FieldScope, _ statistics: SearchStatistics
    ) -> Double {
        rank(of: document, scope, query.groups.map { ($0, SearchRanking($0, statistics)) })
    }

    /// The rank of a document by the groups of a query.
    static func rank(
        of document: SearchDocument, _ scope: FieldScope,
        _ rankings: [(group: SearchQuery.Group, ranking: SearchRanking)]
    ) -> Double {
        var rank = 0.0
        for (group, ranking) in rankings where group.isMet(by: document, scope) {
            rank += ranking.rank(length: document.wordCount) {
                document.count(of: group.required[$0], scope)
            }
        }
        return rank
    }
}

/// A document with its rank.
package struct RankedKey: Hashable, Sendable {
    package let key: Int64
    package let rank: Double

    package init(key: Int64, rank: Double) {
        self.key = key
        self.rank = rank
    }

    /// Whether it comes first: the better one, and of equally good ones that with the lower key.
    package func precedes(_ other: RankedKey) -> Bool {
        rank != other.rank ? rank > other.rank : key < other.key
    }
}

extension [RankedKey] {
    /// So many are found one by one; more by sorting all.
    private static let mostSelected = 200

    /// The best in order.
    ///
    /// - Parameter limit: how many; nil for all. O(n) for a few, else O(n log n).
    package func best(_ limit: Int?) -> [RankedKey] {
        guard let limit, limit <= Self.mostSelected else {
            let all = sorted { $0.precedes($1) }
            return limit.map { Array(all.prefix($0)) } ?? all
        }
        var best: [RankedKey] = []
        for found in self {
            if best.count == limit {
                guard let last = best.last, found.precedes(last) else { continue }
                best.removeLast()
            }
            best.insert(found, at: best.partitionIndex { found.precedes($0) })
        }
        return best
    }
}
