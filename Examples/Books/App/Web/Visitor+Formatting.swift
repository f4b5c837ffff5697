import Foundation

extension Visitor {
    /// The tag of the language, for `lang` attributes.
    var languageTag: String { locale.identifier(.bcp47) }

    /// In which direction the language is written, for `dir` attributes.
    var direction: String { locale.language.characterDirection == .rightToLeft ? "rtl" : "ltr" }

    /// A month, in the calendar that books are grouped by.
    func month(_ month: PublishMonth) -> String {
        guard let date = month.start else { return month.text }
        var style = Date.FormatStyle(locale: gregorian, calendar: PublishMonth.calendar, timeZone: .current)
            .month(.wide).year()
        style.timeZone = PublishMonth.calendar.timeZone
        return date.formatted(style)
    }

    /// The day of a moment. Its calendar is that of the month it stands under.
    func day(_ date: Date) -> String {
        date.formatted(
            Date.FormatStyle(locale: gregorian, calendar: dates.calendar, timeZone: timeZone)
                .day().month(.abbreviated).year())
    }

    /// A moment, with its time, in the visitor's own calendar.
    func moment(_ date: Date) -> String {
        date.formatted(
            Date.FormatStyle(
                date: .abbreviated, time: .standard, locale: locale, calendar: locale.calendar,
                timeZone: timeZone))
    }

    /// A price with two digits after the point, or more if it has them.
    func price(_ price: Decimal) -> String {
        price.formatted(.number.precision(.fractionLength(2...)).locale(locale))
    }

    func number(_ number: Int) -> String { number.formatted(.number.locale(locale)) }

    /// How well a book meets a search.
    func rank(_ rank: Double) -> String {
        rank.formatted(.number.precision(.fractionLength(2)).locale(locale))
    }

    /// A short time in milliseconds.
    func milliseconds(_ duration: Duration) -> String {
        let milliseconds = duration / .milliseconds(1)
        let digits = milliseconds < 10 ? 2 : milliseconds < 100 ? 1 : 0
        return milliseconds.formatted(.number.precision(.fractionLength(digits)).locale(locale)) + " ms"
    }

    private var gregorian: Locale {
        var components = Locale.Components(locale: locale)
        components.calendar = .gregorian
        return Locale(components: components)
    }
}
