/// What the strings of a document must have in them to be found.
package indirect enum SubstringQuery: Hashable, Sendable {
    /// All of some trigrams (`SubstringForm.trigrams(of:)`), in the string of a field.
    case trigrams([String], field: Int)
    case all([SubstringQuery])
    case any([SubstringQuery])

    /// The fields that are looked at.
    package var fields: Set<Int> {
        switch self {
        case .trigrams(_, let field): [field]
        case .all(let parts), .any(let parts): parts.reduce(into: []) { $0.formUnion($1.fields) }
        }
    }

    package var trigramCount: Int {
        switch self {
        case .trigrams(let trigrams, _): trigrams.count
        case .all(let parts), .any(let parts): parts.reduce(0) { $0 + $1.trigramCount }
        }
    }
}
