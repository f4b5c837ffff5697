import CocoaFoundation
import Foundation

/// A condition on groups of nodes, in which each aggregate, such as `count:(name)`, is a key of the group.
///
/// A key, because the aggregate may have no value: the sum of nothing is unknown, as a missing value is.
struct GroupCondition {
    let predicate: NSPredicate
    private let aggregates: [(key: String, expression: NSExpression)]

    init(_ predicate: NSPredicate) {
        var aggregates: [(key: String, expression: NSExpression)] = []
        self.predicate = Self.replaced(predicate, &aggregates)
        self.aggregates = aggregates
    }

    /// Gives a group the values that the predicate asks for.
    ///
    /// - Throws: 134060 for an expression that cannot be evaluated.
    func compute(in group: NodeGroup) throws {
        for (key, expression) in aggregates {
            group.computed[key] = try NodeColumn.value(of: expression, group)
        }
    }

    private static func replaced(
        _ predicate: NSPredicate, _ aggregates: inout [(key: String, expression: NSExpression)]
    ) -> NSPredicate {
        switch predicate.shape {
        case .value, .opaque: return predicate
        case .compound(let type, let parts):
            return NSCompoundPredicate(type: type, subpredicates: parts.map { replaced($0, &aggregates) })
        case .comparison(let comparison):
            return NSComparisonPredicate(
                leftExpression: replaced(comparison.leftExpression, &aggregates),
                rightExpression: replaced(comparison.rightExpression, &aggregates),
                modifier: comparison.comparisonPredicateModifier, type: comparison.predicateOperatorType,
                options: comparison.options)
        }
    }

    private static func replaced(
        _ expression: NSExpression, _ aggregates: inout [(key: String, expression: NSExpression)]
    ) -> NSExpression {
        if case .aggregate(let parts) = expression.kind {
            return NSExpression(forAggregate: parts.map { replaced($0, &aggregates) })
        }
        guard NodeColumn.hasAggregate(expression) else { return expression }
        // No property has such a name.
        let key = "aggregate \(aggregates.count)"
        aggregates.append((key, expression))
        return NSExpression(forKeyPath: key)
    }
}
