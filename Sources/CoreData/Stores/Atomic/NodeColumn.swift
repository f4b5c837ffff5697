import CocoaFoundation
import Foundation
import ManagedObjectModel

/// A column of a dictionary result, computed of the nodes of a store, or of objects, or of groups of them.
struct NodeColumn {
    let name: String
    let isExpression: Bool
    /// Whether the value is one of a group: a sum, a count.
    let isAggregate: Bool
    private let expression: NSExpression
    private let resultKind: SlotKind?

    private static let aggregates: Set<String> = ["count:", "sum:", "min:", "max:", "average:"]

    /// - Throws: 134060 for an expression with keys that the entity does not have.
    init(_ property: NSPropertyDescription, _ entity: NSEntityDescription) throws {
        name = property.name
        if let description = property as? NSExpressionDescription {
            guard let expression = description.expression else {
                throw NSError.coreData(
                    .coreData, "Expression description '\(property.name)' has no expression.")
            }
            try QueryCheck(entity).check(expression)
            self.expression = expression
            isExpression = true
            isAggregate = Self.hasAggregate(expression)
            let type = description.expressionResultType
            resultKind = type == .undefinedAttributeType ? nil : SlotKind(type)
        } else {
            try QueryCheck(entity).check(keyPath: property.name)
            expression = NSExpression(forKeyPath: property.name)
            isExpression = false
            isAggregate = false
            resultKind = nil
        }
    }

    /// Whether an expression has a part whose value is one of a group.
    static func hasAggregate(_ expression: NSExpression) -> Bool {
        guard case .function(nil, let name, let arguments) = expression.kind else { return false }
        if aggregates.contains(name), arguments.count == 1, !isList(arguments[0]) { return true }
        return arguments.contains(where: hasAggregate)
    }

    /// A function of a list that is written out, or of the union that a key path makes, is no aggregate.
    private static func isList(_ expression: NSExpression) -> Bool {
        switch expression.kind {
        case .aggregate, .constant: true
        case .keyPath(_, let path):
            KeyPathSteps(path).steps.contains { step in
                if case .collection(let operation) = step { operation.isUnion } else { false }
            }
        default: false
        }
    }

    /// The value of one node.
    func value(of node: any KeyValueCoding) throws -> Any? { try Self.value(of: expression, node) }

    /// The value of a group.
    func value(of group: NodeGroup) throws -> Any? { try Self.value(of: expression, group) }

    /// The value of an expression for a group: aggregates count all nodes, all else is the first one's.
    static func value(of expression: NSExpression, _ group: NodeGroup) throws -> Any? {
        guard case .function(nil, let name, let arguments) = expression.kind else {
            return try group.nodes.first.flatMap { try value(of: expression, $0) }
        }
        if aggregates.contains(name), arguments.count == 1, !isList(arguments[0]) {
            let values = try group.nodes.compactMap { try value(of: arguments[0], $0) }
            if name == "count:" { return NSNumber(value: Int64(values.count)) }
            // As in SQL: there is no sum, and no mean, of nothing.
            guard !values.isEmpty else { return nil }
            if name == "min:" || name == "max:" { return extreme(values, isLeast: name == "min:") }
            return try evaluate(
                NSExpression(forFunction: name, arguments: [NSExpression(forConstantValue: values)]), nil)
        }
        let constants = try arguments.map { NSExpression(forConstantValue: try value(of: $0, group)) }
        return try evaluate(NSExpression(forFunction: name, arguments: constants), nil)
    }

    /// The least or greatest of values of any type that has an order.
    private static func extreme(_ values: [Any], isLeast: Bool) -> Any? {
        values.dropFirst().reduce(values.first) { best, value in
            guard let best else { return value }
            let descriptor = NSSortDescriptor(key: "value", ascending: isLeast)
            let order = descriptor.compare(
                NSDictionary(object: value, forKey: "value" as NSString),
                to: NSDictionary(object: best, forKey: "value" as NSString))
            return order == .orderedAscending ? value : best
        }
    }

    private static func value(of expression: NSExpression, _ node: any KeyValueCoding) throws -> Any? {
        // What a dictionary counts, it counts over all nodes; a group of one is one of them.
        if hasAggregate(expression) { return try value(of: expression, NodeGroup([node])) }
        return try evaluate(expression, node)
    }

    private static func evaluate(_ expression: NSExpression, _ object: Any?) throws -> Any? {
        do {
            return try presentValue(expression.value(with: object, context: nil))
        } catch {
            throw NSError.coreData(.coreData, "The expression \(expression) cannot be evaluated: \(error)")
        }
    }

    /// The value as a dictionary has it.
    func result(_ value: Any) -> Any {
        if let node = value as? NSAtomicStoreCacheNode { return node.objectID }
        if let object = value as? NSManagedObject { return object.objectID }
        guard let resultKind, !resultKind.isRelationship else { return value }
        switch resultKind {
        case .integer16, .integer32, .integer64, .boolean:
            guard let number = value as? NSNumber else { return value }
            return SlotValue.integer(number.int64Value).anyValue(resultKind) ?? value
        case .double, .float:
            guard let number = value as? NSNumber else { return value }
            return SlotValue.double(number.doubleValue).anyValue(resultKind) ?? value
        case .decimal:
            guard let number = value as? NSNumber else { return value }
            return NSDecimalNumber(decimal: number.decimalValue)
        default: return value
        }
    }
}
