import Foundation

/// A page of the objects that a search has found.
public struct SearchResult<Object: NSManagedObject> {
    /// The objects of the page, in order.
    public let hits: [SearchHit<Object>]
    /// How many objects there are on all pages.
    public let count: Int
    /// Whether the best come first. Without an order of the request, more than 10,000 objects are in the order of their keys.
    public let isRanked: Bool
}

/// An object that a search has found.
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

/// A part of a text with the words of a search.
public struct SearchSnippet: Hashable, Sendable {
    /// A piece of a snippet.
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
