import Foundation
import HTTPTypes
import Testing

@testable import BooksApp

@Suite struct FormattingTests {
    private func visitor(_ languages: String, timeZone: String? = nil) -> Visitor {
        var headers: HTTPFields = [.acceptLanguage: languages]
        if let timeZone { headers[.cookie] = "a=b; tz=\(timeZone)" }
        return Visitor(headers)
    }

    @Test(
        "The language of a visitor is the best accepted one",
        arguments: [
            ("de-DE,de;q=0.9,en;q=0.8", "de"), ("xx,fr;q=0.5,de;q=0.7", "de"), ("*", "en"), ("", "en"),
            ("ar", "ar"), ("zh-Hant-TW", "zh"), ("de;q=0", "en"), ("<script>,sv", "sv"),
            ("en-US-u-ca-buddhist", "en"),
        ])
    func theWantedLanguageIsFound(header: String, language: String) {
        #expect(visitor(header).locale.language.languageCode?.identifier == language)
    }

    @Test("Months are written in the language of the visitor")
    func monthsAreWrittenInTheVisitorsLanguage() throws {
        let month = try #require(PublishMonth(year: 1925, month: 3))
        #expect(visitor("en-GB").month(month) == "March 1925")
        #expect(visitor("de").month(month) == "März 1925")
        #expect(visitor("fr").month(month) == "mars 1925")
        #expect(visitor("ar").direction == "rtl" && visitor("de").direction == "ltr")
    }

    /// Where another calendar is usual, the months that books are grouped by are still Gregorian.
    @Test("Months are Gregorian in every language", arguments: ["th", "fa", "en-US-u-ca-hebrew"])
    func monthsAreGregorian(language: String) throws {
        let month = try #require(PublishMonth(year: 1925, month: 3))
        let digits = visitor(language).month(month).unicodeScalars.compactMap { $0.properties.numericValue }
        #expect(digits.reduce(0) { $0 * 10 + $1 } == 1925)
    }

    @Test("Prices are written in the format of the language")
    func pricesAreWrittenAsTheLanguageWantsThem() throws {
        let price = try #require(Decimal(string: "1234.5"))
        #expect(visitor("en").price(price) == "1,234.50")
        #expect(visitor("de").price(price) == "1.234,50")
        #expect(visitor("de").price(try #require(Decimal(string: "0.125"))) == "0,125")
    }

    @Test("A date is written in the time zone of the cookie")
    func aMomentIsWrittenInTheTimeZoneOfTheCookie() {
        let moment = Date(timeIntervalSince1970: 1_000_000_000)
        #expect(visitor("de", timeZone: "Asia%2FTokyo").moment(moment).hasSuffix("10:46:40"))
        #expect(visitor("de", timeZone: "Nowhere").moment(moment).hasSuffix("1:46:40"))
        #expect(visitor("de").moment(moment).hasSuffix("1:46:40"))
        #expect(visitor("de").day(moment).hasPrefix("9. Sep"))
        #expect(visitor("de", timeZone: "America%2FNew_York").day(moment).hasPrefix("8. Sep"))
        #expect(visitor("de", timeZone: "America%2FNew_York").timeZoneName == "America/New_York")
    }

    @Test("Markup is escaped byte by byte")
    func escapingLooksAtBytes() {
        let markup = EscapedMarkup()
        #expect(markup.escapeText("<a href=\"x\">&'") == "&lt;a href=&quot;x&quot;&gt;&amp;&#39;")
        // A quotation mark with an accent is one character, and no quotation mark, to Swift.
        #expect(!markup.escapeText("\"\u{301} onfocus=alert(1)").contains("\u{22}"))
        #expect(markup.escapeText("\"\u{301}").utf8.starts(with: "&quot;".utf8))
        #expect(markup.escapeText("Über") == "Über")
    }

    @Test(
        "Form fields are decoded",
        arguments: [
            ("a=b&c=d", "b"), ("a=%C3%BC", "ü"), ("a=x+y", "x y"), ("a=%2B", "+"), ("a", ""),
            ("a=1=2", "1=2"),
            ("a=1&a=2", "1"), ("", nil),
        ])
    func fieldsAreDecoded(text: String, value: String?) throws {
        #expect(try Fields(decoding: text.utf8)["a"] == value)
    }

    @Test(
        "Malformed form fields are refused",
        arguments: ["a=%C3", "a=%zz", "a=%4", "a=%", "a=%00", "%FF=1", "a=%ED%A0%80"])
    func wrongFieldsAreRefused(text: String) {
        #expect(throws: Fields.Malformed.self) { try Fields(decoding: text.utf8) }
    }

    @Test("Too many form fields are refused")
    func manyFieldsAreRefused() {
        let text = (0..<100).map { "a\($0)=1" }.joined(separator: "&")
        #expect(throws: Fields.Malformed.self) { try Fields(decoding: text.utf8) }
    }
}
