import Foundation

/// Reads dates from text: `1925`, `1925-04`, `1925-04-10`.
///
/// The text is a day in a calendar, not a moment, so the calendar and the time zone must be those in which it was
/// written. The moment is the noon of that day: seen from another time zone it is, nearly always, still that day.
struct DateText {
    let calendar: Calendar

    /// A reader of dates written in a time zone. Files are read in UTC, forms in the visitor's.
    init(timeZone: TimeZone = .gmt) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        self.calendar = calendar
    }

    /// The noon of the day; nil for empty text. A year alone is its first day, a month likewise.
    func date(_ text: String) throws(TextProblem) -> Date? {
        let text = text.trimmingCharacters(in: .whitespaces)
        guard !text.isEmpty else { return nil }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.utf8.allSatisfy(isDigit) ? Int($0) : nil }
        guard (1...3).contains(parts.count), numbers.count == parts.count, parts[0].count == 4,
            parts.dropFirst().allSatisfy({ $0.count == 2 })
        else { throw TextProblem("Write the date as YYYY-MM-DD, YYYY-MM or YYYY.") }
        let year = numbers[0]
        let month = numbers.count > 1 ? numbers[1] : 1
        let day = numbers.count > 2 ? numbers[2] : 1
        let components = DateComponents(era: 1, year: year, month: month, day: day, hour: 12)
        guard year >= 1, (1...12).contains(month), (1...31).contains(day),
            let date = calendar.date(from: components), calendar.component(.day, from: date) == day
        else { throw TextProblem("There is no such day in the calendar.") }
        return date
    }

    /// The day of a moment as YYYY-MM-DD.
    func text(_ date: Date) -> String {
        let components = calendar.dateComponents([.year, .month, .day], from: date)
        func digits(_ number: Int?, _ width: Int) -> String {
            let digits = String(number ?? 0)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return "\(digits(components.year, 4))-\(digits(components.month, 2))-\(digits(components.day, 2))"
    }
}
