import Foundation

/// A page of the objects that a search has found.
///
/// ```swift
/// let result = try context.search("schloss", in: Book.self)
/// print(result.count, "books")
/// for hit in result.hits { print(hit.object.title, hit.snippet?.text ?? "") }
/// ```
///
/// `SearchRequest.fetchOffset` and `fetchLimit` choose the page; `count` is that of all pages. Pages are not frozen: objects that are
/// saved between two searches can move others to another page. Use it on the queue of the context that has searched.
public struct SearchResult<Object: NSManagedObject> {
    /// The objects of the page, in order.
    public let hits: [SearchHit<Object>]
    /// How many objects there are on all pages.
    public let count: Int
    /// Whether the best come first. Where more than 10,000 objects have the words, those of the result are in the
    /// order of their keys, unless the request has another.
    public let isRanked: Bool
}

/// An object that a search has found, with its rank and the positions of the words that were found.
///
/// `snippet` is a short text for a list of results, `highlights` are the ranges for a page that shows the whole object. Both are of the
/// values at the moment of the search.
public struct SearchHit<Object: NSManagedObject> {
    /// The object.
    public let object: Object
    /// How well it meets the search, higher is better: Okapi BM25 over all searched attributes. Nil in a result that is not ranked.
    public let rank: Double?
    /// The part of its texts that has most of the words; nil when only a computed display name has them.
    public let snippet: SearchSnippet?
    /// Where the words are in each attribute that has some, by the name of the attribute: ranges of its value, in order and apart from
    /// each other. For an attribute that is not a string they are those of the text of the value.
    public let highlights: [String: [Range<String.Index>]]
}

/// A part of an attribute's text that shows most of the words of a search, for a list of results.
///
/// ```swift
/// let marked = snippet.pieces.map { $0.isHighlighted ? "*\($0.text)*" : String($0.text) }.joined()
/// print(snippet.isCutAtStart ? "…" + marked : marked)
/// ```
///
/// `SearchRequest.snippetWordCount` is its length in words. The text is that of the value, without any marks: escape it where it is shown
/// as HTML.
public struct SearchSnippet: Hashable, Sendable {
    /// A piece of a snippet: words that were found, or the text between them. The texts of all pieces together are the snippet's.
    public struct Piece: Hashable, Sendable {
        /// The text.
        public let text: Substring
        /// Whether these are words of the search.
        public let isHighlighted: Bool
    }

    /// The name of the attribute.
    public let attribute: String
    /// The part of its text.
    public let text: String
    /// Where the words of the search are in it, in order and apart from each other.
    public let highlights: [Range<String.Index>]
    /// Whether the text has more before the part.
    public let isCutAtStart: Bool
    /// Whether the text has more after the part.
    public let isCutAtEnd: Bool

    /// The whole snippet in pieces that are highlighted or not.
    public var pieces: [Piece] {
        var pieces: [Piece] = []
        var end = text.startIndex
        func add(_ range: Range<String.Index>, _ isHighlighted: Bool) {
            if !range.isEmpty { pieces.append(Piece(text: text[range], isHighlighted: isHighlighted)) }
        }
        for range in highlights {
            add(end..<range.lowerBound, false)
            add(range, true)
            end = range.upperBound
        }
        add(end..<text.endIndex, false)
        return pieces
    }
}
