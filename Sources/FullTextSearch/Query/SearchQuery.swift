/// What a person searches for.
///
/// ``init(_:completesLastWord:)`` reads it from any text.
package struct SearchQuery: Hashable, Sendable {
    /// What a text has all of, and none of.
    package struct Group: Hashable, Sendable {
        /// Not empty: what only excludes finds nothing.
        package let required: [SearchPhrase]
        package let excluded: [SearchPhrase]

        package init(required: [SearchPhrase], excluded: [SearchPhrase] = []) {
            self.required = required
            self.excluded = excluded
        }
    }

    /// A text meets one of them; none is met by no text.
    package let groups: [Group]

    package init(groups: [Group]) { self.groups = groups }

    /// Whether nothing can be found.
    package var isEmpty: Bool { groups.isEmpty }

    /// All phrases that are to be found, each once.
    package var requiredPhrases: [SearchPhrase] {
        var seen: Set<SearchPhrase> = []
        return groups.flatMap(\.required).filter { seen.insert($0).inserted }
    }

    /// All phrases, each once.
    package var phrases: [SearchPhrase] {
        var seen: Set<SearchPhrase> = []
        return groups.flatMap { $0.required + $0.excluded }.filter { seen.insert($0).inserted }
    }
}

extension SearchQuery.Group {
    /// Whether a document has all of the required phrases and none of the excluded ones.
    package func isMet(by document: SearchDocument, _ scope: FieldScope = .all) -> Bool {
        required.allSatisfy { document.contains($0, scope) }
            && !excluded.contains { document.contains($0, scope) }
    }
}

extension SearchQuery {
    /// Whether a document is found.
    package func isMet(by document: SearchDocument, _ scope: FieldScope = .all) -> Bool {
        groups.contains { $0.isMet(by: document, scope) }
    }
}
