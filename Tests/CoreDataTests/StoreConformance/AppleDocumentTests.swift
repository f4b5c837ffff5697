import CoreData
import Foundation
import TestSupport
import Testing

/// XML and binary stores that Apple's framework wrote, read, changed in nothing and written again.
@Suite(.enabled(if: Corpus.isPresent, Comment(rawValue: Corpus.missing)))
struct AppleDocumentTests {
    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private static let xmlFiles =
        Corpus.files(under: "xmlstores").filter { $0.hasSuffix(".paw") }
        + Corpus.files(named: "xcmapping.xml", under: "mapping")
    private static let binaryFiles = Corpus.files(under: "binstores").filter { $0.hasSuffix(".paw") }
    private static var ignoring: [AnyHashable: Any] { [NSIgnorePersistentStoreVersioningOption: true] }

    // MARK: XML

    @Test("The corpus has Apple's XML and binary stores")
    func corpusHasDocuments() {
        #expect(Self.xmlFiles.count >= 30)
        #expect(Self.binaryFiles.count == 2)
    }

    @Test("An XML store of Apple's is read and written again with the same objects", arguments: xmlFiles)
    func xmlStore(_ path: String) throws {
        let raw = try RawXMLStore(Data(contentsOf: Corpus.url(path)))
        try #require(!raw.objects.isEmpty)
        let file = folder.url.appendingPathComponent("Store.xml")
        try FileManager.default.copyItem(at: Corpus.url(path), to: file)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: raw.model)
        let store = try coordinator.addPersistentStore(type: .xml, at: file, options: Self.ignoring)
        #expect(store.identifier == raw.identifier)
        // Opening changes nothing.
        #expect(try Data(contentsOf: file) == Data(contentsOf: Corpus.url(path)))
        try coordinator.inContext { context in
            var count = 0
            for entity in raw.model.entities {
                let objects = try context.all(entity.name ?? "")
                count += objects.count
                for object in objects {
                    let id = object.objectID.uriRepresentation().lastPathComponent.dropFirst()
                    let expected = try #require(raw.objects["z\(id)"])
                    #expect(expected.entity == object.entity.name)
                    expect(object, expected)
                }
            }
            #expect(count == raw.objects.count)
        }
        // Setting the metadata writes the file.
        coordinator.setMetadata(store.metadata, for: store)
        try coordinator.inContext { try $0.save() }
        let written = try Data(contentsOf: file)
        #expect(written != (try Data(contentsOf: Corpus.url(path))))
        let again = try RawXMLStore(written)
        #expect(again.objects == raw.objects)
        #expect(again.order == raw.order.sorted { Int($0.dropFirst()) ?? 0 < Int($1.dropFirst()) ?? 0 })
        #expect(again.identifier == raw.identifier && again.nextObjectID == raw.nextObjectID)
        #expect(NSDictionary(dictionary: again.metadata) == NSDictionary(dictionary: raw.metadata))
    }

    private func expect(_ object: NSManagedObject, _ expected: RawXMLStore.Object) {
        for (name, attribute) in object.entity.attributesByName {
            let text = expected.attributes[name]?.text
            let value = object.value(forKey: name)
            switch attribute.attributeType {
            case .stringAttributeType: #expect(value as? String == text.map(unescaped))
            case .binaryDataAttributeType:
                let data = text.flatMap { Data(base64Encoded: $0.filter { !$0.isWhitespace }) }
                #expect(value as? Data == data)
            default: #expect((value as? NSNumber).map { "\($0.int64Value)" } == text)
            }
        }
        for (name, relationship) in object.entity.relationshipsByName {
            let value = object.value(forKey: name)
            let objects =
                relationship.isToMany ? value.map(members) ?? [] : value.map { [$0] } ?? []
            let ids = objects.compactMap { object in
                (object as? NSManagedObject)?.objectID.uriRepresentation().lastPathComponent.dropFirst()
            }
            #expect(Set(ids.map { "z\($0)" }) == expected.relationships[name]?.ids ?? [])
        }
    }

    private func members(_ value: Any) -> [Any] {
        (value as? NSOrderedSet)?.array ?? (value as? NSSet)?.allObjects ?? []
    }

    /// The same values come with a model that was made from the objects.
    @Test("An XML store of Apple's is read with a model made from its objects", arguments: xmlFiles)
    func xmlStoreWithoutItsModel(_ path: String) throws {
        let url = Corpus.url(path)
        let raw = try RawXMLStore(Data(contentsOf: url))
        let model = try NSPersistentStoreCoordinator.reconstructedModelForPersistentStore(
            ofType: NSXMLStoreType, at: url)
        // It is opened as it is, without an option to ignore versions, and does not accept changes.
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(type: .xml, at: url)
        #expect(store.isReadOnly && store.identifier == raw.identifier)
        try coordinator.inContext { context in
            var count = 0
            for entity in model.entities where entity.superentity == nil {
                for object in try context.all(entity.name ?? "") {
                    count += 1
                    let id = object.objectID.uriRepresentation().lastPathComponent.dropFirst()
                    let expected = try #require(raw.objects["z\(id)"])
                    #expect(expected.entity == object.entity.name?.uppercased())
                    #expect(
                        Set(object.entity.attributesByName.keys.map { $0.lowercased() })
                            .isSuperset(of: expected.attributes.keys))
                    #expect(object.entity.relationshipsByName.count >= expected.relationships.count)
                    expect(object, expected)
                }
            }
            #expect(count == raw.objects.count)
        }
        try coordinator.close()
    }

    /// Undoes the escapes in another way than the library: by plain replacing.
    private func unescaped(_ text: String) -> String {
        let marker = "\u{1}"
        var text = text.replacingOccurrences(of: "\\\\", with: marker)
        for (escape, character) in [("\\u2600", "&"), ("\\u3c00", "<"), ("\\u3e00", ">")] {
            text = text.replacingOccurrences(of: escape, with: character)
        }
        return text.replacingOccurrences(of: marker, with: "\\")
    }

    // MARK: Binary

    @Test("A binary store of Apple's is read and written again with the same objects", arguments: binaryFiles)
    func binaryStore(_ path: String) throws {
        let raw = try RawBinaryStore(Data(contentsOf: Corpus.url(path)))
        try #require(!raw.nodes.isEmpty)
        let file = folder.url.appendingPathComponent("Store.binary")
        try FileManager.default.copyItem(at: Corpus.url(path), to: file)
        let model = raw.model
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(type: .binary, at: file, options: Self.ignoring)
        #expect(store.identifier == raw.metadata[NSStoreUUIDKey] as? String)
        #expect(try Data(contentsOf: file) == Data(contentsOf: Corpus.url(path)))
        try coordinator.inContext { context in
            var count = 0
            for entity in model.entities {
                for object in try context.all(entity.name ?? "") {
                    count += 1
                    let id = object.objectID.uriRepresentation().lastPathComponent.dropFirst()
                    let node = try #require(Int(id).flatMap { raw.nodes[$0] })
                    #expect(node.entity == object.entity.name)
                    for (index, expected) in node.values.enumerated() {
                        let value = object.value(forKey: RawBinaryStore.name(index))
                        #expect(value.map { "\($0)" } == expected.map { "\($0)" })
                    }
                    for name in object.entity.relationshipsByName.keys {
                        let objects = (object.value(forKey: name) as? NSSet)?.allObjects ?? []
                        let numbers = objects.compactMap { object in
                            (object as? NSManagedObject).flatMap {
                                Int($0.objectID.uriRepresentation().lastPathComponent.dropFirst())
                            }
                        }
                        #expect(Set(numbers) == node.related[name] ?? [])
                    }
                }
            }
            #expect(count == raw.nodes.count)
        }
        coordinator.setMetadata(store.metadata, for: store)
        try coordinator.inContext { try $0.save() }
        let written = try Data(contentsOf: file)
        #expect(written != (try Data(contentsOf: Corpus.url(path))))
        let again = try RawBinaryStore(written)
        #expect(again.nodes == raw.nodes)
        #expect(again.lastNumber == raw.lastNumber)
        #expect(NSDictionary(dictionary: again.metadata) == NSDictionary(dictionary: raw.metadata))
    }

    /// The same values come, in their order, with a model that was made from the objects.
    @Test("A binary store of Apple's is read with a model made from its objects", arguments: binaryFiles)
    func binaryStoreWithoutItsModel(_ path: String) throws {
        let url = Corpus.url(path)
        let raw = try RawBinaryStore(Data(contentsOf: url))
        let model = try NSPersistentStoreCoordinator.reconstructedModelForPersistentStore(
            ofType: NSBinaryStoreType, at: url)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(type: .binary, at: url)
        #expect(store.isReadOnly)
        try coordinator.inContext { context in
            var count = 0
            for entity in model.entities where entity.superentity == nil {
                for object in try context.all(entity.name ?? "") {
                    count += 1
                    let id = object.objectID.uriRepresentation().lastPathComponent.dropFirst()
                    let node = try #require(Int(id).flatMap { raw.nodes[$0] })
                    #expect(node.entity == object.entity.name)
                    let names = object.entity.attributesByName.keys.sorted()
                    try #require(names.count == node.values.count)
                    for (name, expected) in zip(names, node.values) {
                        #expect(object.value(forKey: name).map { "\($0)" } == expected.map { "\($0)" })
                    }
                    for (name, expected) in node.related where !expected.isEmpty {
                        let value = try #require(object.value(forKey: name))
                        let objects = (value as? NSManagedObject).map { [$0] } ?? members(value)
                        let numbers = objects.compactMap { object in
                            (object as? NSManagedObject).flatMap {
                                Int($0.objectID.uriRepresentation().lastPathComponent.dropFirst())
                            }
                        }
                        #expect(Set(numbers) == expected)
                    }
                }
            }
            #expect(count == raw.nodes.count)
        }
        try coordinator.close()
    }

    // MARK: Metadata without opening

    @Test("The metadata of an XML store of Apple's is read without opening it", arguments: xmlFiles)
    func metadataOfAnXMLStore(_ path: String) throws {
        let raw = try RawXMLStore(Data(contentsOf: Corpus.url(path)))
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            type: .xml, at: Corpus.url(path))
        #expect(metadata[NSStoreUUIDKey] as? String == raw.identifier)
        #expect(metadata[NSStoreTypeKey] as? String == NSXMLStoreType)
        let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data]
        #expect(hashes == raw.metadata[NSStoreModelVersionHashesKey] as? [String: Data])
        #expect(hashes?.isEmpty == false)
    }
}
