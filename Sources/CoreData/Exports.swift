@_exported import CocoaFoundation
@_exported import Foundation
@_exported import ManagedObjectModel

// Foundation on Linux has shells of the same names; inside this module the names mean ours.
typealias NSExpression = CocoaFoundation.NSExpression
typealias NSComparisonPredicate = CocoaFoundation.NSComparisonPredicate
