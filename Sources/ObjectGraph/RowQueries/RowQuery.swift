import CocoaFoundation
import Foundation
import ManagedObjectModel

/// A query whose condition, order or columns the database of a store cannot compute: the store finds rows that may belong to the result,
/// and the rest is computed here from them and from what their relationships lead to.
///
/// The result is that of the database's own queries, as that of a store in memory is. It takes as long as reading all rows
/// that may belong to it.
package struct RowQuery {
    private let source: any RowSource
    private let query: FetchQuery
    private let condition: NSPredicate?

    /// - Parameters:
    ///   - source: where rows are read that relationships lead to.
    ///   - condition: what the rows have to meet that the store finds; nil when it decides all of the condition.
    package init(_ source: any RowSource, _ query: FetchQuery, deciding condition: NSPredicate?) {
        self.source = source
        self.query = query
        self.condition = condition
    }

    /// A query of what a store has for the client of the query.
    package init(_ store: any ObjectStore, _ query: FetchQuery, deciding condition: NSPredicate?) {
        self.init(StoreRows(store, query.reader), query, deciding: condition)
    }

    /// The rows of the result, in order, within limit and offset.
    ///
    /// - Parameter rows: those that may belong to it, in the order of their keys.
    /// - Throws: 134060 for a condition or an order that cannot be evaluated, and what reading a row throws.
    package func rows(among rows: RowList) throws -> RowList {
        let nodes = RowNodes(source)
        for descriptor in query.sortDescriptors {
            guard !descriptor.isUnnamed, let key = descriptor.key else { throw unnamed(descriptor) }
            try QueryCheck(query.storedEntity.entity).check(sortKey: key)
        }
        let found = window(sorted(try matches(rows, nodes), by: query.sortDescriptors))
        if let error = nodes.error { throw error }
        return RowList(found.compactMap(\.row))
    }

    /// The dictionaries of the result.
    ///
    /// - Throws: as `rows(among:)`.
    package func dictionaries(among rows: RowList) throws -> [[String: Any]] {
        let nodes = RowNodes(source)
        if let descriptor = query.sortDescriptors.first(where: \.isUnnamed) { throw unnamed(descriptor) }
        let dictionaries = try DictionaryQuery(
            entity: query.storedEntity.entity, properties: query.properties, groupBy: query.groupBy,
            having: query.having, order: query.sortDescriptors, isDistinct: query.isDistinct
        ).dictionaries(of: try matches(rows, nodes))
        if let error = nodes.error { throw error }
        return window(dictionaries)
    }

    private func matches(_ rows: RowList, _ nodes: RowNodes) throws -> [RowNode] {
        let candidates = rows.compactMap(nodes.node)
        guard let condition else { return candidates }
        try QueryCheck(query.storedEntity.entity).check(condition)
        return try candidates.filter { try condition.isMetAsInStore(by: $0) }
    }

    private func window<Element>(_ found: [Element]) -> [Element] {
        let rest = found.dropFirst(query.offset)
        return Array(query.limit > 0 ? rest.prefix(query.limit) : rest)
    }

    private func unnamed(_ descriptor: NSSortDescriptor) -> NSError {
        .coreData(
            .coreData, "unsupported NSSortDescriptor (a store needs the name of the property): \(descriptor)")
    }
}
