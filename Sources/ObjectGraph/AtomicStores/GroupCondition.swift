import CocoaFoundation
import Foundation
import ManagedObjectModel

/// A condition on groups of nodes: on aggregates of a group, and on properties of its first node.
struct GroupCondition {
    private let text: String
    private let predicate: NSPredicate
    private let aggregates: GroupAggregates

    /// - Parameter named: the expressions of the result's columns, for which their names stand.
    /// - Throws: 134060 for keys that the entity does not have, and for expressions that cannot be computed from a group.
    init(_ condition: NSPredicate, _ entity: NSEntityDescription, named: [String: NSExpression]) throws {
        let condition = condition.replacing { $0.replacement(by: named, except: $1) }
        try QueryCheck(entity).check(condition)
        text = condition.formatString
        var aggregates = GroupAggregates(entity)
        predicate = aggregates.taken(from: condition)
        try aggregates.checkNesting(entity)
        self.aggregates = aggregates
    }

    /// - Throws: 134060 for a condition that cannot be evaluated.
    func isMet(by nodes: [any KeyValueCoding]) throws -> Bool {
        let values = try aggregates.values(of: nodes)
        do {
            return try predicate.isMetInStore(by: nodes.first, variables: values)
        } catch {
            throw NSError.coreData(.coreData, "The predicate \(text) cannot be evaluated: \(error)")
        }
    }
}

extension NSExpression {
    /// The expression that a key, or a variable, stands for. Inside, the key is that of a property again.
    ///
    /// - Parameter iterators: the variables of subqueries around, which stand for their elements.
    fileprivate func replacement(
        by named: [String: NSExpression], except iterators: Set<String>
    ) -> NSExpression? {
        let name: String
        switch kind {
        case .keyPath(let operand, let path):
            guard case .evaluatedObject = operand.kind else { return nil }
            name = path
        case .variable(let variable) where !iterators.contains(variable): name = variable
        default: return nil
        }
        guard let expression = named[name] else { return nil }
        var others = named
        others[name] = nil
        return expression.replacing(iterators: []) { $0.replacement(by: others, except: $1) }
    }
}
