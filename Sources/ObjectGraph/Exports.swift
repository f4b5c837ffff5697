@_exported import CocoaFoundation
@_exported import Foundation
@_exported import ManagedObjectModel

// Foundation on Linux has shells of the same names. Inside this module the names mean ours, and a client that imports
// Foundation as well can say which it means: `typealias NSExpression = CoreData.NSExpression`.

/// An expression, as in predicates and fetched values.
public typealias NSExpression = CocoaFoundation.NSExpression

/// A predicate that compares the values of two expressions.
public typealias NSComparisonPredicate = CocoaFoundation.NSComparisonPredicate
