/// The words that a key must not be without a `#` before it, in upper case.
enum ReservedWords {
    /// Whether a word is reserved, in whatever case it is written.
    static func contains(_ word: some StringProtocol) -> Bool {
        // The longest reserved word has 15 letters.
        word.utf8.count <= 16 && all.contains(folded(word))
    }

    /// A word in the form in which words of the language are compared: ASCII letters in upper case, and no others.
    /// The key `ın`, whose first letter has `I` as its capital, is not the operator `IN`.
    static func folded(_ word: some StringProtocol) -> String {
        String(decoding: word.utf8.map { (0x61...0x7A).contains($0) ? $0 & 0xDF : $0 }, as: UTF8.self)
    }

    private static let all: Set<String> = [
        "AND", "OR", "NOT", "IN", "ALL", "ANY", "SOME", "NONE",
        "LIKE", "MATCHES", "CONTAINS", "BEGINSWITH", "ENDSWITH", "BETWEEN",
        "CASEINSENSITIVE", "CI", "NULL", "NIL", "SELF", "TRUE", "YES", "FALSE", "NO",
        "FIRST", "LAST", "SIZE", "ANYKEY", "SUBQUERY", "FETCH", "CAST", "FUNCTION", "TERNARY", "BLOCK",
        "TRUEPREDICATE", "FALSEPREDICATE", "BLOCKPREDICATE", "UNION", "INTERSECT", "MINUS",
    ]
}
