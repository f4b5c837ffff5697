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
    /// Whether a text has another one in it, code point by code point.
    func contains(_ text: String, _ part: String) -> String
    /// A text without the differences that options ignore.
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
    /// The name of the collation that orders texts as sort descriptors do; nil where the database's own does.
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

/// SQLite's way, with the names of Apple's schema.
package struct SQLiteDialect: SQLDialect {
    package init() {}

    /// Names of Apple's schema are plain; any other character is quoted.
    package func quoted(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy {
            ($0 >= 0x30 && $0 <= 0x39) || ($0 >= 0x41 && $0 <= 0x5A) || ($0 >= 0x61 && $0 <= 0x7A)
                || $0 == 0x5F
        }
        return isPlain && !name.isEmpty ? name : "\"\(name.replacing("\"", with: "\"\""))\""
    }

    package func columnType(_ kind: SlotKind) -> String {
        switch kind {
        case .integer16, .integer32, .integer64, .boolean, .toOne: "INTEGER"
        case .double, .float: "FLOAT"
        case .date: "TIMESTAMP"
        case .decimal: "DECIMAL"
        case .string, .uri: "VARCHAR"
        case .uuid, .binary, .transformable: "BLOB"
        case .composite, .undefined, .toMany, .fetched: ""
        }
    }

    package func textMatch(_ operation: TextOperation, _ text: String, _ pattern: String, options: Int)
        -> String
    {
        "\(SQLiteFunctionNames.textMatch)(\(operation.rawValue), \(text), \(pattern), \(options))"
    }

    package func contains(_ text: String, _ part: String) -> String {
        "\(SQLiteFunctionNames.contains)(\(text), \(part))"
    }

    package func function(_ function: StoreFunction) -> String {
        switch function {
        case .uppercase: SQLiteFunctionNames.uppercase
        case .lowercase: SQLiteFunctionNames.lowercase
        case .canonical: SQLiteFunctionNames.canonical
        case .now: SQLiteFunctionNames.now
        }
    }

    package func collation(_ order: StringOrder) -> String? { SQLiteCollations.name(order) }

    package func listTable(_ parameter: String, _ form: SQLListForm) -> String {
        let data = "\(SQLiteFunctionNames.data)(value)"
        let value =
            switch form {
            case .plain: "value"
            case .data: data
            case .textAsData: "CAST(\(data) AS TEXT)"
            }
        return "SELECT \(value) FROM json_each(\(parameter))"
    }

    package func folded(_ text: String, options: Int) -> String {
        "\(SQLiteFunctionNames.folded)(\(text), \(options))"
    }

    package func call(_ function: String, _ arguments: [(text: String, kind: SlotKind)]) -> String {
        // Letters and colons alone: the names are those of the table.
        let name = function.hasPrefix("random") ? SQLiteFunctionNames.chance : SQLiteFunctionNames.function
        let list = arguments.map { ", \($0.kind.rawValue), \($0.text)" }.joined()
        return "\(name)('\(function)'\(list))"
    }

    package func aggregate(
        _ function: AggregateFunction, _ text: String, _ kind: SlotKind, isZeroOfNothing: Bool
    ) -> String {
        func own(_ name: String) -> String { "\(name)(\(text), \(kind.rawValue))" }
        switch function {
        case .count: return "COUNT(\(text))"
        case .minimum: return "MIN(\(text))"
        case .maximum: return "MAX(\(text))"
        // SQLite's own sum rounds the sum of the first rows, and fails where that does not fit.
        case .sum where kind.isWholeNumber:
            let name = isZeroOfNothing ? SQLiteFunctionNames.wholeTotal : SQLiteFunctionNames.wholeSum
            return "\(name)(\(text))"
        case .sum: return own(isZeroOfNothing ? SQLiteFunctionNames.total : SQLiteFunctionNames.sum)
        case .average:
            return own(isZeroOfNothing ? SQLiteFunctionNames.averageOrZero : SQLiteFunctionNames.average)
        case .median: return own(SQLiteFunctionNames.median)
        case .standardDeviation: return own(SQLiteFunctionNames.standardDeviation)
        }
    }
}

/// The names of the functions on a SQLite connection. Those that stand in triggers of Apple's stores have Apple's
/// names; `NSCoreDataNow` among them.
package enum SQLiteFunctionNames {
    package static let updatedAffectedValue = "NSCoreDataDATriggerUpdatedAffectedObjectValue"
    package static let insertUpdatedAffectedValue = "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue"
    package static let updateAffectedValue = "NSCoreDataTriggerUpdateAffectedObjectValue"
    package static let now = "NSCoreDataNow"
    /// Ours: Apple's names for these three are not known.
    package static let uppercase = "OpenCoreDataUppercase"
    package static let lowercase = "OpenCoreDataLowercase"
    package static let canonical = "OpenCoreDataCanonical"
    package static let textMatch = "OpenCoreDataTextMatch"
    package static let contains = "OpenCoreDataContains"
    package static let folded = "OpenCoreDataFolded"
    /// `f(name, kind, value, …)`: a function of expressions, with the kinds of its arguments.
    package static let function = "OpenCoreDataFunction"
    /// The same for functions that give another value at each call.
    package static let chance = "OpenCoreDataChance"
    /// `f(value, kind)`, over many rows. Of no values the second and the fourth are 0.
    package static let sum = "OpenCoreDataSum"
    /// `f(value)`, of whole numbers; of no values the second is 0.
    package static let wholeSum = "OpenCoreDataWholeSum"
    package static let wholeTotal = "OpenCoreDataWholeTotal"
    package static let total = "OpenCoreDataTotal"
    package static let average = "OpenCoreDataAverage"
    package static let averageOrZero = "OpenCoreDataAverageOrZero"
    package static let median = "OpenCoreDataMedian"
    package static let standardDeviation = "OpenCoreDataStandardDeviation"
    package static let data = "OpenCoreDataData"
}
