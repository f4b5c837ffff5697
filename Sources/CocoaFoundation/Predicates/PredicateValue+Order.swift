extension PredicateValue {
    /// Which of two values comes first; `nil` when they have no common order.
    ///
    /// Data and UUIDs are in the order of their bytes, URLs of their text, as in a SQL store.
    func order(_ other: PredicateValue) -> ComparisonResult? {
        switch (self, other) {
        case (.absent, .absent):
            return .orderedSame
        case (.text(let lhs), .text(let rhs)):
            return TextComparison(options: []).order(lhs, rhs)
        case (.date(let lhs), .date(let rhs)):
            return PredicateValue.order(lhs, rhs)
        case (.date(let date), _) where other.isNumber:
            return PredicateValue.double(date.timeIntervalSinceReferenceDate).numericOrder(other)
        case (_, .date(let date)) where isNumber:
            return numericOrder(.double(date.timeIntervalSinceReferenceDate))
        case (.data(let lhs), .data(let rhs)):
            return PredicateValue.order(bytes: lhs, rhs)
        case (.uuid(let lhs), .uuid(let rhs)):
            return withUnsafeBytes(of: lhs.uuid) { lhs in
                withUnsafeBytes(of: rhs.uuid) { PredicateValue.order(bytes: lhs, $0) }
            }
        case (.url(let lhs), .url(let rhs)):
            return TextComparison(options: []).order(lhs.absoluteString, rhs.absoluteString)
        case (.other(let lhs), .other(let rhs)):
            guard let lhs = lhs as? any Comparable else { return nil }
            return PredicateValue.order(lhs, with: rhs)
        default:
            return numericOrder(other)
        }
    }

    /// Whether the value is a number.
    var isNumber: Bool {
        switch self {
        case .integer, .unsigned, .double, .decimal: true
        default: false
        }
    }

    private static func order<Value: Comparable>(_ lhs: Value, _ rhs: Value) -> ComparisonResult? {
        if lhs == rhs { return .orderedSame }
        if lhs < rhs { return .orderedAscending }
        return lhs > rhs ? .orderedDescending : nil
    }

    private static func order<Value: Comparable>(_ lhs: Value, with rhs: Any) -> ComparisonResult? {
        (rhs as? Value).flatMap { order(lhs, $0) }
    }

    private static func order<Bytes: Collection<UInt8>>(bytes lhs: Bytes, _ rhs: Bytes) -> ComparisonResult {
        if lhs.lexicographicallyPrecedes(rhs) { return .orderedAscending }
        return lhs.elementsEqual(rhs) ? .orderedSame : .orderedDescending
    }

    /// The order of two numbers; `nil` when one of them is missing or `nan`.
    private func numericOrder(_ other: PredicateValue) -> ComparisonResult? {
        switch (self, other) {
        case (.integer(let lhs), .integer(let rhs)):
            return PredicateValue.order(lhs, rhs)
        case (.unsigned(let lhs), .unsigned(let rhs)):
            return PredicateValue.order(lhs, rhs)
        case (.double(let lhs), .double(let rhs)):
            return PredicateValue.order(lhs, rhs)
        case (.integer, .unsigned):
            return .orderedAscending
        case (.unsigned, .integer):
            return .orderedDescending
        case (.integer(let lhs), .double(let rhs)):
            return PredicateValue.order(lhs, exactly: rhs)
        case (.unsigned(let lhs), .double(let rhs)):
            return PredicateValue.order(lhs, exactly: rhs)
        case (.double, .integer), (.double, .unsigned):
            return other.numericOrder(self)?.reversed
        case (.decimal, _), (_, .decimal):
            return PredicateValue.decimalOrder(self, other)
        default:
            return nil
        }
    }

    /// The order of an integer and a floating-point number. Neither fits the other's type: 2^53 + 1 is not a
    /// `Double`, and 1.5 is not an integer.
    private static func order<Integer: FixedWidthInteger>(
        _ lhs: Integer, exactly rhs: Double
    ) -> ComparisonResult? {
        if rhs.isNaN { return nil }
        let whole = rhs.rounded(.down)
        guard let integer = Integer(exactly: whole) else {
            return rhs < 0 ? .orderedDescending : .orderedAscending
        }
        if lhs != integer { return lhs < integer ? .orderedAscending : .orderedDescending }
        return whole < rhs ? .orderedAscending : .orderedSame
    }

    private static func decimalOrder(_ lhs: PredicateValue, _ rhs: PredicateValue) -> ComparisonResult? {
        if let left = lhs.exactDecimal, let right = rhs.exactDecimal {
            // Two `nan` of `Decimal` are equal, as objects of Foundation are.
            if left.isNaN || right.isNaN { return left.isNaN && right.isNaN ? .orderedSame : nil }
            return order(left, right)
        }
        // A number that no `Decimal` can hold is far from every one, so that rounding does no harm.
        guard let left = lhs.doubleValue, let right = rhs.doubleValue else { return nil }
        return order(left, right)
    }

    /// The number as a decimal number; of a `Double` the shortest that is read back as the same.
    private var exactDecimal: Decimal? {
        switch self {
        case .integer(let number): Decimal(number)
        case .unsigned(let number): Decimal(number)
        case .decimal(let number): number
        case .double(let number): number.isFinite ? Decimal(string: number.description) : nil
        default: nil
        }
    }

    /// The number, perhaps rounded; of a date its seconds since 2001.
    var doubleValue: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .unsigned(let number): Double(number)
        case .double(let number): number
        case .decimal(let number): Double(number.description)
        case .date(let date): date.timeIntervalSinceReferenceDate
        default: nil
        }
    }
}

extension ComparisonResult {
    /// The result with the two sides exchanged.
    var reversed: ComparisonResult {
        switch self {
        case .orderedAscending: .orderedDescending
        case .orderedSame: .orderedSame
        case .orderedDescending: .orderedAscending
        }
    }
}
