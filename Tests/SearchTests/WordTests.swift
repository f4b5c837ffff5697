import FullTextSearch
import Testing

/// What the words of a text are.
struct WordTests {
    private func keys(_ text: String) -> [String] { SearchTokenizer.keys(of: text) }

    @Test(
        "A word is found without regard to case and marks",
        arguments: [
            ("Das Schloß", ["das", "schloss"]), ("SCHLOSS", ["schloss"]), ("Über uns", ["uber", "uns"]),
            ("U\u{308}ber", ["uber"]), ("ДОСТОЕВСКИЙ Достоевский", ["достоевскии", "достоевскии"]),
            ("ΣΊΣΥΦΟΣ σίσυφος", ["σισυφοσ", "σισυφοσ"]), ("İstanbul", ["istanbul"]),
            ("Ærøskøbing", ["ærøskøbing"]), ("\u{212A}elvin", ["kelvin"]),
        ])
    func canonicalForm(_ text: String, _ words: [String]) { #expect(keys(text) == words) }

    @Test("Letters and digits make a word; signs and spaces stand between words")
    func separators() {
        #expect(keys("well-known, don't (1984)!") == ["well", "known", "don", "t", "1984"])
        #expect(keys("a_b/c\u{A0}d\u{2014}e\u{1F600}f") == ["a", "b", "c", "d", "e", "f"])
        #expect(keys("abc123 x² Ⅷ") == ["abc123", "x²", "ⅷ"])
        #expect(keys(" \u{301} -- … ").isEmpty)
        #expect(keys("").isEmpty)
    }

    @Test("Ignorable characters neither divide a word nor belong to it")
    func ignorables() {
        #expect(keys("Donau\u{AD}dampf\u{200D}schiff\u{200C}") == ["donaudampfschiff"])
        let tokens = SearchTokenizer.tokens(of: "ab\u{AD} c")
        #expect(tokens.map(\.range) == [0..<2, 5..<6])
    }

    @Test("Each character of a script without spaces is a word")
    func characters() {
        #expect(keys("東京都 2024年") == ["東", "京", "都", "2024", "年"])
        #expect(keys("ひらがなカナ") == ["ひ", "ら", "か", "な", "カ", "ナ"].map { $0 == "か" ? "が" : $0 })
        #expect(keys("か\u{3099}") == ["が"])
        #expect(keys("서울") == ["서", "울"])
        #expect(keys("\u{1109}\u{1165}\u{110B}\u{116E}\u{11AF}") == ["서", "울"])
        #expect(keys("iPhone手機") == ["iphone", "手", "機"])
        #expect(keys("ภาษา").count == 4)
    }

    @Test("The range of a word is that of its bytes in the text, marks included")
    func ranges() throws {
        let text = "Das Schloß, U\u{308}ber 東京"
        let words = SearchTokenizer.tokens(of: text).map { token in
            String(decoding: Array(text.utf8)[token.range], as: UTF8.self)
        }
        #expect(words == ["Das", "Schloß", "U\u{308}ber", "東", "京"])
    }

    @Test("The first 10,000 words of a text count, and the first 128 scalars of a word")
    func limits() {
        let text = (0..<10_050).map { "w\($0)" }.joined(separator: " ")
        #expect(keys(text).count == 10_000)
        #expect(keys(text).last == "w9999")
        #expect(keys(String(repeating: "x", count: 5_000)) == [String(repeating: "x", count: 128)])
        #expect(keys(String(repeating: "ß", count: 5_000)) == [String(repeating: "s", count: 128)])
        let many = SearchTokenizer.joinedKeys(of: String(repeating: "é ", count: 20_000))
        #expect(many.count == 10_000 && many.text.utf8.count == 19_999)
    }

    @Test(
        "The words of a text, joined by spaces, are those that are found one by one", .timeLimit(.minutes(40))
    )
    func joined() {
        var numbers = RandomTexts(seed: 7)
        for _ in 0..<2_000 {
            let text = numbers.text(ofWords: 12)
            let keys = keys(text)
            let joined = SearchTokenizer.joinedKeys(of: text)
            #expect(joined.text == keys.joined(separator: " ") && joined.count == keys.count)
            // A canonical form is its own, so that the words of an index can be read again.
            #expect(SearchTokenizer.keys(of: joined.text) == keys)
        }
    }
}
