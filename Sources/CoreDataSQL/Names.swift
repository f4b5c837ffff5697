import CocoaFoundation

// Foundation on Linux has shells of these names, and they are imported with this module's own: here they mean ours.

package typealias NSExpression = CocoaFoundation.NSExpression
typealias NSComparisonPredicate = CocoaFoundation.NSComparisonPredicate
