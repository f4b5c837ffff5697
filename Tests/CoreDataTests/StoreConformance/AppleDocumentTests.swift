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

    @Test func thereAreFiles() {
        #expect(Self.xmlFiles.count >= 30)
        #expect(Self.binaryFiles.count == 2)
    }

    @Test(arguments: xmlFiles) func anXMLStore(_ path: String) throws {
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
                relationship.isToMany ? (value as? NSSet)?.allObjects ?? [] : value.map { [$0] } ?? []
            let ids = objects.compactMap { object in
                (object as? NSManagedObject)?.objectID.uriRepresentation().lastPathComponent.dropFirst()
            }
            #expect(Set(ids.map { "z\($0)" }) == expected.relationships[name]?.ids ?? [])
        }
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

    @Test(arguments: binaryFiles) func aBinaryStore(_ path: String) throws {
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

    // MARK: Metadata without opening

    @Test(arguments: xmlFiles) func metadataOfAnXMLStore(_ path: String) throws {
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
