import Foundation

/// Decimals in a column with numeric affinity, which is what SQL has for them.
///
/// Whole numbers of 64 bits are kept exactly. Anything else is kept as a binary real number, of which 15 decimal
/// digits count; "not a number" has no form and is kept as no value.
enum DecimalColumn {
    /// What is bound for a decimal.
    static func stored(_ value: Decimal) -> SQLValue {
        guard !value.isNaN else { return .null }
        let text = "\(value)"
        if let integer = Int64(text) { return .integer(integer) }
        return Double(text).map(SQLValue.double) ?? .null
    }

    /// The decimal that a real number of a column stands for; nil for an infinite one.
    static func decimal(of real: Double) -> Decimal? {
        guard real.isFinite else { return nil }
        return Decimal(string: String(format: "%.15g", real), locale: nil)
    }

    /// What reading gives after `value` was stored.
    static func kept(_ value: Decimal) -> Decimal? {
        switch stored(value) {
        case .integer(let integer): return Decimal(integer)
        case .double(let real):
            // Numeric affinity turns a whole real number into an integer.
            if let integer = Int64(exactly: real), integer != .min, integer != .max {
                return Decimal(integer)
            }
            return decimal(of: real)
        default: return nil
        }
    }
}
