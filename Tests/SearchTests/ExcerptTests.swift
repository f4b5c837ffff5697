import FullTextSearch
import Testing

/// Which part of a text a result shows.
struct ExcerptTests {
    private func excerpt(
        _ text: String, _ query: String, _ wordCount: Int = 8
    ) throws -> (part: String, words: [String]) {
        let excerpt = try #require(
            SearchExcerpt(of: text, SearchQuery(query).requiredPhrases, wordCount: wordCount))
        let bytes = Array(text.utf8)
        func cut(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        return (cut(excerpt.part), excerpt.ranges.map(cut))
    }

    @Test("All words of the query are marked as they are written in the text")
    func marks() throws {
        let found = try excerpt("Das Schloß über dem SCHLOSS, übermorgen", "schloss uber*")
        #expect(found.words == ["Schloß", "über", "SCHLOSS", "übermorgen"])
        #expect(found.part == "Das Schloß über dem SCHLOSS, übermorgen")
    }

    @Test("A phrase is marked as a whole, and overlapping matches are marked once")
    func phrases() throws {
        #expect(try excerpt("war, and peace; war", "\"war and peace\"").words == ["war, and peace"])
        #expect(try excerpt("a a a b", "\"a a\"").words == ["a a a"])
        #expect(try excerpt("東京都庁", "京都 都庁").words == ["京都庁"])
    }

    @Test("The excerpt is where most of the query's words are, and begins some words before them")
    func bestPart() throws {
        let filler = Array(repeating: "x", count: 30).joined(separator: " ")
        let found = try excerpt("war \(filler) y z war and peace \(filler)", "war peace")
        #expect(found.part == "y z war and peace x x x")
    }

    @Test("An excerpt is short even where words, or the text between them, are long")
    func longWords() throws {
        let long = String(repeating: "é", count: 100_000)
        for text in [
            "war \(long) \(long)", "\(long) war", String(repeating: " ", count: 100_000) + "war",
            "war" + String(repeating: ".", count: 100_000),
        ] {
            let found = try excerpt(text, "war")
            #expect(found.part.utf8.count <= 4_096 && found.part.contains("war"))
        }
        #expect(try excerpt(long, "é*").part.utf8.count == 4_096)
        let words = (0..<20_000).map { "w\($0)" }.joined(separator: " ")
        #expect(try excerpt(words, "w9999").part.hasSuffix("w9999"))
    }

    @Test("A text without the words has no excerpt")
    func nothing() {
        #expect(SearchExcerpt(of: "war", SearchQuery("peace").requiredPhrases, wordCount: 8) == nil)
        #expect(SearchExcerpt(of: "", SearchQuery("peace").requiredPhrases, wordCount: 8) == nil)
    }

    @Test("An excerpt and its marked words begin and end between characters", .timeLimit(.minutes(40)))
    func randomTexts() {
        var texts = RandomTexts(seed: 3)
        for _ in 0..<3_000 {
            let text = texts.text(ofWords: 40)
            let phrases = SearchQuery(texts.query()).requiredPhrases
            guard let excerpt = SearchExcerpt(of: text, phrases, wordCount: 5) else { continue }
            let utf8 = text.utf8
            var end = 0
            for range in excerpt.ranges + [excerpt.part] {
                let lower = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
                #expect(lower.samePosition(in: text.unicodeScalars) != nil && range.upperBound <= utf8.count)
                if range != excerpt.part { #expect(range.lowerBound >= end) }
                end = range.upperBound
            }
            #expect(excerpt.phraseCount > 0)
        }
    }
}
