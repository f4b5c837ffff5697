import CocoaFoundation
import Foundation

/// A condition that a database adds to another one, to read few rows: all objects that meet the other one are among some keys, or have
/// changed after a transaction of the store's history. Where not all of these changes are known, it is met by all objects.
package final class CandidatePredicate: StorePredicate {
    /// In ascending order.
    package let keys: [Int64]
    /// The number of the transaction.
    package let number: Int64
    package let time: Double

    init(_ keys: [Int64], afterNumber number: Int64, time: Double) {
        self.keys = keys
        self.number = number
        self.time = time
        super.init("CANDIDATES(\(keys.count))")
    }

    /// An object in memory may have changed.
    package override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool
    {
        true
    }

    package required init?(coder: NSCoder) { nil }
}
