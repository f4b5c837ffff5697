import CocoaFoundation
import Foundation
import ManagedObjectModel

/// A store in one XML file, of Apple's document type: each save replaces the whole file.
package final class XMLStore: DocumentStore, @unchecked Sendable {
    package override var type: String { NSXMLStoreType }

    package override func prepare(_ model: NSManagedObjectModel) throws {
        try super.prepare(model)
        for storedEntity in storedEntities {
            var names: Set<String> = []
            for slot in storedEntity.layout.slots where slot.isStored {
                guard !names.insert(slot.name.lowercased()).inserted else { continue }
                throw refusal(
                    "it ignores case, and entity '\(storedEntity.entity.name ?? "")' has another property like '\(slot.name)'"
                )
            }
        }
        let entities = storedEntities.map { Self.typeName($0) }
        guard Set(entities).count == entities.count else {
            throw refusal("it ignores case in the names of entities")
        }
        // The first number in Apple's stores.
        lastReference = 101
    }

    private static func typeName(_ storedEntity: StoredEntity) -> String {
        (storedEntity.entity.name ?? "").uppercased()
    }

    // MARK: Metadata

    /// The file as it was read for its metadata, until its objects are read.
    private var file: XMLStoreFile?

    override func metadata(in data: Data, _ url: URL) throws -> [String: Any] {
        let file = try XMLStoreReader.read(data, url)
        self.file = file
        return file.allMetadata
    }

    package override class func metadata(in data: Data, _ url: URL) throws -> [String: Any] {
        try XMLStoreReader.read(data, url).allMetadata
    }

    override class func setting(_ metadata: [String: Any], in data: Data, _ url: URL) throws -> Data {
        var file = try XMLStoreReader.read(data, url)
        file.set(metadata)
        return try file.data()
    }

    override class func reconstructedModel(of data: Data, _ url: URL) throws -> NSManagedObjectModel {
        try XMLStoreReader.read(data, url).reconstructedModel(url)
    }

    // MARK: Reading

    override func take(_ data: Data, _ url: URL) throws {
        let file = try self.file ?? XMLStoreReader.read(data, url)
        self.file = nil
        let byType = Dictionary(
            storedEntities.map { (Self.typeName($0), $0) }, uniquingKeysWith: { a, _ in a })
        var byNumber: [Int64: NSAtomicStoreCacheNode] = [:]
        var read: [(XMLStoreFile.Object, NSAtomicStoreCacheNode)] = []
        for object in file.objects {
            guard let storedEntity = byType[object.type.uppercased()] else {
                throw unknown("objects of the type \(object.type)")
            }
            guard let number = Self.number(object.id) else {
                throw StoreDocument.damaged(url, "'\(object.id)' is not the identifier of an object")
            }
            let node = NSAtomicStoreCacheNode(
                objectID: objectID(for: storedEntity.entity, withReferenceObject: number))
            guard byNumber.updateValue(node, forKey: number) == nil else {
                throw StoreDocument.damaged(url, "there are two objects '\(object.id)'")
            }
            lastReference = max(lastReference, number)
            try take(object.attributes, node, storedEntity, number)
            read.append((object, node))
        }
        lastReference = max(lastReference, file.nextObjectID)
        for (object, node) in read { try link(object, node, byNumber) }
        addCacheNodes(Set(read.map(\.1)))
    }

    package static func number(_ id: String) -> Int64? {
        guard id.first == "z", let number = Int64(id.dropFirst()), number > 0, number < numberLimit else {
            return nil
        }
        return number
    }

    private func take(
        _ attributes: [XMLStoreFile.Attribute], _ node: NSAtomicStoreCacheNode, _ storedEntity: StoredEntity,
        _ number: Int64
    ) throws {
        let slots = Dictionary(
            self.attributes(of: storedEntity).map { ($0.name.lowercased(), $0) },
            uniquingKeysWith: { a, _ in a })
        for attribute in attributes {
            guard let slot = slots[attribute.name.lowercased()] else {
                throw unknown("attribute '\(attribute.name)' of \(storedEntity.entity.name ?? "")")
            }
            guard let value = XMLStoreValue.value(attribute.text, slot) else {
                throw wrongValue(slot, number)
            }
            node.setValue(value, forKey: slot.name)
        }
    }

    private func link(
        _ object: XMLStoreFile.Object, _ node: NSAtomicStoreCacheNode,
        _ byNumber: [Int64: NSAtomicStoreCacheNode]
    ) throws {
        let slots = Dictionary(
            relationships(of: node.objectID.storedEntity).map { ($0.name.lowercased(), $0) },
            uniquingKeysWith: { a, _ in a })
        for relationship in object.relationships {
            guard let slot = slots[relationship.name.lowercased()] else {
                throw unknown("relationship '\(relationship.name)' of \(node.objectID.entity.name ?? "")")
            }
            let numbers = try relationship.ids.map { id in
                guard let number = Self.number(id) else {
                    throw StoreDocument.damaged(url, "'\(id)' is not the identifier of an object")
                }
                return number
            }
            try link(node, slot, numbers, byNumber)
        }
    }

    // MARK: Writing

    override func contents() throws -> Data {
        var file = XMLStoreFile(identifier: identifier ?? "", nextObjectID: lastReference, metadata: [:])
        file.set(metadata)
        file.objects = try numberedNodes.map(object)
        return try file.data()
    }

    private func object(_ number: Int64, _ node: NSAtomicStoreCacheNode) throws -> XMLStoreFile.Object {
        let storedEntity = node.objectID.storedEntity
        var object = XMLStoreFile.Object(type: Self.typeName(storedEntity), id: "z\(number)")
        // From the last to the first, as in Apple's files.
        for slot in attributes(of: storedEntity).reversed() {
            guard let value = node.storedValue(forKey: slot.name) else { continue }
            let text = try XMLStoreValue.text(value, slot)
            object.attributes.append(
                .init(name: slot.name.lowercased(), type: XMLStoreValue.typeName(slot.kind), text: text))
        }
        for slot in relationships(of: storedEntity) {
            guard let relationship = slot.relationship, let destination = relationship.destinationEntity
            else {
                continue
            }
            object.relationships.append(
                .init(
                    name: slot.name.lowercased(), type: "\(relationship.minCount)/\(relationship.maxCount)",
                    destination: (destination.name ?? "").uppercased(),
                    ids: try numbers(node, slot).map { "z\($0)" }))
        }
        return object
    }
}

extension XMLStoreFile {
    /// The metadata, with the values that are elsewhere in the file.
    fileprivate var allMetadata: [String: Any] {
        var metadata = metadata
        metadata[NSStoreTypeKey] = NSXMLStoreType
        metadata[NSStoreUUIDKey] = identifier
        return metadata
    }

    /// Adopts metadata, whose identifier is elsewhere in the file and whose type is not in the file.
    fileprivate mutating func set(_ metadata: [String: Any]) {
        identifier = metadata[NSStoreUUIDKey] as? String ?? identifier
        self.metadata = metadata
        self.metadata[NSStoreUUIDKey] = nil
        self.metadata[NSStoreTypeKey] = nil
    }
}
