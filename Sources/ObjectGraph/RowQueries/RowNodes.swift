import CocoaFoundation
import Foundation
import ManagedObjectModel

/// The objects of a store as nodes, which read their rows and those that relationships lead to when they are needed.
final class RowNodes: @unchecked Sendable {
    private let source: any RowSource
    private var nodes: [ObjectKey: RowNode] = [:]
    /// Why a row could not be read: key-value coding returns no errors.
    private(set) var error: (any Error)?

    var store: any ObjectStore { source.storeOfRows }

    init(_ source: any RowSource) { self.source = source }

    /// - Returns: nil for the row of an entity that the store does not have.
    func node(_ row: Row) -> RowNode? {
        guard let storedEntity = store.storedEntity(number: row.entityNumber) else { return nil }
        let key = ObjectKey(table: storedEntity.table, reference: row.reference)
        if let known = nodes[key] { return known }
        let node = RowNode(storedEntity: storedEntity, row, self)
        nodes[key] = node
        return node
    }

    /// The node of an object; nil when it has no row.
    func node(_ storedEntity: StoredEntity, _ reference: Int64) -> RowNode? {
        if let known = nodes[ObjectKey(table: storedEntity.table, reference: reference)] { return known }
        return reading { try source.row(of: storedEntity, reference) }?.flatMap(node)
    }

    /// The nodes that a relationship to many leads to, in its order.
    func destinations(_ relationship: NSRelationshipDescription, of node: RowNode) -> [RowNode] {
        let found = reading {
            try source.destinations(
                of: relationship, from: node.objectID.storedEntity, node.objectID.reference)
        }
        return (found ?? []).compactMap { number, reference in
            store.storedEntity(number: number).flatMap { self.node($0, reference) }
        }
    }

    /// What a block reads; nil when it throws.
    func reading<Value>(_ body: () throws -> Value) -> Value? {
        do {
            return try body()
        } catch {
            self.error = self.error ?? error
            return nil
        }
    }
}

/// One object of a store, whose values are those of its row.
final class RowNode: NSAtomicStoreCacheNode, @unchecked Sendable {
    private let values: Row
    private let storedEntity: StoredEntity
    private unowned let nodes: RowNodes

    init(storedEntity: StoredEntity, _ row: Row, _ nodes: RowNodes) {
        values = row
        self.storedEntity = storedEntity
        self.nodes = nodes
        super.init(objectID: NSManagedObjectID(storedEntity: storedEntity, reference: row.reference))
        self.row = row
    }

    @available(*, unavailable, message: "A node is made of a row.")
    required init(objectID moid: NSManagedObjectID) { fatalError("A node is made of a row.") }

    override func value(forKey key: String) -> Any? {
        guard let slot = storedEntity.layout.index(of: key), storedEntity.layout.slots[slot].isStored else {
            return super.value(forKey: key)
        }
        let info = storedEntity.layout.slots[slot]
        switch info.kind {
        case .toOne:
            guard let destination = values.destinationStoredEntity(info, nodes.store) else { return nil }
            return nodes.node(destination, values.integer(info.rowSlot))
        case .toMany:
            guard let relationship = info.relationship else { return nil }
            let destinations = nodes.destinations(relationship, of: self)
            return relationship.isOrdered
                ? NSOrderedSet(array: destinations) as Any : NSSet(array: destinations) as Any
        case .binary where info.isExternal && !values.isNull(info.rowSlot):
            return nodes.reading { try ExternalData.data(values.data(info.rowSlot), of: nodes.store) }
        default: return values.value(info.rowSlot, info).anyValue(info.kind)
        }
    }
}
