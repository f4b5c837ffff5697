import CoreData
import Foundation
import ManagedObjectModel
import ObjectGraph

/// The contents of an XML or binary store's file, object by object: for tools that inspect files which the store itself would
/// refuse.
package struct DocumentContents {
    /// An object's destinations of a relationship.
    package struct Link {
        /// The name as the file has it: in small letters in XML.
        package let name: String
        /// The numbers of the destinations; nil for what does not identify an object.
        package let numbers: [Int64?]
    }

    package struct Object {
        /// The name of the entity as the file has it: in capitals in XML.
        package let entityName: String
        /// The number of the object in the file; nil for an invalid identifier.
        package let number: Int64?
        package let links: [Link]
        fileprivate let values: Values

        /// How many attributes have a value.
        package var valueCount: Int {
            switch values {
            case .named(let attributes): attributes.count
            case .listed(let values): values.count { $0 != nil }
            }
        }
    }

    fileprivate enum Values {
        case named([XMLStoreFile.Attribute])
        /// In the order of `DocumentStore.attributes(of:)`.
        case listed([Any?])
    }

    /// The type of the store.
    package let type: String
    package let metadata: [String: Any]
    /// The highest number that an object has had, as the file says.
    package let lastNumber: Int64
    package let objects: [Object]

    /// Reads a file.
    ///
    /// - Parameter type: `NSXMLStoreType` or `NSBinaryStoreType`.
    /// - Throws: 260 when there is no file, 134010 for a store of another type, 259 for a damaged one, 134080 for one
    ///   that cannot be read.
    package init(_ url: URL, type: String) throws {
        self.type = type
        let data = try StoreDocument.read(url)
        guard type == NSBinaryStoreType else {
            let file = try XMLStoreReader.read(data, url)
            metadata = try XMLStore.metadata(in: data, url)
            lastNumber = file.nextObjectID
            objects = file.objects.map { object in
                Object(
                    entityName: object.type, number: XMLStore.number(object.id),
                    links: object.relationships.map { relationship in
                        Link(name: relationship.name, numbers: relationship.ids.map(XMLStore.number))
                    }, values: .named(object.attributes))
            }
            return
        }
        let file = try BinaryStoreFile(data, url)
        metadata = try BinaryStore.metadata(in: data, url)
        lastNumber = file.lastNumber
        objects = try file.nodes(url) { _, _ in }.map { node in
            Object(
                entityName: node.entityName, number: node.number,
                links: node.related.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                    .map { Link(name: $0.key, numbers: $0.value) }, values: .listed(node.values))
        }
    }
}

/// The entities and properties of a model as the file of an XML or binary store names them.
package struct DocumentNames {
    /// An object's values of the attributes of its entity.
    package struct Attributes {
        /// The names of those that have a value.
        package fileprivate(set) var present: Set<String> = []
        /// The names of those whose value is not of their type.
        package fileprivate(set) var invalid: [String] = []
        /// Names in the file that the entity does not have.
        package fileprivate(set) var unknown: [String] = []
    }

    private let contents: DocumentContents
    private let store: DocumentStore
    private let storedEntities: [String: StoredEntity]

    /// - Throws: 134020 when a store of the type does not accept the model.
    package init(_ contents: DocumentContents, _ url: URL, _ model: NSManagedObjectModel) throws {
        self.contents = contents
        let storeClass: DocumentStore.Type =
            contents.type == NSBinaryStoreType ? BinaryStore.self : XMLStore.self
        // It is only used for names; the file is not opened.
        store = storeClass.init(
            _opening: _StoreOpening(
                nil, configuration: nil, at: url, options: [NSReadOnlyPersistentStoreOption: true]))
        store.installEntities(model.entitiesInPreorder().enumerated().map { ($1, Int32($0 + 1)) })
        try store.prepare(model)
        storedEntities = Dictionary(
            store.storedEntities.map { (Self.key($0.entity.name ?? "", contents.type), $0) },
            uniquingKeysWith: { first, _ in first })
    }

    private static func key(_ name: String, _ type: String) -> String {
        type == NSXMLStoreType ? name.uppercased() : name
    }

    /// Compares the version hashes of the file with those of a model, unless the model was made from the objects.
    ///
    /// - Throws: 134100, with the entities that differ.
    package static func checkVersion(
        _ contents: DocumentContents, _ url: URL, _ model: NSManagedObjectModel
    ) throws {
        guard contents.metadata[NSStoreModelVersionHashesKey] != nil, !model.isReconstructed else { return }
        try ObjectGraph.StoreMetadata.check(
            contents.metadata, model,
            configuration: model.configuration(ofStoreWith: contents.metadata)
                ?? defaultConfigurationName, url: url)
    }

    /// The entity of an object; nil for one that the model does not have.
    package func storedEntity(_ object: DocumentContents.Object) -> StoredEntity? {
        storedEntities[Self.key(object.entityName, contents.type)]
    }

    /// The attribute values of an object of an entity.
    package func attributes(_ object: DocumentContents.Object, _ storedEntity: StoredEntity) -> Attributes {
        let slots = store.attributes(of: storedEntity)
        var found = Attributes()
        switch object.values {
        case .named(let attributes):
            let byName = Dictionary(slots.map { ($0.name.lowercased(), $0) }, uniquingKeysWith: { a, _ in a })
            for attribute in attributes {
                guard let slot = byName[attribute.name.lowercased()] else {
                    found.unknown.append(attribute.name)
                    continue
                }
                found.present.insert(slot.name)
                if XMLStoreValue.value(attribute.text, slot) == nil { found.invalid.append(slot.name) }
            }
        case .listed(let values):
            for (index, value) in values.enumerated() {
                guard index < slots.count else {
                    found.unknown.append("attribute \(index + 1)")
                    continue
                }
                guard let value else { continue }
                let slot = slots[index]
                found.present.insert(slot.name)
                let isArchive = slot.kind == .transformable && value is Data
                if !isArchive, (try? SlotValue(value, for: slot)) == nil { found.invalid.append(slot.name) }
            }
        }
        return found
    }

    /// The relationship of an entity that the file names; nil for one that it does not have.
    package func relationship(_ link: DocumentContents.Link, _ storedEntity: StoredEntity) -> PropertySlot? {
        let name = contents.type == NSXMLStoreType ? link.name.lowercased() : link.name
        return store.relationships(of: storedEntity).first {
            (contents.type == NSXMLStoreType ? $0.name.lowercased() : $0.name) == name
        }
    }
}
