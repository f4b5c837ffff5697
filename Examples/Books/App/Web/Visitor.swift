import Foundation
import HTTPTypes

/// The language, calendar and time zone of a user.
struct Visitor: Sendable {
    var locale = Locale(identifier: "en_US")
    var timeZone = TimeZone.gmt
    /// The name of the time zone that the visitor's browser sent; empty until it has.
    var timeZoneName = ""

    init() {}

    /// A visitor as a request describes it: the language by the header `Accept-Language`, the time zone by
    /// a cookie that the page's script sets. Until it has, it is UTC.
    init(_ headers: HTTPFields) {
        if let languages = headers[.acceptLanguage], let locale = Self.locale(languages) {
            self.locale = locale
        }
        for cookies in headers[values: .cookie] {
            for cookie in cookies.split(separator: ";").prefix(50) {
                let cookie = cookie.trimmingCharacters(in: .whitespaces)
                guard cookie.hasPrefix("tz="), let name = cookie.dropFirst(3).removingPercentEncoding,
                    name.count <= 64, let timeZone = TimeZone(identifier: name)
                else { continue }
                self.timeZone = timeZone
                timeZoneName = name
                return
            }
        }
    }

    /// The reader of dates that the visitor types.
    var dates: DateText { DateText(timeZone: timeZone) }

    // MARK: Languages

    private static let languages = Set(
        Locale.availableIdentifiers.compactMap { Locale(identifier: $0).language.languageCode?.identifier })

    /// The locale of the language that is wanted most and known.
    private static func locale(_ header: String) -> Locale? {
        var wanted: [(tag: Substring, weight: Double)] = []
        for item in header.prefix(500).split(separator: ",").prefix(20) {
            let parts = item.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
            guard let tag = parts.first, tag.utf8.count <= 35,
                tag.utf8.allSatisfy({ isDigit($0) || isLetter($0) || $0 == UInt8(ascii: "-") })
            else { continue }
            let weight =
                parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            guard weight > 0 else { continue }
            wanted.append((tag[...], weight))
        }
        // Of equal wishes the first counts: the sort of the standard library keeps their order.
        for (tag, _) in wanted.sorted(by: { $0.weight > $1.weight }) {
            let locale = Locale(identifier: String(tag.prefix { $0 != "_" }))
            if let code = locale.language.languageCode?.identifier, languages.contains(code) { return locale }
        }
        return nil
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
