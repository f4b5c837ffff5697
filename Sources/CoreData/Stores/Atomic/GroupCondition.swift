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
        self.predicate = predicate.replacing { expression, iterators in
            // What a subquery adds up are its own elements.
            guard iterators.isEmpty, NodeColumn.hasAggregate(expression) else { return nil }
            // No property has such a name.
            let key = "aggregate \(aggregates.count)"
            aggregates.append((key, expression))
            return NSExpression(forKeyPath: key)
        }
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
}
