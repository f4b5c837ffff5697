/// A sum of numbers of which one is decimal, rounded once, at its end, to the 38 digits that every decimal number has: the same
/// for the numbers in any order.
///
/// It takes the same room for any count of numbers: one sum for each power of ten that they have.
package struct DecimalSum {
    /// The sum of the significands of numbers of one exponent: each has 128 bits, of which the lower and the upper half are
    /// added up by themselves.
    private struct Digits {
        var low: Int128 = 0
        var high: Int128 = 0
    }

    private var sums: [Int: Digits] = [:]
    /// The sum as real numbers, of numbers of which one is out of the range of decimal ones.
    private var reals = ExactSum()
    private var isDecimal = true

    package init() {}

    /// Adds a number.
    ///
    /// - Returns: false for a value that is not a number, which is left out.
    @discardableResult
    package mutating func add(_ value: Any) -> Bool {
        guard let number = Number(value) else { return false }
        add(number)
        return true
    }

    mutating func add(_ number: Number) {
        if case .integer(let integer) = number { reals.add(integer) } else { reals.add(number.double) }
        guard isDecimal else { return }
        let decimal = number.decimal
        guard !decimal.isNaN, let significand = UInt128(decimal.significand.description) else {
            isDecimal = false
            return
        }
        if significand == 0 { return }
        let sign: Int128 = decimal.sign == .minus ? -1 : 1
        var digits = sums[decimal.exponent] ?? Digits()
        digits.low += sign * Int128(significand & UInt128(UInt64.max))
        digits.high += sign * Int128(significand >> 64)
        sums[decimal.exponent] = digits
    }

    /// How many numbers were added.
    package var count: Int { reals.count }

    /// The sum as a value of a store: a `Decimal` where there is one, else a `Double`; nil where it is not a number.
    package var value: Any? { StoredValue.kept(number.result) }

    /// The arithmetic mean as a value of a store; nil of no numbers, and where it is not a number.
    package var meanValue: Any? { StoredValue.kept(mean?.result) }

    /// The sum.
    var number: Number { isDecimal ? .decimal(total) : .double(reals.double) }

    /// The arithmetic mean; nil of no numbers.
    var mean: Number? {
        if count == 0 { return nil }
        return isDecimal ? .decimal(total / Decimal(count)) : reals.mean.map(Number.double)
    }

    private var total: Decimal {
        var sum = DecimalDigits()
        for (exponent, digits) in sums {
            sum.add(digits.low, exponent: exponent)
            sum.add(digits.high, timesTwoToThe64: true, exponent: exponent)
        }
        return sum.decimal
    }
}
