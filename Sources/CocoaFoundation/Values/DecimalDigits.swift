/// A number with all decimal digits that sums of decimal numbers may have, rounded when it becomes a `Decimal`.
struct DecimalDigits {
    /// Nine decimal digits each, the lowest first; with carries and signs still in them. The first is worth 10^-128.
    private var parts = [Int128](repeating: 0, count: partCount)

    private static let leastExponent = -128
    /// 10^-128 to 10^127 times significands of 39 digits, and 19 digits for as many of them as can be counted, rounded up.
    private static let partCount = (256 + 39 + 19) / digitsOfPart + 2
    private static let digitsOfPart = 9
    private static let base: Int128 = 1_000_000_000
    /// Every significand has room for so many digits.
    private static let precision = 38

    /// Adds an integer, times 2^64 if `isShifted`, times a power of ten of a decimal number's range.
    mutating func add(_ integer: Int128, timesTwoToThe64 isShifted: Bool = false, exponent: Int) {
        var magnitude: [Int128] = []
        var rest = integer.magnitude
        while rest > 0 {
            let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: UInt128(Self.base))
            magnitude.append(Int128(remainder))
            rest = quotient
        }
        if isShifted { for _ in 0..<2 { Self.shift(&magnitude) } }
        let position = exponent - Self.leastExponent
        let (first, zeros) = position.quotientAndRemainder(dividingBy: Self.digitsOfPart)
        var factor: Int128 = integer < 0 ? -1 : 1
        for _ in 0..<zeros { factor *= 10 }
        for (index, part) in magnitude.enumerated() { parts[first + index] += part * factor }
    }

    /// Multiplies parts by 2^32.
    private static func shift(_ parts: inout [Int128]) {
        var carry: Int128 = 0
        for index in parts.indices {
            let product = parts[index] << 32 + carry
            parts[index] = product % base
            carry = product / base
        }
        while carry > 0 {
            parts.append(carry % base)
            carry /= base
        }
    }

    /// The number, rounded to 38 digits, of two equally near ones to the one farther from zero; not a number when it is out
    /// of range.
    var decimal: Decimal {
        var number = self
        number.carry()
        let isNegative = (number.parts.last ?? 0) < 0
        if isNegative {
            for index in parts.indices { number.parts[index].negate() }
            number.carry()
        }
        let texts = number.parts.reversed().map { part in
            let text = String(part)
            return String(repeating: "0", count: Self.digitsOfPart - text.count) + text
        }
        var digits = texts.joined(separator: "").drop { $0 == "0" }
        var exponent = Self.leastExponent
        while digits.last == "0" {
            digits.removeLast()
            exponent += 1
        }
        // The greatest exponent of a decimal number is 127; zeros go into the significand.
        while exponent > 127, digits.count < Self.precision {
            digits += "0"
            exponent -= 1
        }
        if digits.isEmpty { return 0 }
        // A significand has 128 bits: of 39 digits only the lesser ones.
        let more = digits.prefix(Self.precision + 1)
        let kept = UInt128(more) == nil ? digits.prefix(Self.precision) : more
        exponent += digits.count - kept.count
        guard exponent <= 127, var significand = Decimal(string: String(kept)) else { return .nan }
        if let next = digits.dropFirst(kept.count).first, next >= "5" { significand += 1 }
        return Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: significand)
    }

    /// Brings all parts but the highest, which has the sign, into 0 ..< 10^9.
    private mutating func carry() {
        for index in 0..<(parts.count - 1) {
            var (quotient, remainder) = parts[index].quotientAndRemainder(dividingBy: Self.base)
            if remainder < 0 {
                remainder += Self.base
                quotient -= 1
            }
            parts[index] = remainder
            parts[index + 1] += quotient
        }
    }
}
