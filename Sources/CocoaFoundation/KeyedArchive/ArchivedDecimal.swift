import Foundation

/// A decimal number as keyed archives hold it: a sign, a power of ten and eight 16-bit digits.
struct ArchivedDecimal {
    let number: NSDecimalNumber

    /// How the bytes of a 16-bit digit are ordered, as Core Foundation numbers it.
    private enum ByteOrder: Int {
        case unknown = 0
        case littleEndian = 1
        case bigEndian = 2
    }

    private static let digitCount = 8

    /// Reads the fields of the decoder's object.
    ///
    /// - Throws: ``MalformedPropertyList``.
    init(_ decoder: KeyedArchiveDecoder) throws {
        let exponent = decoder.decodeInteger(forKey: "NS.exponent")
        let length = decoder.decodeInteger(forKey: "NS.length")
        let isNegative = decoder.decodeBool(forKey: "NS.negative")
        let order = ByteOrder(rawValue: decoder.decodeInteger(forKey: "NS.mantissa.bo"))
        guard case .data(let mantissa)? = decoder.node(forKey: "NS.mantissa"),
            mantissa.count == Self.digitCount * 2, (0...Self.digitCount).contains(length),
            (-128...127).contains(exponent), let order
        else {
            throw MalformedPropertyList("a decimal number of the keyed archive is not complete")
        }
        // No digits and a minus sign is how the type spells "not a number".
        if length == 0 {
            number = isNegative ? .notANumber : Self.zero(exponent: exponent)
            return
        }
        let bytes = [UInt8](mantissa)
        var significand = Decimal(0)
        for digit in (0..<length).reversed() {
            let (first, second) = (Int(bytes[digit * 2]), Int(bytes[digit * 2 + 1]))
            let value = order == .bigEndian ? first << 8 | second : second << 8 | first
            significand = significand * 65_536 + Decimal(value)
        }
        let sign: FloatingPointSign = isNegative ? .minus : .plus
        number = NSDecimalNumber(decimal: Decimal(sign: sign, exponent: exponent, significand: significand))
    }

    /// Zero with as many digits after the point as it was written with.
    private static func zero(exponent: Int) -> NSDecimalNumber {
        guard exponent < 0 else { return .zero }
        let text = "0." + String(repeating: "0", count: -exponent)
        return Decimal(string: text, locale: nil).map(NSDecimalNumber.init) ?? .zero
    }

    /// Writes a number into the fields of an object.
    static func write(_ number: NSDecimalNumber, to encoder: KeyedArchiveEncoder) {
        let decimal = number.decimalValue
        var digits: [UInt16] = []
        var rest = decimal.isNaN ? 0 : decimal.significand
        while rest > 0, digits.count < digitCount {
            let quotient = (rest / 65_536).rounded(.down)
            digits.append(NSDecimalNumber(decimal: rest - quotient * 65_536).uint16Value)
            rest = quotient
        }
        var mantissa = Data()
        for index in 0..<digitCount {
            let digit = index < digits.count ? digits[index] : 0
            mantissa.append(contentsOf: [UInt8(digit & 0xFF), UInt8(digit >> 8)])
        }
        encoder.encode(decimal.isNaN ? 0 : decimal.exponent, forKey: "NS.exponent")
        encoder.encode(digits.count, forKey: "NS.length")
        encoder.encode(decimal.isNaN || decimal.sign == .minus, forKey: "NS.negative")
        encoder.encode(true, forKey: "NS.compact")
        encoder.encode(ByteOrder.littleEndian.rawValue, forKey: "NS.mantissa.bo")
        encoder.set(.data(mantissa), forKey: "NS.mantissa")
    }
}

extension Decimal {
    /// This number without its fraction or up to the next whole one.
    fileprivate func rounded(_ mode: NSDecimalNumber.RoundingMode) -> Decimal {
        var (result, source) = (Decimal(), self)
        NSDecimalRound(&result, &source, 0, mode)
        return result
    }
}
