import FullTextSearch
import Testing

/// What a person's text means as a query.
struct QueryTests {
    private func phrase(_ words: String..., isPrefix: Bool = false) -> SearchPhrase {
        SearchPhrase(words: words, isPrefix: isPrefix)
    }

    private func only(_ required: [SearchPhrase], without excluded: [SearchPhrase] = []) -> SearchQuery {
        SearchQuery(groups: [.init(required: required, excluded: excluded)])
    }

    @Test("A query requires all of its words, each one once")
    func words() {
        #expect(SearchQuery("War  peace war") == only([phrase("war"), phrase("peace")]))
        #expect(SearchQuery("war AND peace") == only([phrase("war"), phrase("peace")]))
        #expect(SearchQuery("war and peace") == only([phrase("war"), phrase("and"), phrase("peace")]))
    }

    @Test("A star makes a word a prefix")
    func prefixes() {
        #expect(SearchQuery("üb*") == only([phrase("ub", isPrefix: true)]))
        #expect(SearchQuery("\"war pe\"*") == only([phrase("war", "pe", isPrefix: true)]))
        #expect(SearchQuery("war-pe*") == only([phrase("war", "pe", isPrefix: true)]))
        #expect(SearchQuery("war.*") == only([phrase("war")]))
        #expect(SearchQuery("* **").isEmpty)
    }

    @Test("While a person types, the last word is a prefix")
    func completion() {
        let typed = { SearchQuery($0, completesLastWord: true) }
        #expect(typed("war pe") == only([phrase("war"), phrase("pe", isPrefix: true)]))
        #expect(typed("war ") == only([phrase("war")]))
        #expect(typed("war.") == only([phrase("war")]))
        #expect(typed("\"war an") == only([phrase("war", "an", isPrefix: true)]))
        #expect(typed("\"war an\"") == only([phrase("war", "an")]))
    }

    @Test(
        "Quotation marks make a phrase, even when they are not closed, and so do words without a space between them"
    )
    func phrases() {
        #expect(SearchQuery("\"war and peace\"") == only([phrase("war", "and", "peace")]))
        #expect(SearchQuery("\u{201E}war peace\u{201C}") == only([phrase("war", "peace")]))
        #expect(SearchQuery("\"war peace") == only([phrase("war", "peace")]))
        #expect(SearchQuery("well-known") == only([phrase("well", "known")]))
        #expect(SearchQuery("東京") == only([phrase("東", "京")]))
        #expect(SearchQuery("a\"b c\"d") == only([phrase("a"), phrase("b", "c"), phrase("d")]))
    }

    @Test("NOT and a minus sign exclude; OR separates alternatives")
    func operators() {
        #expect(SearchQuery("war -peace") == only([phrase("war")], without: [phrase("peace")]))
        #expect(
            SearchQuery("war NOT \"and peace\"") == only([phrase("war")], without: [phrase("and", "peace")]))
        #expect(SearchQuery("war AND NOT peace") == SearchQuery("war -peace"))
        #expect(SearchQuery("--war peace") == SearchQuery("peace -war"))
        #expect(SearchQuery("war - peace") == SearchQuery("war peace"))
        #expect(
            SearchQuery("a b OR c -d").groups == [
                .init(required: [phrase("a"), phrase("b")]),
                .init(required: [phrase("c")], excluded: [phrase("d")]),
            ])
        #expect(SearchQuery("a OR a").groups.count == 1)
    }

    @Test("A query that only excludes finds nothing")
    func exclusionAlone() {
        #expect(SearchQuery("-war").isEmpty)
        #expect(SearchQuery("NOT war").isEmpty)
        #expect(SearchQuery("a OR -b") == SearchQuery("a"))
    }

    @Test("An operator without an operand is ignored; a query of operators alone is one of words")
    func danglingOperators() {
        #expect(SearchQuery("war OR") == SearchQuery("war"))
        #expect(SearchQuery("OR war AND") == SearchQuery("war"))
        #expect(SearchQuery("war NOT") == SearchQuery("war"))
        #expect(SearchQuery("NOT") == SearchQuery("not"))
        #expect(SearchQuery("AND OR") == SearchQuery("and or"))
    }

    @Test(
        "Any text is a valid query",
        arguments: [
            "", " ", "\"", "\"\"", "*", "-", "--", "()", "NEAR(a b)", "a:b", "{a} : b", "^a", "'; --",
            "\u{0}a\u{0}",
        ])
    func anyText(_ text: String) { #expect(SearchQuery(text) == SearchQuery(text)) }

    @Test("Only the first 256 words of a query count", .timeLimit(.minutes(40)))
    func longQuery() {
        let query = SearchQuery((0..<100_000).map { "w\($0)" }.joined(separator: " "))
        #expect(query.groups[0].required.count == 256)
        let phrase = SearchQuery("\"" + String(repeating: "x ", count: 1_000_000))
        #expect(phrase.groups[0].required[0].words.count == 256)
    }
}
