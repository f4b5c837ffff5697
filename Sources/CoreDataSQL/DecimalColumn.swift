import ObjectGraph
import CocoaFoundation
import Foundation

/// Decimals in a column with numeric affinity, which is what SQL has for them.
///
/// Whole numbers of 64 bits are kept exactly. Anything else is kept as a binary real number, of which 15 decimal
/// digits count; "not a number" has no form and is kept as no value.
package enum DecimalColumn {
    /// What is bound for a decimal.
    package static func stored(_ value: Decimal) -> SQLValue {
        guard !value.isNaN else { return .text(StoredValue.notANumber) }
        let text = "\(value)"
        if let integer = Int64(text) { return .integer(integer) }
        return Double(text).map(SQLValue.double) ?? .null
    }
}
