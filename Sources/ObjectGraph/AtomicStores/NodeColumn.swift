import CocoaFoundation
import Foundation
import ManagedObjectModel

/// A column of a dictionary result, computed from the nodes of a store, objects, or groups of them.
struct NodeColumn {
    let name: String
    let isExpression: Bool
    /// Whether the value is an aggregate of a group: a sum, a count.
    let isAggregate: Bool
    private let expression: NSExpression
    private let aggregates: GroupAggregates
    private let resultKind: SlotKind?

    /// - Throws: 134060 for an expression with keys that the entity does not have, and for one that cannot be computed from a
    ///   group.
    init(_ property: NSPropertyDescription, _ entity: NSEntityDescription) throws {
        name = property.name
        var aggregates = GroupAggregates(entity)
        if let description = property as? NSExpressionDescription {
            guard let expression = description.expression else {
                throw NSError.coreData(
                    .coreData, "Expression description '\(property.name)' has no expression.")
            }
            try QueryCheck(entity).check(expression)
            self.expression = aggregates.taken(from: expression)
            try aggregates.checkNesting(entity)
            isExpression = true
            let type = description.expressionResultType
            resultKind = type == .undefinedAttributeType ? nil : SlotKind(type)
        } else {
            try QueryCheck(entity).check(keyPath: property.name)
            expression = NSExpression(forKeyPath: property.name)
            isExpression = false
            resultKind = nil
        }
        isAggregate = !aggregates.isEmpty
        self.aggregates = aggregates
    }

    /// The value of one node.
    func value(of node: any KeyValueCoding) throws -> Any? { try value(of: [node]) }

    /// The value of a group: aggregates use all nodes, other parts the first one.
    func value(of group: NodeGroup) throws -> Any? { try value(of: group.nodes) }

    private func value(of nodes: [any KeyValueCoding]) throws -> Any? {
        try expression.valueInStore(of: nodes.first, variables: try aggregates.values(of: nodes))
    }

    /// The value as a dictionary has it.
    func result(_ value: Any) -> Any {
        if let node = value as? NSAtomicStoreCacheNode { return node.objectID }
        if let object = value as? NSManagedObject { return object.objectID }
        // A computed value is a Swift number, which casts only to its own type.
        let value = boxedNumber(value)
        guard let resultKind, !resultKind.isRelationship else { return value }
        switch resultKind {
        case .integer16, .integer32, .integer64, .boolean:
            guard let whole = StoredValue.whole(value) else { return value }
            return SlotValue.integer(whole).anyValue(resultKind) ?? value
        case .double, .float, .date:
            guard let number = Self.number(value) else { return value }
            return SlotValue.double(number.doubleValue).anyValue(resultKind) ?? value
        case .decimal:
            guard let number = Self.number(value) else { return value }
            return NSDecimalNumber(decimal: StoredValue.kept(number.decimalValue) ?? number.decimalValue)
        default: return value
        }
    }

    /// A number; of a date its seconds since 2001, as in a column.
    private static func number(_ value: Any) -> NSNumber? {
        switch value {
        case let date as Date: NSNumber(value: date.timeIntervalSinceReferenceDate)
        case let decimal as Decimal: NSDecimalNumber(decimal: decimal)
        default: value as? NSNumber
        }
    }
}
