import FullTextSearch

/// A query for trigrams in the language of FTS5, in which each stands in quotation marks.
enum SubstringMatch {
    /// The documents that a query may find, with all whose strings are always found.
    static func text(_ query: SubstringQuery) -> String {
        let names = query.fields.sorted().map { "f\($0)" }.joined(separator: " ")
        return "\(condition(query)) OR ({\(names)} : \(quoted(SubstringForm.undecided)))"
    }

    private static func condition(_ query: SubstringQuery) -> String {
        switch query {
        case .trigrams(let trigrams, let field):
            "({f\(field)} : (\(trigrams.map(quoted).joined(separator: " AND "))))"
        case .all(let parts): "(\(parts.map(condition).joined(separator: " AND ")))"
        case .any(let parts): "(\(parts.map(condition).joined(separator: " OR ")))"
        }
    }

    private static func quoted(_ trigram: String) -> String {
        var text = "\""
        for scalar in trigram.unicodeScalars {
            if scalar == "\"" { text += "\"" }
            text.unicodeScalars.append(scalar)
        }
        return text + "\""
    }
}
