import CocoaFoundation
import Foundation
import ManagedObjectModel

/// Executes a query on the nodes of an atomic store. The caller has the store's lock.
struct NodeQuery {
    private let store: NSAtomicStore
    private let query: FetchQuery
    private var entity: NSEntityDescription { query.storedEntity.entity }

    init(_ store: NSAtomicStore, _ query: FetchQuery) {
        self.store = store
        self.query = query
    }

    /// The nodes found, in order, within limit and offset.
    ///
    /// - Throws: 134060 for a condition or an order that cannot be evaluated.
    func nodes() throws -> [NSAtomicStoreCacheNode] {
        try checkOrder()
        for descriptor in query.sortDescriptors {
            if let key = descriptor.key { try QueryCheck(entity).check(sortKey: key) }
        }
        return window(sorted(try matches(), by: query.sortDescriptors))
    }

    private func matches() throws -> [NSAtomicStoreCacheNode] {
        if let predicate = query.predicate { try QueryCheck(entity).check(predicate) }
        let numbers =
            query.includesSubentities
            ? store.storedEntities.filter { $0.entity.isKindOf(entity: entity) }.map(\.entityNumber)
            : [query.storedEntity.entityNumber]
        var candidates = store.nodes.nodes(ofEntities: numbers)
        if let references = query.references {
            let wanted = Set(references)
            candidates = candidates.filter { wanted.contains($0.objectID.reference) }
        }
        guard let predicate = query.predicate else { return candidates }
        return try candidates.filter { try predicate.isMetAsInStore(by: $0) }
    }

    private func window<Element>(_ found: [Element]) -> [Element] {
        let rest = found.dropFirst(query.offset)
        return Array(query.limit > 0 ? rest.prefix(query.limit) : rest)
    }

    /// Refuses an order by Swift key paths that have no names: the nodes are not of the class that has the properties.
    private func checkOrder() throws {
        guard let descriptor = query.sortDescriptors.first(where: \.isUnnamed) else { return }
        throw NSError.coreData(
            .coreData, "unsupported NSSortDescriptor (a store needs the name of the property): \(descriptor)")
    }

    /// The dictionaries of the requested properties: one for each node, or for each group of nodes.
    ///
    /// - Throws: as `nodes()`.
    func dictionaries() throws -> [[String: Any]] {
        try checkOrder()
        let dictionaries = DictionaryQuery(
            entity: entity, properties: query.properties, groupBy: query.groupBy, having: query.having,
            order: query.sortDescriptors, isDistinct: query.isDistinct)
        return window(try dictionaries.dictionaries(of: try matches()))
    }
}
