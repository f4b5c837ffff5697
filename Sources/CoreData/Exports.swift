/// Core Data for every platform that Swift runs on: objects and contexts, with SQLite as the store of a coordinator that names no other.
@_exported import CoreDataSQLite
@_exported import ObjectGraph
import CocoaFoundation

// Foundation on Linux has shells of the same names. A client that imports Foundation as well can say which it means:
// `typealias NSExpression = CoreData.NSExpression`.

/// An expression, as in predicates and fetched values.
public typealias NSExpression = CocoaFoundation.NSExpression

/// A predicate that compares the values of two expressions.
public typealias NSComparisonPredicate = CocoaFoundation.NSComparisonPredicate
