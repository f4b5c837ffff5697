import Foundation

/// Moments as text: `2023-01-01T00:00:00.25Z`, with as many digits after the point as needed, so that the text
/// gives the same bits back.
package enum MomentText {
    /// Seconds from 1970 to 2001.
    private static let reference: Int64 = 978_307_200

    /// The text of a moment; nil for one outside of the years 1 to 9999, or too close to 2001 for digits.
    package static func text(_ seconds: Double) -> String? {
        guard seconds.isFinite, abs(seconds) < 4e11 else { return nil }
        // The fewest digits that stand for this number and no other.
        let digits = "\(seconds.magnitude)"
        guard !digits.contains("e"), let point = digits.firstIndex(of: "."),
            var whole = Int64(digits[..<point])
        else { return nil }
        var fraction = String(digits[digits.index(after: point)...])
        if fraction == "0" { fraction = "" }
        if seconds.sign == .minus {
            // Minus zero has no date of its own.
            guard whole > 0 || !fraction.isEmpty else { return nil }
            whole = -whole
            if !fraction.isEmpty {
                whole -= 1
                fraction = complement(fraction)
            }
        }
        let (days, second) = (whole + reference).quotientAndRemainder(floorDividingBy: 86400)
        let (year, month, day) = civil(days)
        guard year >= 1, year <= 9999 else { return nil }
        let time = [second / 3600, second / 60 % 60, second % 60].map { padded($0, 2) }.joined(separator: ":")
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T\(time)"
            + (fraction.isEmpty ? "" : ".\(fraction)") + "Z"
    }

    /// The seconds since 2001 that a string of this form stands for; nil for any other string.
    package static func seconds(_ text: String) -> Double? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z"),
            zip([4, 7, 10, 13, 16], "--T::".utf8).allSatisfy({ bytes[$0] == $1 }),
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]),
            let day = number(bytes[8..<10]), let hour = number(bytes[11..<13]),
            let minute = number(bytes[14..<16]), let second = number(bytes[17..<19])
        else { return nil }
        var fraction = ""
        if bytes.count > 20 {
            let digits = bytes[20..<(bytes.count - 1)]
            guard bytes[19] == UInt8(ascii: "."), !digits.isEmpty, digits.count <= 30,
                digits.allSatisfy(isDigit)
            else { return nil }
            fraction = String(decoding: digits, as: UTF8.self)
        }
        let days = days(year, month, day)
        guard year >= 1, civil(days) == (year, month, day), hour < 24, minute < 60, second < 60 else {
            return nil
        }
        var whole = days * 86400 + hour * 3600 + minute * 60 + second - reference
        let isNegative = whole < 0
        if isNegative, fraction.contains(where: { $0 != "0" }) {
            whole += 1
            fraction = complement(fraction)
        }
        return Double("\(isNegative ? "-" : "")\(whole.magnitude)" + (fraction.isEmpty ? "" : ".\(fraction)"))
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        digits.allSatisfy(isDigit) ? digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) } : nil
    }

    /// The digits of one minus a fraction that is not zero.
    private static func complement(_ fraction: String) -> String {
        var result: [Character] = []
        var isLast = true
        for digit in fraction.reversed() {
            let value = digit.wholeNumberValue ?? 0
            if isLast {
                result.append(value == 0 ? "0" : Character("\(10 - value)"))
                isLast = value == 0
            } else {
                result.append(Character("\(9 - value)"))
            }
        }
        return String(result.reversed())
    }

    private static func padded(_ number: Int64, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }

    /// The date of a day counted from 1970, in the Gregorian calendar, which is extended to before its time.
    private static func civil(_ days: Int64) -> (Int64, Int64, Int64) {
        // Years begin with March here, so that the leap day is the last one.
        let (era, day) = (days + 719_468).quotientAndRemainder(floorDividingBy: 146_097)
        let year = (day - day / 1460 + day / 36524 - day / 146_096) / 365
        let dayOfYear = day - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let civilMonth = month < 10 ? month + 3 : month - 9
        return (
            year + era * 400 + (civilMonth <= 2 ? 1 : 0), civilMonth, dayOfYear - (153 * month + 2) / 5 + 1
        )
    }

    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = shifted.quotientAndRemainder(floorDividingBy: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

extension Int64 {
    /// Quotient and remainder; the remainder is never negative.
    fileprivate func quotientAndRemainder(floorDividingBy divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
