import FullTextSearch

/// A query in the language of FTS5.
///
/// Words consist of letters, digits and marks alone and stand in quotation marks, so that nothing that a person writes is a part of
/// the language.
enum SearchMatch {
    static func text(_ query: SearchQuery, _ scope: FieldScope) -> String {
        limited(query.groups.map { "(\(text($0)))" }.joined(separator: " OR "), scope)
    }

    static func text(_ group: SearchQuery.Group, _ scope: FieldScope) -> String {
        limited(text(group), scope)
    }

    static func text(_ phrase: SearchPhrase, _ scope: FieldScope) -> String { limited(text(phrase), scope) }

    private static func limited(_ match: String, _ scope: FieldScope) -> String {
        guard case .only(let fields) = scope else { return match }
        let names = fields.sorted().map { "f\($0)" }.joined(separator: " ")
        return "{\(names)} : (\(match))"
    }

    private static func text(_ group: SearchQuery.Group) -> String {
        let required = "(\(group.required.map(text).joined(separator: " AND ")))"
        guard !group.excluded.isEmpty else { return required }
        return "\(required) NOT (\(group.excluded.map(text).joined(separator: " OR ")))"
    }

    private static func text(_ phrase: SearchPhrase) -> String {
        "\"\(phrase.words.joined(separator: " "))\"\(phrase.isPrefix ? " *" : "")"
    }
}
