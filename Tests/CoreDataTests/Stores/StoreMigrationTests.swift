import CoreData
import GRDB
import Testing

/// A store that is copied to another place, whose objects go with it.
@Suite struct StoreMigrationTests {
    private static let model: NSManagedObjectModel = {
        let owner = NSEntityDescription("Owner", attribute("name", .string))
        let item = NSEntityDescription("Item", attribute("name", .string))
        pair(owner.relate("items", to: item, many: true), item.relate("owner", to: owner))
        return NSManagedObjectModel(of: owner, item)
    }()

    private let folder: StoreFolder
    private let other: StoreFolder

    init() throws {
        folder = try StoreFolder()
        other = try StoreFolder()
    }

    private func fill(_ folder: StoreFolder, _ name: String) throws {
        let coordinator = try folder.open(Self.model)
        try coordinator.inContext { context in
            try context.insert("Item", ["name": name])
            try context.save()
        }
        try coordinator.close()
    }

    private func count(_ folder: StoreFolder, _ table: String) throws -> Int? {
        Int.fromDatabaseValue(try folder.value("SELECT COUNT(*) FROM \(table)"))
    }

    @Test("Objects and their unsaved changes follow a store that is migrated")
    func objectsFollowTheStore() throws {
        let coordinator = try folder.open(Self.model)
        let old = coordinator.persistentStores[0]
        nonisolated(unsafe) var changed: [NSPersistentStore]?
        let token = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreCoordinatorStoresDidChange, object: coordinator, queue: nil
        ) {
            let list = $0.userInfo?[NSUUIDChangedPersistentStoresKey] as? [Any]
            changed = list?.prefix(2).compactMap { $0 as? NSPersistentStore }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        try coordinator.inContext { context in
            let owner = try context.insert("Owner", ["name": "old"])
            let item = try context.insert("Item", ["name": "saved", "owner": owner])
            try context.save()
            let id = item.objectID
            let oldURI = id.uriRepresentation()
            owner.setValue("changed", forKey: "name")
            let new = try coordinator.migratePersistentStore(old, to: other.file, type: .sqlite)

            #expect(coordinator.persistentStores == [new])
            #expect(changed == [old, new])
            #expect(new.url == other.file && new.identifier != old.identifier)
            #expect(item.objectID == id && id.persistentStore === new)
            #expect(id.uriRepresentation().host == new.identifier)
            #expect(id.uriRepresentation().path == oldURI.path)
            #expect(coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation()) == id)
            #expect(coordinator.managedObjectID(forURIRepresentation: oldURI) == nil)
            #expect(owner.hasChanges && item.value(forKey: "owner") as? NSManagedObject === owner)
            try context.insert("Item", ["name": "new", "owner": owner])
            try context.save()
            context.refreshAllObjects()
            #expect((owner.value(forKey: "items") as? NSSet)?.count == 2)
        }
        #expect(try folder.names == ["Store.sqlite"])
        #expect(try count(folder, "ZITEM") == 1)
        #expect(try folder.stored("ZNAME", in: "ZOWNER") == ["text 'old'"])
        #expect(try count(other, "ZITEM") == 2)
        #expect(try other.stored("ZNAME", in: "ZOWNER") == ["text 'changed'"])
        try coordinator.close()
        #expect(try other.value("PRAGMA integrity_check").description == "\"ok\"")
        // Both are stores of the same model; the first one is opened anew.
        try coordinator.addPersistentStore(type: .sqlite, at: folder.file)
        try coordinator.addPersistentStore(type: .sqlite, at: other.file)
        #expect(try coordinator.inContext { try $0.all("Item").count } == 3)
    }

    @Test("A store in memory can be migrated to a file")
    func memoryStoreBecomesAFile() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        let store = try coordinator.addPersistentStore(type: .sqlite, at: URL(fileURLWithPath: "/dev/null"))
        try coordinator.inContext { context in
            let item = try context.insert("Item", ["name": "a"])
            try context.save()
            try coordinator.migratePersistentStore(store, to: other.file, withType: NSSQLiteStoreType)
            item.setValue("b", forKey: "name")
            try context.save()
        }
        #expect(try other.stored("ZNAME", in: "ZITEM") == ["text 'b'"])
    }

    /// A migration is not a save of the objects: times of their last saves stay.
    @Test("A migration keeps derived times of the last save")
    func timesOfLastSavesStay() throws {
        let changed = NSDerivedAttributeDescription()
        changed.name = "changed"
        changed.attributeType = .dateAttributeType
        changed.isOptional = true
        changed.derivationExpression = NSExpression(format: "now()")
        let note = NSEntityDescription("Note", attribute("name", .string), changed)
        let subentity = NSEntityDescription("Subentity", attribute("more", .string))
        note.subentities = [subentity]
        let list = folder.url.appendingPathComponent("Notes.plist")
        let values: [(entity: String, values: [String: Any])] = [
            ("Note", ["name": "a", "changed": Date(timeIntervalSinceReferenceDate: 1.5)]),
            ("Note", ["name": "b"]),
            ("Subentity", ["name": "c", "changed": Date(timeIntervalSinceReferenceDate: 3.25)]),
        ]
        let objects = values.enumerated().map { index, object in
            ["id": "\(index)", "entity": object.entity, "values": object.values] as [String: Any]
        }
        try PropertyListSerialization.data(
            fromPropertyList: ["objects": objects], format: .binary, options: 0
        ).write(to: list)
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: NSManagedObjectModel(of: note, subentity))
        let store = try coordinator.addPersistentStore(type: StoreKind.atomic.type, at: list)
        try coordinator.migratePersistentStore(store, to: other.file, type: .sqlite)
        func times() throws -> [String] {
            try other.rows("SELECT quote(ZCHANGED) FROM ZNOTE ORDER BY ZNAME").compactMap {
                String.fromDatabaseValue($0[0])
            }
        }
        #expect(try times() == ["1.5", "NULL", "3.25"])
        let start = Date()
        try coordinator.inContext { context in
            let notes = try context.all("Note")
            let reported = notes.compactMap { $0.value(forKey: "changed") as? Date }
            #expect(Set(reported.map(\.timeIntervalSinceReferenceDate)) == [1.5, 3.25])
            let last = try #require(notes.first { $0.value(forKey: "name") as? String == "c" })
            last.setValue("z", forKey: "name")
            try context.save()
            #expect(try #require(last.value(forKey: "changed") as? Date) >= start)
        }
        #expect(try times().dropLast() == ["1.5", "NULL"])
        // New objects get new numbers.
        try coordinator.inContext { context in
            try context.insert("Note", ["name": "d"])
            try context.save()
        }
        #expect(try other.rows("SELECT DISTINCT Z_PK FROM ZNOTE").count == 4)
        try coordinator.close()
    }

    @Test("A migration writes unsaved metadata to the copy")
    func unwrittenMetadata() throws {
        let coordinator = try folder.open(Self.model)
        let store = coordinator.persistentStores[0]
        store.metadata["Author"] = "Jane"
        try coordinator.migratePersistentStore(store, to: other.file, type: .sqlite)
        try coordinator.close()
        func author(_ folder: StoreFolder) throws -> String? {
            try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: folder.file)[
                "Author"]
                as? String
        }
        #expect(try author(other) == "Jane")
        #expect(try author(folder) == nil)
    }

    @Test("A migration copies external data")
    func externalDataIsCopied() throws {
        let coordinator = try folder.open(Self.model)
        let source = folder.url.appendingPathComponent(".Store_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
        let name = UUID().uuidString
        try Data([1, 2, 3]).write(to: source.appendingPathComponent(name))
        try folder.execute("CREATE TABLE Notes (image BLOB)")
        try folder.execute("INSERT INTO Notes VALUES (?)", [Data([2]) + Data(name.utf8) + Data([0])])
        try coordinator.migratePersistentStore(coordinator.persistentStores[0], to: other.file, type: .sqlite)
        let copy = other.url.appendingPathComponent(".Store_SUPPORT/_EXTERNAL_DATA/\(name)")
        #expect(try Data(contentsOf: copy) == Data([1, 2, 3]))
        #expect(FileManager.default.fileExists(atPath: source.appendingPathComponent(name).path))
    }

    @Test("A read-only store is copied, and the copy is writable")
    func readOnlyStore() throws {
        try fill(folder, "a")
        let coordinator = try folder.open(Self.model, [NSReadOnlyPersistentStoreOption: true])
        try coordinator.migratePersistentStore(coordinator.persistentStores[0], to: other.file, type: .sqlite)
        try coordinator.inContext { context in
            try context.only("Item").setValue("b", forKey: "name")
            try context.save()
        }
        #expect(try folder.stored("ZNAME", in: "ZITEM") == ["text 'a'"])
        #expect(try other.stored("ZNAME", in: "ZITEM") == ["text 'b'"])
    }

    // MARK: Refused

    /// The error of a migration; the store is in use as before.
    private func refusal(
        to url: URL, _ type: String = NSSQLiteStoreType, _ options: [AnyHashable: Any]? = nil
    ) throws -> NSError {
        let coordinator = try folder.open(Self.model)
        let store = coordinator.persistentStores[0]
        let refusal = try error {
            try coordinator.migratePersistentStore(store, to: url, options: options, withType: type)
        }
        #expect(coordinator.persistentStores == [store])
        try coordinator.inContext { context in
            try context.insert("Item")
            try context.save()
        }
        try coordinator.close()
        return refusal
    }

    @Test("A migration to an existing file is refused")
    func existingFileIsKept() throws {
        try Data("diary".utf8).write(to: other.file)
        #expect(try refusal(to: other.file).code == 134080)
        #expect(try refusal(to: folder.file).code == 134080)
        #expect(try Data(contentsOf: other.file) == Data("diary".utf8))
        #expect(try other.names == ["Store.sqlite"])
    }

    @Test("A migration to an invalid path or type is refused")
    func invalidDestinations() throws {
        let missing = try refusal(to: other.url.appendingPathComponent("missing/Store.sqlite"))
        #expect(missing.code == 134080 && missing.localizedDescription.contains("missing does not exist"))
        #expect(try refusal(to: URL(fileURLWithPath: "/dev/null")).code == 134080)
        #expect(try refusal(to: other.file, "CardBox").localizedDescription.contains("'CardBox'"))
        #expect(try other.names == [])
    }

    @Test("A copy that cannot be opened is removed")
    func unopenableCopyIsRemoved() throws {
        // SQLite says no to a database larger than it is allowed to be only when it writes; a pragma that does not
        // exist is found when the copy is opened.
        let refusal = try refusal(to: other.file, NSSQLiteStoreType, [NSSQLitePragmasOption: ["no_such": 1]])
        #expect(refusal.code == 134000 && refusal.localizedDescription.contains("no_such"))
        #expect(try other.names == [])
    }

    @Test("A store of another coordinator cannot be migrated")
    func storeOfAnotherCoordinator() throws {
        let missingToken = try folder.open(Self.model).persistentStores[0]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        let refusal = try error {
            try coordinator.migratePersistentStore(missingToken, to: other.file, type: .sqlite)
        }
        #expect(refusal.code == 134070)
        #expect(try other.names == [])
    }

    // MARK: Another URL

    @Test("setURL switches to the store at another URL")
    func changedURL() throws {
        try fill(folder, "first")
        let coordinator = try folder.open(Self.model)
        let store = coordinator.persistentStores[0]
        #expect(coordinator.url(for: store) == folder.file)
        // There must be a store.
        #expect(!coordinator.setURL(other.file, for: store))
        #expect(try other.names == [])
        try Data("diary".utf8).write(to: other.file)
        #expect(!coordinator.setURL(other.file, for: store))
        #expect(store.url == folder.file)
        try FileManager.default.removeItem(at: other.file)
        try fill(other, "second")
        try coordinator.inContext { context in
            let item = try context.only("Item")
            #expect(item.value(forKey: "name") as? String == "first")
            #expect(coordinator.setURL(other.file, for: store))
            #expect(coordinator.url(for: store) == other.file)
            #expect(coordinator.persistentStore(for: other.file) === store)
            context.refreshAllObjects()
            #expect(item.value(forKey: "name") as? String == "second")
            item.setValue("third", forKey: "name")
            try context.save()
        }
        let missingToken = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        #expect(!missingToken.setURL(folder.file, for: store))
        try coordinator.close()
        #expect(try folder.stored("ZNAME", in: "ZITEM") == ["text 'first'"])
        #expect(try other.stored("ZNAME", in: "ZITEM") == ["text 'third'"])
    }
}
