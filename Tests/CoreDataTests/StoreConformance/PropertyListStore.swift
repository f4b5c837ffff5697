import CoreData
import Foundation

/// A custom atomic store: a property list of objects, each with an identifier.
final class PropertyListStore: NSAtomicStore, @unchecked Sendable {
    override var type: String { "PropertyList" }

    private final class Node: NSAtomicStoreCacheNode, @unchecked Sendable {}

    /// What a test wants the next save to fail with.
    nonisolated(unsafe) var failure: NSError?
    nonisolated(unsafe) private(set) var removedNodes = 0
    /// What a test wants all new objects to be identified by.
    nonisolated(unsafe) var reference: String?
    /// What a test wants all new nodes to be of.
    nonisolated(unsafe) var nodeID: NSManagedObjectID?

    override func newReferenceObject(for managedObject: NSManagedObject) -> Any {
        reference ?? UUID().uuidString
    }

    override func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
        let node = Node(objectID: nodeID ?? managedObject.objectID)
        updateCacheNode(node, from: managedObject)
        return node
    }

    override func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
        removedNodes += cacheNodes.count
    }

    override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        try contents(url)["metadata"] as? [String: Any] ?? [:]
    }

    override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        var contents = try contents(url)
        contents["metadata"] = metadata
        try PropertyListSerialization.data(fromPropertyList: contents, format: .binary, options: 0).write(
            to: url)
    }

    private static func contents(_ url: URL) throws -> [String: Any] {
        let data = try Data(contentsOf: url)
        return try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any] ?? [:]
    }

    override func load() throws {
        guard let url, FileManager.default.fileExists(atPath: url.path),
            let model = persistentStoreCoordinator?.managedObjectModel
        else { return }
        let contents = try Self.contents(url)
        metadata = contents["metadata"] as? [String: Any]
        var nodes: [String: Node] = [:]
        let objects = contents["objects"] as? [[String: Any]] ?? []
        for object in objects {
            guard let id = object["id"] as? String, let name = object["entity"] as? String,
                let entity = model.entitiesByName[name]
            else { continue }
            let node = Node(objectID: objectID(for: entity, withReferenceObject: id))
            for (key, value) in object["values"] as? [String: Any] ?? [:] {
                node.setValue(Self.value(value, entity.attributesByName[key]), forKey: key)
            }
            nodes[id] = node
        }
        for object in objects {
            guard let id = object["id"] as? String, let node = nodes[id] else { continue }
            for (key, ids) in object["links"] as? [String: [String]] ?? [:] {
                guard let relationship = node.objectID.entity.relationshipsByName[key] else { continue }
                let destinations = ids.compactMap { nodes[$0] }
                if !relationship.isToMany {
                    node.setValue(destinations.first, forKey: key)
                } else {
                    let value: Any =
                        relationship.isOrdered
                        ? NSOrderedSet(array: destinations) : NSSet(array: destinations)
                    node.setValue(value, forKey: key)
                }
            }
        }
        addCacheNodes(Set(nodes.values))
    }

    private static func value(_ value: Any, _ attribute: NSAttributeDescription?) -> Any? {
        switch attribute?.attributeType {
        case .decimalAttributeType: return (value as? String).map { NSDecimalNumber(string: $0) }
        case .UUIDAttributeType: return (value as? String).flatMap { UUID(uuidString: $0) }
        case .URIAttributeType: return (value as? String).flatMap { URL(string: $0) }
        default: return value
        }
    }

    override func save() throws {
        if let failure {
            self.failure = nil
            throw failure
        }
        guard let url else { return }
        let objects = cacheNodes().map { node -> [String: Any] in
            let entity = node.objectID.entity
            var values: [String: Any] = [:]
            for (key, attribute) in entity.attributesByName {
                guard let value = node.value(forKey: key) else { continue }
                values[key] =
                    switch attribute.attributeType {
                    case .decimalAttributeType, .UUIDAttributeType: "\(value)"
                    case .URIAttributeType: (value as? URL)?.absoluteString ?? ""
                    default: value
                    }
            }
            var links: [String: [String]] = [:]
            for key in entity.relationshipsByName.keys {
                let value = node.value(forKey: key)
                let nodes =
                    (value as? NSOrderedSet)?.array ?? (value as? NSSet)?.allObjects ?? value.map { [$0] }
                    ?? []
                links[key] = nodes.compactMap { ($0 as? Node).map { "\(referenceObject(for: $0.objectID))" } }
            }
            return [
                "entity": entity.name ?? "", "id": "\(referenceObject(for: node.objectID))", "values": values,
                "links": links,
            ]
        }
        let contents: [String: Any] = ["metadata": metadata ?? [:], "objects": objects]
        try PropertyListSerialization.data(fromPropertyList: contents, format: .binary, options: 0)
            .write(to: url, options: .atomic)
    }
}
