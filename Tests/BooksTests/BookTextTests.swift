import CoreData
import Testing

@testable import BooksApp

@Suite struct BookTextTests {
    @Test(
        "A price is read as an exact decimal",
        arguments: [
            ("12.99", "12.99"), ("0", "0"), ("7", "7"), ("12.5", "12.5"), (" 3.10 ", "3.1"),
            ("-4.20", "-4.2"),
            ("000012", "12"), ("123456789012.123", "123456789012.123"),
        ])
    func pricesAreReadExactly(text: String, value: String) throws {
        #expect(try BookText.price(text)?.stringValue == value)
    }

    @Test("An empty price is nil")
    func anEmptyPriceIsNone() throws {
        #expect(try BookText.price("") == nil)
        #expect(try BookText.price("  ") == nil)
    }

    @Test(
        "A malformed price is refused",
        arguments: [
            "x", "1,50", "1.", ".5", "1.2.3", "1e3", "--1", "+1", "٣", "NaN", "1234567890123456", "0x10",
        ])
    func otherPricesAreRefused(text: String) {
        #expect(throws: TextProblem.self) { try BookText.price(text) }
    }

    @Test(
        "An address other than a web address is refused",
        arguments: [
            "javascript:alert(1)", "data:text/html,x", "ftp://example.org", "//example.org", "book",
            "https://",
        ])
    func otherAddressesAreRefused(text: String) {
        #expect(throws: TextProblem.self) { try BookText.url(text) }
    }

    @Test("A web address is accepted, and an empty one is nil")
    func webAddressesAreAccepted() throws {
        #expect(try BookText.url("https://example.org/a?b=c")?.absoluteString == "https://example.org/a?b=c")
        #expect(try BookText.url("HTTP://example.org")?.host == "example.org")
        #expect(try BookText.url("") == nil)
    }

    @Test("A name is trimmed, normalized and limited to 500 characters")
    func namesAreTrimmedAndLimited() throws {
        #expect(try BookText.name("  Franz Kafka\n") == "Franz Kafka")
        #expect(try BookText.name("   ") == nil)
        #expect(try BookText.name("U\u{308}ber")?.utf8.count == "Über".utf8.count)
        #expect(throws: TextProblem.self) { try BookText.name(String(repeating: "x", count: 501)) }
        #expect(throws: TextProblem.self) { try BookText.name("a\tb") }
        #expect(try BookText.name(String(repeating: "書", count: 500))?.count == 500)
    }

    @Test(
        "A date may be a day, a month or a year",
        arguments: [
            ("1925-04-10", "1925-04-10"), ("1925-04", "1925-04-01"), ("1925", "1925-01-01"),
            ("2024-02-29", "2024-02-29"), ("0001-01-01", "0001-01-01"), ("9999-12-31", "9999-12-31"),
        ])
    func datesAreRead(text: String, day: String) throws {
        let dates = DateText()
        let date = try #require(try dates.date(text))
        #expect(dates.text(date) == day)
    }

    @Test(
        "A malformed or impossible date is refused",
        arguments: [
            "1925-13", "1925-00", "1925-02-30", "2023-02-29", "25-01-01", "1925-4-10", "0000", "x",
            "1925-04-10T00:00", "١٩٢٥", "-100", "1925-04-10-1",
        ])
    func otherDatesAreRefused(text: String) {
        #expect(throws: TextProblem.self) { try DateText().date(text) }
    }

    /// A day stays the day that was meant, in whatever time zone it is read.
    @Test(
        "A day is the same in all these time zones but Auckland",
        arguments: [
            "Pacific/Honolulu", "America/New_York", "Europe/Berlin", "Asia/Tokyo", "Pacific/Auckland",
        ])
    func aDayOfAFileIsThatDayEverywhere(name: String) throws {
        let timeZone = try #require(TimeZone(identifier: name))
        let date = try #require(try DateText().date("2000-07-01"))
        #expect(
            DateText(timeZone: timeZone).text(date)
                == (name == "Pacific/Auckland" ? "2000-07-02" : "2000-07-01"))
    }
}
