import CocoaFoundation
import Foundation
import ManagedObjectModel

/// A dictionary result computed in memory, from the nodes of an atomic store or the objects of a context.
struct DictionaryQuery {
    let entity: NSEntityDescription
    let properties: [NSPropertyDescription]
    let groupBy: [NSPropertyDescription]
    let having: NSPredicate?
    let order: [NSSortDescriptor]
    let isDistinct: Bool

    /// The dictionaries of the requested properties, in order: one for each node or object, or for each group of them.
    ///
    /// - Parameter matches: the objects that meet the condition of the request.
    /// - Throws: 134060 for an order, a condition on groups or an expression that cannot be evaluated.
    func dictionaries(of matches: [any KeyValueCoding]) throws -> [[String: Any]] {
        let columns = try properties.map { try NodeColumn($0, entity) }
        let groupColumns = try groupBy.map { try NodeColumn($0, entity) }
        let isAggregate = columns.contains { $0.isAggregate }
        guard !groupColumns.isEmpty || isAggregate else {
            let found = try inOrder(matches, columns).map { node in
                try dictionary(columns) { try $0.value(of: node) }
            }
            return isDistinct ? distinct(found) : found
        }
        var groups = try self.groups(matches, groupColumns)
        if let having {
            let condition = try GroupCondition(having, entity, named: properties.namedExpressions)
            groups = try groups.filter { try condition.isMet(by: $0.nodes) }
        }
        let rows = try groups.map { group in
            DictionaryRow(group: group, values: try dictionary(columns) { try $0.value(of: group) })
        }
        try checkOrder(besides: Set(columns.map(\.name)))
        let ordered = sorted(rows, by: order).map(\.values)
        return isDistinct ? distinct(ordered) : ordered
    }

    private func inOrder(
        _ matches: [any KeyValueCoding], _ columns: [NodeColumn]
    ) throws -> [any KeyValueCoding] {
        let names = Set(columns.filter(\.isExpression).map(\.name))
        try checkOrder(besides: names)
        guard order.contains(where: { names.contains($0.key ?? "") }) else {
            return sorted(matches, by: order)
        }
        // A column of the result may be named by an expression description.
        let rows = try matches.map { node in
            DictionaryRow(
                group: NodeGroup([node]),
                values: try dictionary(columns.filter(\.isExpression)) { try $0.value(of: node) })
        }
        return sorted(rows, by: order).compactMap { $0.group.nodes.first }
    }

    /// Refuses an order by a name that is neither a property nor a column.
    private func checkOrder(besides names: Set<String>) throws {
        for descriptor in order {
            if let key = descriptor.key, !names.contains(key) { try QueryCheck(entity).check(sortKey: key) }
        }
    }

    /// The nodes found, in groups of equal values of columns; one group without columns.
    private func groups(
        _ found: [any KeyValueCoding], _ columns: [NodeColumn]
    ) throws -> [NodeGroup] {
        guard !columns.isEmpty else { return [NodeGroup(found)] }
        var positions: [[PredicateValue]: Int] = [:]
        var groups: [[any KeyValueCoding]] = []
        for node in found {
            let key = try columns.map { PredicateValue(try $0.value(of: node)) }
            if let position = positions[key] {
                groups[position].append(node)
            } else {
                positions[key] = groups.count
                groups.append([node])
            }
        }
        return groups.map(NodeGroup.init)
    }

    private func dictionary(
        _ columns: [NodeColumn], _ value: (NodeColumn) throws -> Any?
    ) throws -> [String: Any] {
        var dictionary: [String: Any] = [:]
        for column in columns {
            if let value = try value(column) { dictionary[column.name] = column.result(value) }
        }
        return dictionary
    }

    private func distinct(_ dictionaries: [[String: Any]]) -> [[String: Any]] {
        var seen: Set<[String: PredicateValue]> = []
        return dictionaries.filter { seen.insert($0.mapValues(PredicateValue.init)).inserted }
    }
}

extension NSPredicate {
    /// Whether an object meets the condition as it would in a store.
    ///
    /// - Throws: 134060 for a condition that cannot be evaluated.
    func isMetAsInStore(by object: Any) throws -> Bool {
        do {
            return try isMetInStore(by: object)
        } catch {
            throw NSError.coreData(
                .coreData, "The predicate \(formatString) cannot be evaluated: \(error)")
        }
    }
}

/// A group of nodes as sort descriptors see it: its properties are those of its first node.
final class NodeGroup: KeyValueCoding {
    let nodes: [any KeyValueCoding]

    init(_ nodes: [any KeyValueCoding]) { self.nodes = nodes }

    func value(forKey key: String) -> Any? { nodes.first?.value(forKey: key) }

    func setValue(_ value: Any?, forKey key: String) {}
}

/// A dictionary of a result before sorting by its own values, or by properties that are not part of it.
private final class DictionaryRow: KeyValueCoding {
    let group: NodeGroup
    let values: [String: Any]

    init(group: NodeGroup, values: [String: Any]) {
        self.group = group
        self.values = values
    }

    func value(forKey key: String) -> Any? { values[key] ?? group.value(forKey: key) }

    func setValue(_ value: Any?, forKey key: String) {}
}
