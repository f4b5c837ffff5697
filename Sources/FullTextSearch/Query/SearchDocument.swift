/// The words of one object: of each field, in order.
package struct SearchDocument: Hashable, Sendable {
    /// The canonical forms of the words of each field that has any.
    package private(set) var fields: [Int: [String]] = [:]

    package init() {}

    /// Sets the text of a field; one without words has none.
    package mutating func setText(_ text: String?, ofField field: Int) {
        let keys = text.map { SearchTokenizer.keys(of: $0) } ?? []
        fields[field] = keys.isEmpty ? nil : keys
    }

    /// Whether there are no words.
    package var isEmpty: Bool { fields.isEmpty }

    /// How many words there are.
    package var wordCount: Int { fields.values.reduce(0) { $0 + $1.count } }

    package func contains(_ phrase: SearchPhrase, _ scope: FieldScope) -> Bool {
        fields.contains { scope.contains($0.key) && phrase.isContained(in: $0.value) }
    }

    package func count(of phrase: SearchPhrase, _ scope: FieldScope) -> Int {
        fields.reduce(0) { $0 + (scope.contains($1.key) ? phrase.count(in: $1.value) : 0) }
    }
}

/// The fields that are searched.
package enum FieldScope: Hashable, Sendable {
    case all
    case only(Set<Int>)

    package func contains(_ field: Int) -> Bool {
        switch self {
        case .all: true
        case .only(let fields): fields.contains(field)
        }
    }
}
