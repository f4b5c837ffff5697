/// A sum of integers and real numbers that is rounded once, at its end: the same for the numbers in any order.
///
/// Integers are added up as such. Real numbers are added into one fixed-point number that is wide enough for every `Double`,
/// as Kulisch's accumulator does, so that no partial sum is rounded or too large.
package struct ExactSum {
    /// How many numbers were added.
    package private(set) var count = 0
    /// Whether all of them were integers.
    package private(set) var isWhole = true
    private var whole: Int128 = 0
    /// The fixed-point number in digits of 32 bits, the lowest first, each with room for carries; empty while all real
    /// numbers were zero. The lowest bit is worth 2^-1074.
    private var digits: [Int64] = []
    private var pendingCarries = 0
    /// The sum of what is not finite: an infinity, or not a number.
    private var unbounded = 0.0

    /// The lowest bit of the accumulator has this exponent, that of the least `Double`.
    private static let leastExponent = -1074
    /// 2098 bits for the digits of all doubles and 64 for as many of them as can be counted, rounded up.
    private static let digitCount = 70
    private static let mask: Int64 = 0xFFFF_FFFF

    package init() {}

    package mutating func add(_ number: Int64) { add(Int128(number), count: 1) }

    /// Adds the sum of some integers.
    package mutating func add(_ sum: Int128, count: Int) {
        self.count += count
        whole += sum
    }

    package mutating func add(_ number: Double) {
        count += 1
        isWhole = false
        guard number.isFinite else {
            unbounded += number
            return
        }
        if number.isZero { return }
        let field = Int(number.exponentBitPattern)
        // Numbers below the normal ones have no leading bit, and the exponent of the least normal one.
        let significand = number.significandBitPattern | (field == 0 ? 0 : 1 << 52)
        add(significand, at: max(field, 1) - 1, isNegative: number.sign == .minus)
    }

    /// Adds a magnitude that is shifted by a number of bits.
    private mutating func add(_ magnitude: UInt64, at position: Int, isNegative: Bool) {
        if digits.isEmpty { digits = Array(repeating: 0, count: Self.digitCount) }
        let (index, shift) = (position / 32, UInt64(position % 32))
        // Each below 2^63: the shift is below 32.
        let low = Int64((magnitude & 0xFFFF_FFFF) << shift)
        let high = Int64((magnitude >> 32) << shift)
        let sign: Int64 = isNegative ? -1 : 1
        digits[index] += sign * (low & Self.mask)
        digits[index + 1] += sign * ((low >> 32) + (high & Self.mask))
        digits[index + 2] += sign * (high >> 32)
        pendingCarries += 1
        // A digit grows by less than 2^33 each time.
        if pendingCarries == 1 << 28 { carry() }
    }

    /// Brings all digits but the highest, which has the sign, into 0 ..< 2^32.
    private mutating func carry() {
        pendingCarries = 0
        for index in 0..<(digits.count - 1) {
            digits[index + 1] += digits[index] >> 32
            digits[index] &= Self.mask
        }
    }

    // MARK: Results

    /// The sum of integers; nil when it does not fit 64 bits, or one of the numbers was real.
    package var integer: Int64? { isWhole ? Int64(exactly: whole) : nil }

    /// The sum, rounded to the nearest number, of two equally near ones to the even one. Not a number where infinities of
    /// both signs were added.
    package var double: Double {
        if !unbounded.isZero { return unbounded }
        if let integer = Int64(exactly: whole), digits.isEmpty { return Double(integer) }
        return sum(timesTwoToThe: 0)
    }

    private func sum(timesTwoToThe exponent: Int) -> Double {
        var sum = self
        var magnitude = whole.magnitude
        var position = -Self.leastExponent
        while magnitude > 0 {
            sum.add(UInt64(truncatingIfNeeded: magnitude & 0xFFFF_FFFF), at: position, isNegative: whole < 0)
            magnitude >>= 32
            position += 32
        }
        sum.carry()
        return sum.rounded(timesTwoToThe: exponent)
    }

    /// The arithmetic mean; nil of no numbers.
    package var mean: Double? {
        if count == 0 { return nil }
        let sum = double
        guard sum.isInfinite, unbounded.isZero else { return sum / Double(count) }
        // The sum is too large for a number, while its mean is not: no mean is farther from zero than the numbers.
        let mean = self.sum(timesTwoToThe: -64) / Double(count) * 0x1p64
        return min(max(mean, -.greatestFiniteMagnitude), .greatestFiniteMagnitude)
    }

    /// The value of the digits, whose carries are done, times a power of two that leaves it a normal number.
    private func rounded(timesTwoToThe exponent: Int) -> Double {
        var sum = self
        let isNegative = (digits.last ?? 0) < 0
        if isNegative {
            for index in digits.indices { sum.digits[index].negate() }
            sum.carry()
        }
        guard let top = sum.digits.lastIndex(where: { $0 != 0 }) else { return 0 }
        let highest = top * 32 + (63 - sum.digits[top].leadingZeroBitCount)
        let lowest = max(0, highest - 52)
        var significand: UInt64 = 0
        for bit in (lowest...highest).reversed() { significand = significand << 1 | sum.bit(bit) }
        if lowest > 0, sum.bit(lowest - 1) == 1,
            significand & 1 == 1 || sum.hasBits(below: lowest - 1)
        {
            significand += 1
        }
        return Double(
            sign: isNegative ? .minus : .plus, exponent: lowest + Self.leastExponent + exponent,
            significand: Double(significand))
    }

    private func bit(_ position: Int) -> UInt64 {
        UInt64(digits[position / 32] >> Int64(position % 32) & 1)
    }

    private func hasBits(below position: Int) -> Bool {
        digits[0..<(position / 32)].contains { $0 != 0 }
            || digits[position / 32] & (1 << Int64(position % 32) - 1) != 0
    }
}
