import Foundation

/// A month of a year in the Gregorian calendar: what books are grouped by.
struct PublishMonth: Hashable, Comparable, Sendable {
    let year: Int
    let month: Int

    /// The calendar that dates are taken apart with, in the time zone of the system.
    static var calendar: Calendar { Calendar(identifier: .gregorian) }

    /// A month; nil for what no calendar shows. The year 1 is the first, 9999 the last.
    init?(year: Int, month: Int) {
        guard (1...9999).contains(year), (1...12).contains(month) else { return nil }
        self.year = year
        self.month = month
    }

    /// The month of a date.
    init?(_ date: Date) {
        let components = Self.calendar.dateComponents([.era, .year, .month], from: date)
        guard components.era == 1, let year = components.year, let month = components.month else {
            return nil
        }
        self.init(year: year, month: month)
    }

    /// The month that ``id`` names.
    init?(id: some StringProtocol) {
        guard let number = Int(id) else { return nil }
        self.init(year: number / 1000, month: number % 1000)
    }

    /// The month that ``text`` names.
    init?(text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].count == 4, parts[1].count == 2,
            parts.allSatisfy({ $0.utf8.allSatisfy(isDigit) }),
            let year = Int(parts[0]), let month = Int(parts[1])
        else { return nil }
        self.init(year: year, month: month)
    }

    /// The transient attribute's value: the year times 1000 plus the month.
    var id: String { "\(year * 1000 + month)" }

    /// The month as ISO 8601 writes it, for addresses: `"1925-04"`.
    var text: String {
        let digits = String(year)
        return String(repeating: "0", count: 4 - digits.count) + digits + (month < 10 ? "-0" : "-")
            + "\(month)"
    }

    /// The moment at which the month begins.
    var start: Date? {
        Self.calendar.date(from: DateComponents(era: 1, year: year, month: month, day: 1))
    }

    /// The moment at which the next month begins.
    var end: Date? {
        Self.calendar.date(
            from: DateComponents(era: 1, year: month == 12 ? year + 1 : year, month: month % 12 + 1, day: 1))
    }

    static func < (one: PublishMonth, other: PublishMonth) -> Bool {
        (one.year, one.month) < (other.year, other.month)
    }
}

func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
