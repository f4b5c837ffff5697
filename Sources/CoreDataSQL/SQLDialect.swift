import ObjectGraph
import CocoaFoundation
import Foundation

/// How a database spells what standard SQL leaves open.
package protocol SQLDialect: Sendable {
    /// A name as an identifier.
    func quoted(_ name: String) -> String
    /// The declared type of a column.
    func columnType(_ kind: SlotKind) -> String
    /// A condition on text under options, of two expressions. The pattern is bound.
    func textMatch(_ operation: TextOperation, _ text: String, _ pattern: String, options: Int) -> String
    /// Whether a string has another one in it, code point by code point.
    func contains(_ text: String, _ part: String) -> String
    /// A string without the differences that options ignore.
    func folded(_ text: String, options: Int) -> String
    /// A function of `FunctionTable`, of expressions of some kinds.
    func call(_ function: String, _ arguments: [(text: String, kind: SlotKind)]) -> String
    /// A function over all rows, of an expression whose values are of the kind.
    ///
    /// - Parameter isZeroOfNothing: whether a sum or a mean of no values is 0, and not NULL.
    func aggregate(
        _ function: AggregateFunction, _ text: String, _ kind: SlotKind, isZeroOfNothing: Bool
    ) -> String
    /// The name of a function of the store.
    func function(_ function: StoreFunction) -> String
    /// The name of the collation that orders strings as sort descriptors do; nil where the database's own does.
    func collation(_ order: StringOrder) -> String?
    /// A list of values bound as one argument, for a list too long for one parameter each.
    func listTable(_ parameter: String, _ form: SQLListForm) -> String
}

/// The text operations of predicates.
package enum TextOperation: Int, Sendable {
    case equal, less, lessOrEqual, greater, greaterOrEqual
    case contains, beginsWith, endsWith, like, matches
}

/// How the values of a list that is bound as one argument are written.
package enum SQLListForm: Sendable {
    case plain
    /// Data as hexadecimal digits.
    case data
    /// Text as the hexadecimal digits of its bytes.
    case textAsData
}

/// Functions over many rows.
package enum AggregateFunction: Sendable {
    case count, minimum, maximum, sum, average, median, standardDeviation
}

/// Functions that a store provides because SQL has none that is right for all of Unicode.
package enum StoreFunction: Sendable, CaseIterable {
    case uppercase, lowercase, canonical, now
}
