import CocoaFoundation
import Foundation
import ManagedObjectModel

/// Executes a query on the nodes of an atomic store. The caller has the store's lock.
struct NodeQuery {
    private let store: NSAtomicStore
    private let query: FetchQuery
    private var entity: NSEntityDescription { query.home.entity }

    init(_ store: NSAtomicStore, _ query: FetchQuery) {
        self.store = store
        self.query = query
    }

    /// The nodes found, in order, within limit and offset.
    ///
    /// - Throws: 134060 for a condition or an order that cannot be evaluated.
    func nodes() throws -> [NSAtomicStoreCacheNode] {
        window(sorted(try matches(), by: try descriptors(on: entity)))
    }

    private func matches() throws -> [NSAtomicStoreCacheNode] {
        if let predicate = query.predicate { try QueryCheck(entity).check(predicate) }
        let numbers =
            query.includesSubentities
            ? store.homes.filter { $0.entity.isKindOf(entity: entity) }.map(\.entityNumber)
            : [query.home.entityNumber]
        var candidates = store.nodes.nodes(ofEntities: numbers)
        if let references = query.references {
            let wanted = Set(references)
            candidates = candidates.filter { wanted.contains($0.objectID.reference) }
        }
        guard let predicate = query.predicate else { return candidates }
        return try candidates.filter { try isMet(predicate, by: $0) }
    }

    private func isMet(_ predicate: NSPredicate, by object: Any) throws -> Bool {
        do {
            return try predicate.isMetInStore(by: object)
        } catch {
            throw NSError.coreData(
                .coreData, "The predicate \(predicate.formatString) cannot be evaluated: \(error)")
        }
    }

    private func window<Element>(_ found: [Element]) -> [Element] {
        let rest = found.dropFirst(query.offset)
        return Array(query.limit > 0 ? rest.prefix(query.limit) : rest)
    }

    /// The order, checked.
    private func descriptors(on entity: NSEntityDescription) throws -> [NSSortDescriptor] {
        for descriptor in query.sortDescriptors {
            if let key = descriptor.key { try QueryCheck(entity).check(sortKey: key) }
        }
        return query.sortDescriptors
    }

    // MARK: Dictionaries

    /// The dictionaries of the properties asked for: one for each node, or for each group of nodes.
    ///
    /// - Throws: as `nodes()`.
    func dictionaries() throws -> [[String: Any]] {
        let columns = try query.properties.map { try NodeColumn($0, entity) }
        let groupColumns = try query.groupBy.map { try NodeColumn($0, entity) }
        let isAggregate = columns.contains { $0.isAggregate }
        guard !groupColumns.isEmpty || isAggregate else {
            let found = try unwindowedInOrder(columns).map { node in
                try dictionary(columns) { try $0.value(of: node) }
            }
            return window(query.isDistinct ? distinct(found) : found)
        }
        var groups = try self.groups(groupColumns)
        if let having = query.having {
            try QueryCheck(entity).check(having)
            let condition = GroupCondition(having)
            groups = try groups.filter { group in
                try condition.compute(in: group)
                return try isMet(condition.predicate, by: group)
            }
        }
        let rows = try groups.map { group in
            DictionaryRow(group: group, values: try dictionary(columns) { try $0.value(of: group) })
        }
        let ordered = try sorted(rows, by: groupOrder(columns)).map(\.values)
        return window(query.isDistinct ? distinct(ordered) : ordered)
    }

    private func unwindowedInOrder(_ columns: [NodeColumn]) throws -> [NSAtomicStoreCacheNode] {
        let names = Set(columns.filter(\.isExpression).map(\.name))
        for descriptor in query.sortDescriptors {
            if let key = descriptor.key, !names.contains(key) { try QueryCheck(entity).check(sortKey: key) }
        }
        let found = try matches()
        guard query.sortDescriptors.contains(where: { names.contains($0.key ?? "") }) else {
            return sorted(found, by: query.sortDescriptors)
        }
        // A column of the result may be named by an expression description.
        let rows = try found.map { node in
            DictionaryRow(
                group: NodeGroup([node]),
                values: try dictionary(columns.filter(\.isExpression)) { try $0.value(of: node) })
        }
        return sorted(rows, by: query.sortDescriptors).compactMap { $0.group.nodes.first }
    }

    private func groupOrder(_ columns: [NodeColumn]) throws -> [NSSortDescriptor] {
        let names = Set(columns.map(\.name))
        for descriptor in query.sortDescriptors {
            if let key = descriptor.key, !names.contains(key) { try QueryCheck(entity).check(sortKey: key) }
        }
        return query.sortDescriptors
    }

    /// The nodes found, in groups of equal values of columns; one group without columns.
    private func groups(_ columns: [NodeColumn]) throws -> [NodeGroup] {
        let found = try matches()
        guard !columns.isEmpty else { return [NodeGroup(found)] }
        var places: [[PredicateValue]: Int] = [:]
        var groups: [[NSAtomicStoreCacheNode]] = []
        for node in found {
            let key = try columns.map { PredicateValue(try $0.value(of: node)) }
            if let place = places[key] {
                groups[place].append(node)
            } else {
                places[key] = groups.count
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

/// A group of nodes as predicates and sort descriptors see it: its properties are those of its first node, and it has values
/// of its own.
final class NodeGroup: KeyValueCoding {
    let nodes: [NSAtomicStoreCacheNode]
    /// Sums, counts and the like, by the keys of a `GroupCondition`.
    var computed: [String: Any] = [:]

    init(_ nodes: [NSAtomicStoreCacheNode]) { self.nodes = nodes }

    func value(forKey key: String) -> Any? { computed[key] ?? nodes.first?.value(forKey: key) }

    func setValue(_ value: Any?, forKey key: String) {}
}

/// A dictionary of a result before it is put in order: by its own values, or by properties that are not part of it.
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
