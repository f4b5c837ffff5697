import CoreData

/// A text in which words of a search are marked.
struct MarkedText: Sendable, Equatable {
    struct Piece: Sendable, Equatable {
        var text: String
        var isMarked: Bool
    }

    private(set) var pieces: [Piece] = []

    /// A text without marks.
    init(_ text: String) { add(text[...], isMarked: false) }

    /// A text with marks at ranges of it, in order and apart from each other.
    init(_ text: String, _ ranges: [Range<String.Index>]) {
        var end = text.startIndex
        for range in ranges {
            add(text[end..<range.lowerBound], isMarked: false)
            add(text[range], isMarked: true)
            end = range.upperBound
        }
        add(text[end...], isMarked: false)
    }

    /// The part of a text that shows most of the words, with an ellipsis where it is cut.
    init(_ snippet: SearchSnippet) {
        if snippet.isCutAtStart { add("… ", isMarked: false) }
        for piece in snippet.pieces { add(piece.text, isMarked: piece.isHighlighted) }
        if snippet.isCutAtEnd { add(" …", isMarked: false) }
    }

    private mutating func add(_ text: Substring, isMarked: Bool) {
        if !text.isEmpty { pieces.append(Piece(text: String(text), isMarked: isMarked)) }
    }
}
