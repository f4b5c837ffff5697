import CocoaFoundation
import Foundation
import ObjectGraph

/// A part of a statement, which a dialect spells.
///
/// Where a dialect has no spelling, `SQLDialect.obstacle(to:)` says so before a statement is made of the piece, and rendering throws.
/// *Conditions* are true, false or unknown; *values* are what columns have. A piece makes one of the other, for databases that keep
/// them apart.
package enum SQLPiece: Sendable, Equatable {
    // MARK: Text, names, values

    /// Words of standard SQL, punctuation, and names that are the same in every store: those of letters, digits and underscores that are
    /// not words of SQL, such as `Z_PK` or an alias. A dialect quotes other names in the case that its database folds these to.
    case text(String)
    /// SQL that only one database understands, from the module of that database.
    case native(String)
    /// A name of a table, a column, an index, quoted where it has to be.
    case name(String)
    /// A statement without arguments, and its text by the dialect that is going to write it: so long a part of many statements is
    /// rendered once.
    case rendered(SQLStatement, text: String)
    /// A value that is bound.
    case value(SQLValue)
    /// A value that is bound for each run of a prepared statement: the next position.
    case parameter
    /// The same for a position that may come more than once, from 1. A statement has these or those.
    case numberedParameter(Int)
    /// A value that is written out, in statements that cannot bind one: those of a schema.
    case literal(SQLValue)
    /// Values as a SELECT of one column for `IN (…)`, bound as one argument. None is NULL, and none is not a number.
    case list([SQLValue])
    /// Several values each for `(a, b) IN (…)`, each bound.
    case tuples([[SQLValue]])
    /// One value each as a SELECT of a column `v`, of any number of values.
    case rows([SQLValue])

    // MARK: Conditions

    /// A condition that is always met, or never.
    case boolean(Bool)
    /// A condition that is neither met nor not.
    case unknown
    /// A value as a condition: whether it is other than 0.
    case truth(SQLStatement)
    /// A condition as a value: 1, 0 or NULL.
    case number(SQLStatement)
    /// Whether two values are the same, of which one or both may be NULL: never unknown.
    indirect case isSame(SQLStatement, SQLStatement)
    /// Whether two values are not the same: never unknown.
    indirect case differs(SQLStatement, SQLStatement)
    /// Compares a string with a pattern, under options of `NSComparisonPredicate`.
    indirect case textMatch(TextOperation, SQLStatement, SQLStatement, options: Int)
    /// Whether a string has another one in it, code point by code point.
    indirect case contains(SQLStatement, SQLStatement)

    // MARK: Values

    case cast(SQLStatement, SQLCast)
    /// The value as an expression: without what a database does for a column alone, such as searching its index.
    case plain(SQLStatement)
    /// `(a + b)` and its like, of numbers that are not decimals.
    indirect case arithmetic(SQLStatement, SQLArithmetic, SQLStatement)
    /// The first value, or the second where it is NULL.
    indirect case coalesce(SQLStatement, SQLStatement)
    /// The greater one of two values.
    indirect case greatest(SQLStatement, SQLStatement)
    /// A string without the differences that options ignore.
    case folded(SQLStatement, options: Int)
    /// A function of the store, of one value or none.
    case function(StoreFunction, SQLStatement?)
    /// A function of `FunctionTable`, of values of some kinds.
    indirect case call(String, [SQLTypedValue])
    /// A function over many rows. A sum or a mean of no values is NULL, or 0 if `isZeroWithoutRows`.
    indirect case aggregate(AggregateFunction, SQLTypedValue, isZeroWithoutRows: Bool)
    /// A string of the part of a date that groups are made by: `2026`, `2026-11`, `2026-11-27`.
    case datePart(SQLDatePart, SQLStatement)

    // MARK: Clauses

    /// An element of ORDER BY. NULL comes before all values, and in a descending order after them.
    indirect case order(SQLStatement, StringOrder?, isAscending: Bool)
    /// How many rows a SELECT has at most, and how many it leaves out, bound: nil is all. With a space before.
    case window(limit: Int64?, offset: Int64)
    /// The same, written out: for subqueries, whose statements differ anyway. With a space before.
    case limit(Int64, offset: Int64?)
    /// How many rows a SELECT has at most, bound for each run: the next position. With a space before.
    case limitParameter
    /// A whole statement that inserts a row unless one with the same key is there.
    indirect case insertUnlessThere(table: String, columns: [String], values: [SQLStatement])
    /// The list of values that an INSERT, UPDATE or DELETE returns of each row. With a space before.
    case returning(SQLStatement)

    // MARK: Schema

    /// The type of a column, with what it says of keys.
    case columnType(SQLColumnType)
    /// An element of an index, in the order of its bytes.
    case indexed(String, isAscending: Bool)
}

/// A value, and what kind of value it is.
package struct SQLTypedValue: Sendable, Equatable {
    package let sql: SQLStatement
    package let kind: SlotKind

    package init(_ sql: SQLStatement, _ kind: SlotKind) {
        (self.sql, self.kind) = (sql, kind)
    }
}

/// What values are cast to.
package enum SQLCast: Sendable {
    case integer, real, string
}

package enum SQLArithmetic: String, Sendable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
}

package enum SQLDatePart: Sendable {
    case year, month, day
}

/// What a column is for.
package enum SQLColumnType: Sendable, Equatable {
    /// The key of the table's rows.
    case primaryKey
    /// A number of the store's own: an entity, a version, a key, a position.
    case integer
    /// A string of the store's own, of at most so many characters; nil for any.
    case string(length: Int?)
    /// Data of the store's own.
    case data
    /// A value of a property.
    case property(SlotKind)
}

/// The text operations of predicates.
package enum TextOperation: Int, Sendable {
    case equal, less, lessOrEqual, greater, greaterOrEqual
    case contains, beginsWith, endsWith, like, matches
}

/// Functions over many rows.
package enum AggregateFunction: Sendable {
    case count, minimum, maximum, sum, average, median, standardDeviation
}

/// Functions that a store provides because SQL has none that is right for all of Unicode.
package enum StoreFunction: Sendable, CaseIterable {
    case uppercase, lowercase, canonical, now
}
