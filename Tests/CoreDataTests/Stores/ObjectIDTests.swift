import CoreData
import TestSupport
import Testing

/// Object IDs as URIs, and URIs that are not IDs.
@Suite struct ObjectIDTests {
    private static let model: NSManagedObjectModel = {
        let subentity = NSEntityDescription("Subentity")
        return NSManagedObjectModel(
            of: NSEntityDescription("Item", attribute("name", .string)),
            NSEntityDescription("Root", subentities: [subentity]), subentity,
            NSEntityDescription("Größe \"100%\" / a+b?#é"))
    }()

    private let folder: StoreFolder
    private let coordinator: NSPersistentStoreCoordinator
    private var identifier: String { coordinator.persistentStores[0].identifier }

    init() throws {
        folder = try StoreFolder()
        coordinator = try folder.open(Self.model)
    }

    @Test("The URI of a permanent ID names store, entity and key")
    func permanentIDForm() throws {
        try coordinator.inContext { context in
            for _ in 0..<2 { try context.insert("Item") }
            try context.save()
            let uris = try context.all("Item").map { $0.objectID.uriRepresentation().absoluteString }
            #expect(
                Set(uris) == ["x-coredata://\(identifier)/Item/p1", "x-coredata://\(identifier)/Item/p2"])
        }
    }

    @Test("The URI of a temporary ID names the entity and finds no object")
    func temporaryIDForm() throws {
        try coordinator.inContext { context in
            let item = try context.insert("Item")
            #expect(item.objectID.isTemporaryID)
            #expect(item.objectID.persistentStore == nil)
            let uri = item.objectID.uriRepresentation()
            #expect(uri.absoluteString.hasPrefix("x-coredata:///Item/t"))
            #expect(coordinator.managedObjectID(forURIRepresentation: uri) == nil)
            let temporary = item.objectID
            try context.save()
            #expect(item.objectID != temporary && !item.objectID.isTemporaryID)
            #expect(item.objectID.persistentStore === coordinator.persistentStores[0])
        }
    }

    @Test(
        "A URI finds its object after the store is opened again",
        arguments: ["Item", "Root", "Subentity", "Größe \"100%\" / a+b?#é"])
    func uriFindsTheObject(_ entity: String) throws {
        let uri = try coordinator.inContext { context in
            let object = try context.insert(entity)
            try context.save()
            let uri = object.objectID.uriRepresentation()
            #expect(coordinator.managedObjectID(forURIRepresentation: uri) == object.objectID)
            #expect(coordinator.managedObjectID(for: uri.absoluteString) == object.objectID)
            return uri
        }
        try coordinator.close()
        let again = try folder.open(Self.model)
        let id = try #require(again.managedObjectID(forURIRepresentation: uri))
        #expect(id.entity.name == entity)
        #expect(id.uriRepresentation() == uri)
        try again.inContext { context in
            let object = try context.existingObject(with: id)
            #expect(object.entity.name == entity)
        }
    }

    @Test("Permanent IDs are obtained before the save and kept by it")
    func permanentIDsBeforeTheSave() throws {
        try coordinator.inContext { context in
            let items = try (0..<3).map { _ in try context.insert("Item") }
            try context.obtainPermanentIDs(for: items)
            let ids = items.map(\.objectID)
            #expect(ids.allSatisfy { !$0.isTemporaryID } && Set(ids).count == 3)
            #expect(items.allSatisfy { $0.isInserted })
            #expect(try folder.value("SELECT COUNT(*) FROM ZITEM").description == "0")
            try context.save()
            #expect(items.map(\.objectID) == ids)
            let other = try context.insert("Item")
            try context.save()
            #expect(!ids.contains(other.objectID))
        }
        #expect(try folder.value("SELECT COUNT(*) FROM ZITEM").description == "4")
        #expect(try folder.value("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Item'").description == "4")
    }

    @Test("A URI that names the root entity finds the object of its subentity")
    func uriMayNameTheRootEntity() throws {
        let uri = try coordinator.inContext { context in
            let subentity = try context.insert("Subentity")
            try context.save()
            return subentity.objectID.uriRepresentation().absoluteString
        }
        let root = try #require(
            coordinator.managedObjectID(for: uri.replacing("/Subentity/", with: "/Root/")))
        try coordinator.inContext { context in
            let object = try context.existingObject(with: root)
            #expect(object.entity.name == "Subentity")
        }
    }

    @Test("Keys of deleted objects are not used again")
    func keysAreNotReused() throws {
        try coordinator.inContext { context in
            let first = try context.insert("Item")
            try context.save()
            let id = first.objectID
            context.delete(first)
            try context.save()
            let second = try context.insert("Item")
            try context.save()
            #expect(second.objectID != id)
            let missing = try error { _ = try context.existingObject(with: id) }
            #expect(missing.code == 133000)
        }
    }

    @Test("IDs of one object in two contexts are equal")
    func idsOfOneObjectAreEqual() throws {
        let id = try coordinator.inContext { context in
            let item = try context.insert("Item")
            try context.save()
            return item.objectID
        }
        try coordinator.inContext { context in
            let item = try context.only("Item")
            #expect(item.objectID == id && item.objectID.hash == id.hash)
            #expect(Set([item.objectID, id]).count == 1)
        }
    }

    @Test("Invalid strings and URIs give no ID")
    func invalidURIs() throws {
        let store = identifier
        let strings = [
            "", " ", "x", "x-coredata:", "x-coredata://", "x-coredata:///", "x-coredata://\(store)",
            "x-coredata://\(store)/", "x-coredata://\(store)/Item", "x-coredata://\(store)/Item/",
            "x-coredata://\(store)/Item/p", "x-coredata://\(store)/Item/p0", "x-coredata://\(store)/Item/p-1",
            "x-coredata://\(store)/Item/p+1", "x-coredata://\(store)/Item/p 1",
            "x-coredata://\(store)/Item/p1x",
            "x-coredata://\(store)/Item/p1/2", "x-coredata://\(store)/Item/q1",
            "x-coredata://\(store)/Item/1",
            "x-coredata://\(store)/Item/p٣", "x-coredata://\(store)/Item/p\(UInt64.max)",
            "x-coredata://\(store)/Item/p9999999999999999999999999999", "x-coredata://\(store)/item/p1",
            "x-coredata://\(store)/Missing/p1", "x-coredata://\(store)//p1", "x-coredata://\(store)//Item/p1",
            "x-coredata://\(UUID().uuidString)/Item/p1", "x-coredata:///Item/p1", "http://\(store)/Item/p1",
            "X-COREDATA//\(store)/Item/p1", "x-coredata://\(store)/Item/p1?x=1",
            "x-coredata://\(store)/Item/p1#x",
            "x-coredata://\(store)/%/p1", "x-coredata://\(store)/%00/p1", "x-coredata://[\(store)]/Item/p1",
            "x-coredata://\(store):99999999/Item/p1", "x-coredata://user@/Item/p1", "file:///etc/passwd",
            "\u{0}", String(repeating: "/", count: 10_000),
            "x-coredata://\(store)/\(String(repeating: "a", count: 100_000))/p1",
            "'; DROP TABLE ZITEM; --", "x-coredata://\(store)/Item'; DROP TABLE ZITEM; --/p1",
            "\u{202E}x-coredata://",
        ]
        for string in strings {
            #expect(coordinator.managedObjectID(for: string) == nil, "\(string.prefix(80))")
            if let url = URL(string: string) {
                #expect(coordinator.managedObjectID(forURIRepresentation: url) == nil, "\(string.prefix(80))")
            }
        }
    }

    @Test("Mutated URIs give an ID of a known entity or none")
    func mutatedURIs() throws {
        let uri = Array("x-coredata://\(identifier)/Item/p12".utf8)
        var generator = Fuzzing.numbers(seed: 0x1D)
        for _ in 0..<2000 {
            var bytes = uri
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(
                    in: 0...255, using: &generator)
            }
            let id = coordinator.managedObjectID(for: String(decoding: bytes, as: UTF8.self))
            #expect(id == nil || id?.entity.name == "Item")
        }
    }

    @Test("IDs and URIs of a removed store find no object")
    func removedStore() throws {
        let (uri, id) = try coordinator.inContext { context in
            let item = try context.insert("Item")
            try context.save()
            return (item.objectID.uriRepresentation(), item.objectID)
        }
        try coordinator.close()
        #expect(coordinator.managedObjectID(forURIRepresentation: uri) == nil)
        try coordinator.inContext { context in
            let missing = try error { _ = try context.existingObject(with: id) }
            #expect(missing.code == 133000)
        }
    }
}
