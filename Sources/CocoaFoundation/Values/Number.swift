/// A number in the arithmetic of expressions.
///
/// Integers stay integers while they fit; a `Decimal` on either side makes the result one, unless the other number is
/// out of its range; all other results are `Double`. A result that is not a number, such as a division by zero, counts as a
/// missing value, like SQL's `NULL`; an infinite result is a value.
enum Number {
    case integer(Int64)
    case double(Double)
    case decimal(Decimal)

    /// The number of a value; dates count as their seconds since 2001.
    init?(_ value: Any?) {
        switch PredicateValue(value) {
        case .integer(let number): self = .integer(number)
        case .unsigned(let number): self = .decimal(Decimal(number))
        case .double(let number): self = .double(number)
        case .decimal(let number): self = .decimal(number)
        case .date(let date): self = .double(date.timeIntervalSinceReferenceDate)
        default: return nil
        }
    }

    /// The number as `Int`, `Double` or `Decimal`.
    var any: Any {
        switch self {
        case .integer(let number): Int(number)
        case .double(let number): number
        case .decimal(let number): number
        }
    }

    /// The number, or `nil` when it is not a number.
    var result: Any? {
        switch self {
        case .integer(let number): Int(number)
        case .double(let number): number.isNaN ? nil : number
        case .decimal(let number): number.isNaN ? nil : number
        }
    }

    /// The number as a `Double`, perhaps rounded.
    var double: Double {
        switch self {
        case .integer(let number): Double(number)
        case .double(let number): number
        case .decimal(let number): Double(number.description) ?? .nan
        }
    }

    /// The number as a `Decimal`; not a number when it is out of range.
    var decimal: Decimal {
        switch self {
        case .integer(let number): Decimal(number)
        case .double(let number): number.isFinite ? Decimal(string: number.description) ?? .nan : .nan
        case .decimal(let number): number
        }
    }

    /// The integer before the decimal point, or the nearest that there is.
    var truncated: Int64 {
        switch self {
        case .integer(let number):
            return number
        case .double(let number):
            if number.isNaN { return 0 }
            return Int64(exactly: number.rounded(.towardZero)) ?? (number < 0 ? .min : .max)
        case .decimal(let number):
            if number.isNaN { return 0 }
            // By its digits: a `Double` has too few for 64 bits.
            return Int64(rounded(.towardZero).description) ?? (number < 0 ? .min : .max)
        }
    }

    /// The number's digits. A zero has no sign: a column of SQLite keeps none.
    var description: String {
        switch self {
        case .integer(let number): number.description
        case .double(let number): number.isZero ? "0" : NSNumber(value: number).stringValue
        case .decimal(let number): number.description
        }
    }

    static func + (lhs: Number, rhs: Number) -> Number {
        lhs.combined(with: rhs, { $0.addingReportingOverflow($1) }, +, +)
    }

    static func - (lhs: Number, rhs: Number) -> Number {
        lhs.combined(with: rhs, { $0.subtractingReportingOverflow($1) }, -, -)
    }

    static func * (lhs: Number, rhs: Number) -> Number {
        lhs.combined(with: rhs, { $0.multipliedReportingOverflow(by: $1) }, *) { left, right in
            // Foundation stops the process at an exponent that is too small; of one too large it makes no number, either.
            left.exponent + right.exponent < -128 ? .nan : left * right
        }
    }

    /// The quotient; of two integers it is the whole one, as in Apple's framework and in SQL.
    static func / (lhs: Number, rhs: Number) -> Number {
        if rhs.double == 0 { return .double(.nan) }
        if case (.integer(let left), .integer(let right)) = (lhs, rhs) {
            let (quotient, isTooLarge) = left.dividedReportingOverflow(by: right)
            return isTooLarge ? .double(-Double(left)) : .integer(quotient)
        }
        if let (left, right) = decimals(lhs, rhs), !right.isZero { return .decimal(left / right) }
        return real(lhs.double / rhs.double, of: lhs, rhs)
    }

    /// The remainder, with the sign of the left side.
    static func % (lhs: Number, rhs: Number) -> Number {
        if case (.integer(let left), .integer(let right)) = (lhs, rhs) {
            if right == 0 { return .double(.nan) }
            return .integer(left.remainderReportingOverflow(dividingBy: right).partialValue)
        }
        return .double(lhs.double.truncatingRemainder(dividingBy: rhs.double))
    }

    /// The number without its sign.
    var magnitude: Number {
        switch self {
        case .integer(let number): number == .min ? .double(number.magnitude.asDouble) : .integer(abs(number))
        case .double(let number): .double(number.magnitude)
        case .decimal(let number): .decimal(number.magnitude)
        }
    }

    /// The number, rounded to a whole one.
    func rounded(_ rule: FloatingPointRoundingRule) -> Number {
        switch self {
        case .integer: return self
        case .double(let number): return .double(number.rounded(rule))
        case .decimal(var number):
            let mode: NSDecimalNumber.RoundingMode =
                switch rule {
                case .up: .up
                case .towardZero: number < 0 ? .up : .down
                default: .down
                }
            var result = Decimal()
            NSDecimalRound(&result, &number, 0, mode)
            return .decimal(result)
        }
    }

    private var isDecimal: Bool {
        if case .decimal = self { true } else { false }
    }

    private func combined(
        with other: Number, _ integers: (Int64, Int64) -> (partialValue: Int64, overflow: Bool),
        _ doubles: (Double, Double) -> Double, _ decimals: (Decimal, Decimal) -> Decimal
    ) -> Number {
        if case (.integer(let left), .integer(let right)) = (self, other) {
            let (result, overflow) = integers(left, right)
            return overflow ? .double(doubles(Double(left), Double(right))) : .integer(result)
        }
        if let (left, right) = Number.decimals(self, other) { return .decimal(decimals(left, right)) }
        return Number.real(doubles(double, other.double), of: self, other)
    }

    /// A result that was computed as a real number since one of two numbers cannot be a decimal one. It is decimal again where the
    /// other is and the result can be: a column of decimals reads it so.
    private static func real(_ result: Double, of lhs: Number, _ rhs: Number) -> Number {
        guard lhs.isDecimal || rhs.isDecimal, let decimal = StoredValue.decimal(of: result) else {
            return .double(result)
        }
        return .decimal(decimal)
    }

    /// Two numbers as decimal ones, when one of them is and the other can be.
    private static func decimals(_ lhs: Number, _ rhs: Number) -> (Decimal, Decimal)? {
        guard lhs.isDecimal || rhs.isDecimal else { return nil }
        let (left, right) = (lhs.decimalOrZero, rhs.decimalOrZero)
        return left.isNaN || right.isNaN ? nil : (left, right)
    }

    /// The number as a `Decimal`; a real number that is too small to be one counts as zero, or the result would be decimal only
    /// by chance of its size. Not a number when it is too large.
    private var decimalOrZero: Decimal {
        if case .double(let number) = self, number.magnitude < 1e-127 { return 0 }
        return decimal
    }
}

extension UInt64 {
    fileprivate var asDouble: Double { Double(self) }
}
