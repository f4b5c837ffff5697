import CoreData

/// Objects that a search has found, by entity, with the texts that show why.
package struct FoundObjects: Encodable, Sendable {
    /// Objects of one entity, those of its subentities left out.
    package struct Group: Encodable, Sendable {
        /// The name of the entity.
        package let name: String
        /// How many objects were found, whether they are among `objects` or not.
        package let count: Int
        /// Whether the best come first; otherwise they are in the order of their keys, as more than 10,000 are.
        package let isRanked: Bool
        package let objects: [Hit]
    }

    package struct Hit: Encodable, Sendable {
        package let objectID: String
        /// How well the object meets the search, higher is better; nil without ranks.
        package let rank: Double?
        /// The name of the attribute that the snippet is a part of; nil when only a computed display name has the words.
        package let attribute: String?
        /// The part of the attribute that has most of the words.
        package let snippet: [Piece]
    }

    package struct Piece: Encodable, Sendable, Hashable {
        package let text: String
        /// Whether these are words of the search.
        package let isHighlighted: Bool
    }

    /// By name; only those of which there are some.
    package let entities: [Group]
    /// How many objects there are.
    package let count: Int

    init(entities: [Group]) {
        self.entities = entities
        count = entities.reduce(0) { $0 + $1.count }
    }
}

extension FoundObjects.Hit {
    init(_ hit: SearchHit<NSManagedObject>) {
        let id = hit.object.objectID
        self.init(
            objectID: "\(ObjectReference(entity: id.entity.name ?? "", key: id.reference))", rank: hit.rank,
            attribute: hit.snippet?.attribute, snippet: hit.snippet.map(FoundObjects.Piece.pieces) ?? [])
    }
}

extension FoundObjects.Piece {
    /// A snippet with dots where its text goes on.
    fileprivate static func pieces(of snippet: SearchSnippet) -> [Self] {
        let dots = Self(text: "…", isHighlighted: false)
        let pieces = snippet.pieces.map { Self(text: shortened($0.text), isHighlighted: $0.isHighlighted) }
        return (snippet.isCutAtStart ? [dots] : []) + pieces + (snippet.isCutAtEnd ? [dots] : [])
    }

    private static let longestEnd = 150

    /// Both ends of a text: a snippet has few words, but between two of them may be any number of other signs. What a person takes for one
    /// character may have millions of bytes, so that counting characters bounds nothing.
    private static func shortened(_ text: Substring) -> String {
        let scalars = text.unicodeScalars
        guard scalars.count > 2 * longestEnd else { return String(text) }
        var short = String.UnicodeScalarView(scalars.prefix(longestEnd))
        short.append(contentsOf: " … ".unicodeScalars)
        short.append(contentsOf: scalars.suffix(longestEnd))
        return String(short)
    }
}
