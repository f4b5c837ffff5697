import CocoaFoundation
import Foundation
import ManagedObjectModel

/// A store in one file of Apple's archives: each save replaces the whole file.
package final class BinaryStore: DocumentStore, @unchecked Sendable {
    package override var type: String { NSBinaryStoreType }

    package override class func metadata(in data: Data, _ url: URL) throws -> [String: Any] {
        var metadata = try BinaryStoreFile(data, url).metadata(url)
        metadata[NSStoreTypeKey] = NSBinaryStoreType
        return metadata
    }

    override class func setting(_ metadata: [String: Any], in data: Data, _ url: URL) throws -> Data {
        try BinaryStoreFile(data, url).setting(metadata)
    }

    override class func reconstructedModel(of data: Data, _ url: URL) throws -> NSManagedObjectModel {
        try BinaryStoreFile(data, url).reconstructedModel(url)
    }

    override func take(_ data: Data, _ url: URL) throws {
        let file = try BinaryStoreFile(data, url)
        let byName = Dictionary(
            storedEntities.map { ($0.entity.name ?? "", $0) }, uniquingKeysWith: { a, _ in a })
        var byNumber: [Int64: NSAtomicStoreCacheNode] = [:]
        var read: [(BinaryStoreFile.Node, NSAtomicStoreCacheNode)] = []
        let slotsByName = byName.mapValues(attributes)
        let found = try file.nodes(url) { name, count in
            guard let slots = slotsByName[name] else { throw unknown("objects of entity '\(name)'") }
            guard count == slots.count else {
                throw NSError.coreData(
                    .persistentStoreIncompatibleSchema,
                    "The store at \(url.path) has \(count) values for the \(slots.count) attributes of entity '\(name)'."
                )
            }
        }
        for stored in found {
            guard let storedEntity = byName[stored.entityName], let slots = slotsByName[stored.entityName]
            else {
                throw unknown("objects of entity '\(stored.entityName)'")
            }
            let node = NSAtomicStoreCacheNode(
                objectID: objectID(for: storedEntity.entity, withReferenceObject: stored.number))
            guard stored.number < Self.numberLimit, byNumber.updateValue(node, forKey: stored.number) == nil
            else {
                throw StoreDocument.damaged(url, "there are two objects \(stored.number)")
            }
            lastReference = max(lastReference, stored.number)
            for (slot, value) in zip(slots, stored.values) {
                guard let value else { continue }
                node.setValue(try self.value(value, slot, stored.number), forKey: slot.name)
            }
            read.append((stored, node))
        }
        lastReference = max(lastReference, file.lastNumber)
        for (stored, node) in read { try link(stored, node, byNumber) }
        addCacheNodes(Set(read.map(\.1)))
    }

    private func value(_ value: Any, _ slot: PropertySlot, _ number: Int64) throws -> Any {
        if slot.kind == .transformable, let data = value as? Data {
            return ArchivedValue(data, slot)
        }
        guard let value = (try? SlotValue(value, for: slot))?.anyValue(slot.kind) else {
            throw wrongValue(slot, number)
        }
        return value
    }

    private func link(
        _ stored: BinaryStoreFile.Node, _ node: NSAtomicStoreCacheNode,
        _ byNumber: [Int64: NSAtomicStoreCacheNode]
    ) throws {
        let slots = Dictionary(
            relationships(of: node.objectID.storedEntity).map { ($0.name, $0) },
            uniquingKeysWith: { a, _ in a })
        for (name, numbers) in stored.related {
            guard let slot = slots[name] else {
                throw unknown("relationship '\(name)' of entity '\(stored.entityName)'")
            }
            try link(node, slot, numbers, byNumber)
        }
    }

    override func contents() throws -> Data {
        let stored = try numberedNodes.map { number, node in
            let storedEntity = node.objectID.storedEntity
            return BinaryStoreFile.Node(
                entityName: storedEntity.entity.name ?? "", number: number,
                values: attributes(of: storedEntity).map { slot in
                    let value = node.storedValue(forKey: slot.name)
                    return (value as? ArchivedValue)?.data ?? value
                },
                related: Dictionary(
                    try relationships(of: storedEntity).map { ($0.name, try numbers(node, $0)) },
                    uniquingKeysWith: { a, _ in a }))
        }
        return try BinaryStoreFile.data(metadata: metadata, nodes: stored, lastNumber: lastReference)
    }
}
