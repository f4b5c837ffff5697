import Foundation

/// The nodes of an atomic store, by identity and by entity, with the versions of their objects.
///
/// Not thread-safe: the store has a lock.
final class NodeTable {
    private var nodes: [ObjectKey: NSAtomicStoreCacheNode] = [:]
    private var byEntity: [Int32: Set<ObjectKey>] = [:]
    private var versions: [ObjectKey: Int64] = [:]
    /// Nodes without values for the new objects of a running save, so that others can lead to them.
    private var prepared: [ObjectKey: NSAtomicStoreCacheNode] = [:]

    var all: [NSAtomicStoreCacheNode] { Array(nodes.values) }

    /// The node of an object, also of one that is being saved. O(1).
    func node(_ key: ObjectKey) -> NSAtomicStoreCacheNode? { nodes[key] ?? prepared[key] }

    /// The node of a saved object. O(1).
    func savedNode(_ key: ObjectKey) -> NSAtomicStoreCacheNode? { nodes[key] }

    func version(_ key: ObjectKey) -> Int64 { versions[key] ?? 1 }

    func setVersion(_ key: ObjectKey, _ version: Int64) { versions[key] = version }

    func add(_ node: NSAtomicStoreCacheNode) {
        let key = node.objectID.key
        nodes[key] = node
        byEntity[node.objectID.storedEntity.entityNumber, default: []].insert(key)
    }

    func remove(_ node: NSAtomicStoreCacheNode) {
        let key = node.objectID.key
        nodes[key] = nil
        versions[key] = nil
        byEntity[node.objectID.storedEntity.entityNumber]?.remove(key)
    }

    func removeAll() {
        // Nodes hold each other.
        for node in nodes.values { node.propertyCache = nil }
        nodes = [:]
        byEntity = [:]
        versions = [:]
        prepared = [:]
    }

    /// The nodes of entities, in the order of their references. O(n log n).
    func nodes(ofEntities numbers: [Int32]) -> [NSAtomicStoreCacheNode] {
        numbers.flatMap { (byEntity[$0] ?? []).compactMap { nodes[$0] } }
            .sorted { $0.objectID.reference < $1.objectID.reference }
    }

    // MARK: A running save

    func prepare(_ node: NSAtomicStoreCacheNode) { prepared[node.objectID.key] = node }

    func isPrepared(_ node: NSAtomicStoreCacheNode) -> Bool { prepared[node.objectID.key] === node }

    func endPreparation() { prepared = [:] }
}
