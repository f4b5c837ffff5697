import CocoaFoundation
import Foundation
import ManagedObjectModel

/// The parts of expressions and conditions that are computed from all objects of a group, such as `count:(name)`. Each becomes
/// a variable for the rest.
package struct GroupAggregates {
    private let check: QueryCheck
    private var parts: [(variable: String, function: String, argument: NSExpression)] = []

    private static let functions: Set<String> = ["count:", "sum:", "min:", "max:", "average:"]

    init(_ entity: NSEntityDescription) { check = QueryCheck(entity) }

    var isEmpty: Bool { parts.isEmpty }

    /// Whether an expression has a part that is computed from a group.
    package static func areIn(_ expression: NSExpression, _ entity: NSEntityDescription) -> Bool {
        var aggregates = GroupAggregates(entity)
        _ = aggregates.taken(from: expression)
        return !aggregates.isEmpty
    }

    // MARK: Extracting

    /// The expression with variables instead of the parts that are computed from a group.
    mutating func taken(from expression: NSExpression) -> NSExpression {
        expression.replacing(iterators: []) { variable(for: $0, $1) }
    }

    /// The same of a condition.
    mutating func taken(from predicate: NSPredicate) -> NSPredicate {
        predicate.replacing { variable(for: $0, $1) }
    }

    private mutating func variable(for expression: NSExpression, _ iterators: Set<String>) -> NSExpression? {
        // A subquery aggregates its own elements.
        guard iterators.isEmpty, let (function, argument) = aggregate(expression) else { return nil }
        // No variable of a format string has such a name.
        let variable = "aggregate \(parts.count)"
        parts.append((variable, function, argument))
        return NSExpression(forVariable: variable)
    }

    /// The function and its argument, for an aggregate of a group rather than of a collection of each object.
    private func aggregate(_ expression: NSExpression) -> (String, NSExpression)? {
        guard case .function(nil, let name, let arguments) = expression.kind, arguments.count == 1,
            let function = FunctionTable.function(named: name)?.name, Self.functions.contains(function),
            !expression.isFixed,
            // A key that is unknown is refused elsewhere.
            (try? check.isCollection(arguments[0])) != true
        else { return nil }
        return (function, arguments[0])
    }

    /// - Throws: 134060 for nested aggregates.
    func checkNesting(_ entity: NSEntityDescription) throws {
        for part in parts where Self.areIn(part.argument, entity) {
            throw NSError.coreData(
                .coreData,
                "Unsupported expression \(part.function)(\(part.argument)): an aggregate over all rows is not a value of one row."
            )
        }
    }

    // MARK: Computing

    /// The values of the variables for a group.
    ///
    /// - Throws: 134060 for an expression that cannot be evaluated.
    func values(of nodes: [any KeyValueCoding]) throws -> [String: Any] {
        var values: [String: Any] = [:]
        for (variable, function, argument) in parts {
            let all = try nodes.compactMap { try argument.valueInStore(of: $0) }
            values[variable] = try value(of: function, all) ?? NSNull()
        }
        return values
    }

    private func value(of function: String, _ values: [Any]) throws -> Any? {
        switch function {
        case "count:": return values.count
        // As in SQL: there is no sum, and no mean, of nothing.
        case _ where values.isEmpty: return nil
        case "min:": return extreme(values, isLeast: true)
        case "max:": return extreme(values, isLeast: false)
        default:
            let list = NSExpression(forConstantValue: values)
            return try NSExpression(forFunction: function, arguments: [list]).valueInStore(of: nil)
        }
    }

    /// The least or greatest of values of any type that has an order.
    private func extreme(_ values: [Any], isLeast: Bool) -> Any? {
        values.dropFirst().reduce(values.first) { best, value in
            guard let best else { return value }
            let descriptor = NSSortDescriptor(key: "value", ascending: isLeast)
            let order = descriptor.compare(
                NSDictionary(object: value, forKey: "value" as NSString),
                to: NSDictionary(object: best, forKey: "value" as NSString))
            return order == .orderedAscending ? value : best
        }
    }
}

extension NSExpression {
    /// The value by the logic of a store.
    ///
    /// - Throws: 134060 for an expression that cannot be evaluated.
    func valueInStore(of object: Any?, variables: [String: Any] = [:]) throws -> Any? {
        do {
            return presentValue(try valueInStore(for: object, variables: variables))
        } catch {
            throw NSError.coreData(.coreData, "The expression \(self) cannot be evaluated: \(error)")
        }
    }
}
