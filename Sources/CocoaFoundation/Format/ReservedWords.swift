/// The words that a key must not be without a `#` before it, in upper case.
enum ReservedWords {
    /// Whether a word is reserved, in whatever case it is written.
    static func contains(_ word: some StringProtocol) -> Bool {
        // The longest reserved word has 15 letters, and only ASCII letters are folded.
        word.utf8.count <= 16 && all.contains(word.uppercased())
    }

    private static let all: Set<String> = [
        "AND", "OR", "NOT", "IN", "ALL", "ANY", "SOME", "NONE",
        "LIKE", "MATCHES", "CONTAINS", "BEGINSWITH", "ENDSWITH", "BETWEEN",
        "CASEINSENSITIVE", "CI", "NULL", "NIL", "SELF", "TRUE", "YES", "FALSE", "NO",
        "FIRST", "LAST", "SIZE", "ANYKEY", "SUBQUERY", "FETCH", "CAST", "FUNCTION", "TERNARY", "BLOCK",
        "TRUEPREDICATE", "FALSEPREDICATE", "BLOCKPREDICATE", "UNION", "INTERSECT", "MINUS",
    ]
}
