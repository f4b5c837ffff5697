import CocoaFoundation
import ObjectGraph

// Foundation on Linux has shells of these names, and they are imported with this module's own: here they mean ours.

typealias NSExpression = CocoaFoundation.NSExpression
typealias NSComparisonPredicate = CocoaFoundation.NSComparisonPredicate
package typealias Row = ObjectGraph.Row
