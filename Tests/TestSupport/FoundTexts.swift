/// The answer of a search by words, as a tool gives it in JSON.
package struct FoundTexts: Decodable, Sendable {
    /// How far the store is indexed.
    package struct Indexing: Decodable, Sendable {
        package let done: Int
        package let total: Int
    }

    /// The objects of one entity.
    package struct Group: Decodable, Sendable {
        package let name: String
        package let count: Int
        package let isRanked: Bool
        package let objects: [Hit]

        /// The references of the objects.
        package var ids: [String] { objects.map(\.objectID) }
    }

    package struct Hit: Decodable, Sendable {
        package let objectID: String
        package let rank: Double?
        package let attribute: String?
        package let snippet: [Piece]
    }

    package struct Piece: Decodable, Equatable, Sendable {
        package let text: String
        package let isHighlighted: Bool

        package init(text: String, isHighlighted: Bool) {
            self.text = text
            self.isHighlighted = isHighlighted
        }
    }

    /// Whether there is something to be searched; only the browser's answer has it.
    package let isPossible: Bool?
    /// Only in an answer of the browser before the store is indexed.
    package let indexing: Indexing?
    package let count: Int
    package let entities: [Group]
}
