@_exported import CocoaFoundation
@_exported import Foundation
@_exported import ManagedObjectModel

// Foundation on Linux has shells of the same names; inside this module the names mean ours. The module `CoreData` has them again, since
// `CoreData.NSExpression` finds only what that module declares itself when Foundation is imported too.

/// An expression, as in predicates and fetched values.
public typealias NSExpression = CocoaFoundation.NSExpression

/// A predicate that compares the values of two expressions.
public typealias NSComparisonPredicate = CocoaFoundation.NSComparisonPredicate
