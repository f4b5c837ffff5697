import CoreData
import GRDB
import Testing

/// What a store says of itself: read and set, open or not.
@Suite struct MetadataTests {
    private static let model: NSManagedObjectModel = {
        let model = NSManagedObjectModel(of: NSEntityDescription("Item", attribute("name", .string)))
        model.versionIdentifiers = ["one"]
        return model
    }()

    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func plist() throws -> [String: Any] {
        let value = try folder.value("SELECT Z_PLIST FROM Z_METADATA WHERE Z_VERSION = 1")
        let data = try #require(Data.fromDatabaseValue(value))
        #expect(data.starts(with: Data("bplist00".utf8)))
        return try #require(
            try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
    }

    @Test("A new store has the metadata that Apple's stores have")
    func newStoreHasApplesMetadata() throws {
        let coordinator = try folder.open(Self.model)
        let list = try plist()
        #expect(
            list.keys.sorted() == [
                "NSPersistenceFrameworkVersion", "NSStoreModelVersionChecksumKey",
                "NSStoreModelVersionHashes",
                "NSStoreModelVersionHashesDigest", "NSStoreModelVersionHashesVersion",
                "NSStoreModelVersionIdentifiers", "NSStoreType", "_NSAutoVacuumLevel",
            ])
        #expect(list["NSStoreType"] as? String == "SQLite")
        #expect(list["NSStoreModelVersionHashesVersion"] as? Int == 3)
        #expect(list["NSStoreModelVersionIdentifiers"] as? [String] == ["one"])
        #expect(list["_NSAutoVacuumLevel"] as? String == "2")
        let hashes = list["NSStoreModelVersionHashes"] as? [String: Data]
        #expect(hashes == Self.model.entityVersionHashesByName)
        #expect(hashes?["Item"]?.count == 32)
        let identifier = try #require(
            String.fromDatabaseValue(try folder.value("SELECT Z_UUID FROM Z_METADATA")))
        #expect(UUID(uuidString: identifier) != nil)
        let store = coordinator.persistentStores[0]
        #expect(store.identifier == identifier)
        #expect(coordinator.metadata(for: store)[NSStoreUUIDKey] as? String == identifier)
        #expect(coordinator.metadata(for: store)[NSStoreTypeKey] as? String == NSSQLiteStoreType)
    }

    // MARK: Open

    @Test("Metadata set on an open store is written by the next save")
    func nextSaveWritesMetadata() throws {
        let coordinator = try folder.open(Self.model)
        let store = coordinator.persistentStores[0]
        var metadata = coordinator.metadata(for: store)
        metadata["Author"] = "Jane"
        metadata["Lists"] = [1, 2]
        coordinator.setMetadata(metadata, for: store)
        #expect(coordinator.metadata(for: store)["Author"] as? String == "Jane")
        #expect(try plist()["Author"] == nil)
        try coordinator.inContext { context in
            try context.insert("Item")
            try context.save()
        }
        #expect(try plist()["Author"] as? String == "Jane")
        #expect(try plist()["Lists"] as? [Int] == [1, 2])
        try coordinator.close()
        let again = try folder.open(Self.model)
        #expect(again.metadata(for: again.persistentStores[0])["Author"] as? String == "Jane")
    }

    @Test("A save without changes writes metadata")
    func saveWithoutChangesWritesMetadata() throws {
        let coordinator = try folder.open(Self.model)
        coordinator.persistentStores[0].metadata["Author"] = "Jane"
        try coordinator.inContext { try $0.save() }
        #expect(try plist()["Author"] as? String == "Jane")
    }

    @Test("Metadata that is omitted is removed, except for type and identifier")
    func omittedMetadataIsRemoved() throws {
        let coordinator = try folder.open(Self.model)
        let store = coordinator.persistentStores[0]
        let identifier = store.identifier
        coordinator.setMetadata(["Author": "Jane", NSStoreTypeKey: "CardBox"], for: store)
        try coordinator.inContext { try $0.save() }
        coordinator.setMetadata(["Title": "Emma"], for: store)
        try coordinator.inContext { try $0.save() }
        try coordinator.close()
        let again = try folder.open(Self.model)
        let metadata = again.metadata(for: again.persistentStores[0])
        #expect(metadata["Title"] as? String == "Emma")
        #expect(metadata["Author"] == nil)
        #expect(metadata[NSStoreTypeKey] as? String == NSSQLiteStoreType)
        #expect(metadata[NSStoreUUIDKey] as? String == identifier)
    }

    @Test("Metadata of a failed save is written by the next successful save")
    func failedSaveWritesMetadataLater() throws {
        let pages = 30
        let coordinator = try folder.open(Self.model, [NSSQLitePragmasOption: ["max_page_count": pages]])
        coordinator.persistentStores[0].metadata["Author"] = "Jane"
        try coordinator.inContext { context in
            let item = try context.insert("Item", ["name": String(repeating: "x", count: 500_000)])
            let refusal = try error { try context.save() }
            #expect(refusal.localizedDescription.contains("full"))
            let list = try plist()
            #expect(list["Author"] == nil)
            item.setValue("small", forKey: "name")
            try context.save()
        }
        #expect(try plist()["Author"] as? String == "Jane")
    }

    @Test("Metadata that is not a property list fails the save")
    func invalidMetadataIsRefused() throws {
        let coordinator = try folder.open(Self.model)
        let store = coordinator.persistentStores[0]
        store.metadata["Bad"] = NSObject()
        try coordinator.inContext { context in
            try context.insert("Item")
            let refusal = try error { try context.save() }
            #expect(refusal.code == 134030)
            #expect(refusal.localizedDescription.contains("property list"))
            #expect(context.hasChanges)
            store.metadata["Bad"] = nil
            try context.save()
        }
    }

    @Test("Unknown keys of the metadata are kept")
    func foreignKeysAreKept() throws {
        try folder.make(Self.model)
        var list = try plist()
        list["com.example.secret"] = Data([1, 2, 3])
        let data = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        try folder.execute("UPDATE Z_METADATA SET Z_PLIST = ?", [data])
        let coordinator = try folder.open(Self.model)
        coordinator.persistentStores[0].metadata["Author"] = "Jane"
        try coordinator.inContext { try $0.save() }
        #expect(try plist()["com.example.secret"] as? Data == Data([1, 2, 3]))
    }

    // MARK: Not open

    @Test("Metadata is read without opening the store, which stays unchanged")
    func metadataIsReadWithoutOpening() throws {
        let coordinator = try folder.open(Self.model)
        let identifier = coordinator.persistentStores[0].identifier
        try coordinator.close()
        let before = try Data(contentsOf: folder.file)
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: folder.file)
        #expect(metadata[NSStoreUUIDKey] as? String == identifier)
        #expect(Self.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
        let typed = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            type: .sqlite, at: folder.file, options: [NSReadOnlyPersistentStoreOption: true])
        #expect(typed[NSStoreUUIDKey] as? String == identifier)
        #expect(try Data(contentsOf: folder.file) == before)
    }

    @Test("Metadata is set without opening the store")
    func metadataIsSetWithoutOpening() throws {
        let coordinator = try folder.open(Self.model)
        let identifier = coordinator.persistentStores[0].identifier
        try coordinator.close()
        try NSPersistentStoreCoordinator.setMetadata(
            ["Author": "Jane"], forPersistentStoreOfType: NSSQLiteStoreType, at: folder.file)
        #expect(try plist()["Author"] as? String == "Jane")
        let again = try folder.open(Self.model)
        #expect(again.persistentStores[0].identifier == identifier)
        #expect(try folder.value("SELECT COUNT(*) FROM Z_METADATA").description == "1")
    }

    @Test("Reading the metadata of other files gives the right errors")
    func metadataOfOtherFiles() throws {
        func code() throws -> Int {
            try error {
                _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                    type: .sqlite, at: folder.file)
            }.code
        }
        #expect(try code() == NSFileReadNoSuchFileError)
        try Data().write(to: folder.file)
        #expect(try code() == NSFileReadCorruptFileError)
        try Data("text".utf8).write(to: folder.file)
        #expect(try code() == NSFileReadCorruptFileError)
        try FileManager.default.removeItem(at: folder.file)
        try folder.execute("CREATE TABLE diary (day)")
        #expect(try code() == 134010)
        let unknown = try error {
            _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: "CardBox", at: folder.file)
        }
        #expect(unknown.code == 134000)
    }

    // MARK: Destroying

    @Test("Destroying a store empties its file and removes all others, unless it is in use")
    func storeIsDestroyed() throws {
        let coordinator = try folder.open(Self.model)
        try coordinator.inContext { context in
            try context.insert("Item")
            try context.save()
        }
        let user = try folder.user()
        let busy = try error {
            try coordinator.destroyPersistentStore(
                at: folder.file, type: .sqlite, options: [NSPersistentStoreTimeoutOption: 0.05])
        }
        #expect(busy.code == 134090)
        // Everything is as it was.
        #expect(try coordinator.inContext { try $0.all("Item").count } == 1)
        try user.close()
        try coordinator.close()
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent(".Store_SUPPORT/_EXTERNAL_DATA"),
            withIntermediateDirectories: true)
        try coordinator.destroyPersistentStore(at: folder.file, ofType: NSSQLiteStoreType)
        #expect(try folder.names == ["Store.sqlite"])
        #expect(try Data(contentsOf: folder.file).isEmpty)
        try coordinator.destroyPersistentStore(at: folder.file, ofType: NSSQLiteStoreType)
        try coordinator.addPersistentStore(type: .sqlite, at: folder.file)
        #expect(try coordinator.inContext { try $0.all("Item").count } == 0)
    }

    @Test("A damaged store can be destroyed")
    func damagedStoreIsDestroyed() throws {
        try folder.make(Self.model)
        try Data(contentsOf: folder.file).prefix(3000).write(to: folder.file)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        try coordinator.destroyPersistentStore(at: folder.file, type: .sqlite)
        #expect(try folder.names == ["Store.sqlite"])
        #expect(try Data(contentsOf: folder.file).isEmpty)
    }
}
