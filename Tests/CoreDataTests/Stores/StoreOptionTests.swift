import CoreData
@testable import ObjectGraph
import GRDB
import Testing

/// The options that a store is added with.
@Suite struct StoreOptionTests {
    private static let model = NSManagedObjectModel(
        of: NSEntityDescription("Item", attribute("name", .string)))

    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    @Test("Timeouts of any length are accepted", arguments: [.infinity, .nan, 1e300, -1, 5_000_000])
    func timeoutsOfAnyLength(_ seconds: Double) throws {
        let coordinator = try folder.open(Self.model, [NSPersistentStoreTimeoutOption: seconds])
        try coordinator.inContext { context in
            try context.insert("Item", ["name": "kept"])
            try context.save()
        }
        #expect(try folder.stored("ZNAME", in: "ZITEM") == ["text 'kept'"])
    }

    @Test("A read-only store refuses saves and permanent IDs, and its file stays the same")
    func readOnly() throws {
        try folder.open(Self.model).inContext { context in
            try context.insert("Item", ["name": "kept"])
            try context.save()
        }
        let before = try Data(contentsOf: folder.file)
        let coordinator = try folder.open(Self.model, [NSReadOnlyPersistentStoreOption: true])
        #expect(coordinator.persistentStores[0].isReadOnly)
        try coordinator.inContext { context in
            let item = try context.only("Item")
            item.setValue("changed", forKey: "name")
            let refusal = try error { try context.save() }
            #expect(refusal.localizedDescription.contains("read-only"))
            #expect(item.hasChanges)
            context.rollback()
            try context.insert("Item")
            #expect(try error { try context.save() }.localizedDescription.contains("read-only"))
            #expect(throws: (any Error).self) {
                try context.obtainPermanentIDs(for: Array(context.insertedObjects))
            }
            context.rollback()
            try context.save()
        }
        try coordinator.close()
        #expect(try Data(contentsOf: folder.file) == before)
    }

    @Test("Pragmas given as options are accepted")
    func pragmas() throws {
        let options = [NSSQLitePragmasOption: ["cache_size": 123, "synchronous": "FULL"] as [String: Any]]
        let coordinator = try folder.open(Self.model, options)
        #expect(!coordinator.persistentStores.isEmpty)
        try coordinator.inContext { context in
            try context.insert("Item")
            try context.save()
        }
    }

    @Test("The journal mode given as an option is used", arguments: ["DELETE", "truncate", "WAL"])
    func journalMode(_ mode: String) throws {
        let options = [NSSQLitePragmasOption: ["journal_mode": mode]]
        for _ in 0..<2 {
            let coordinator = try folder.open(Self.model, options)
            try coordinator.inContext { context in
                try context.insert("Item")
                try context.save()
                #expect(try context.all("Item").count > 0)
            }
            let isLogged = try folder.names.contains("Store.sqlite-wal")
            #expect(isLogged == (mode == "WAL"))
            try coordinator.close()
        }
        #expect(try folder.value("SELECT COUNT(*) FROM ZITEM").description == "2")
    }

    @Test(
        "Pragmas that are not words are refused",
        arguments: [
            ["synchronous": "FULL; DROP TABLE ZITEM"], ["a b": "1"], ["": "1"], ["x": ""],
            ["cache_size": "1'--"],
        ])
    func invalidPragmasAreRefused(_ pragmas: [String: String]) throws {
        let refusal = try error { try folder.open(Self.model, [NSSQLitePragmasOption: pragmas]).close() }
        #expect(refusal.code == 134000)
        #expect(refusal.localizedDescription.contains("pragma"))
        #expect(try folder.names == [])
    }

    @Test("Pragmas that are not a dictionary are refused")
    func pragmasMustBeADictionary() throws {
        let refusal = try error {
            try folder.open(Self.model, [NSSQLitePragmasOption: "synchronous"]).close()
        }
        #expect(refusal.code == 134000)
        #expect(refusal.localizedDescription.contains("NSSQLitePragmasOption"))
    }

    @Test(
        "Options that a SQLite store does not have are ignored",
        arguments: [
            "NSFlyToTheMoonOption", "NSPersistentStoreUbiquitousContentNameKey",
            "NSPersistentStoreRebuildFromUbiquitousContentOption", NSValidateXMLStoreOption,
            NSBinaryStoreInsecureDecodingCompatibilityOption,
            NSPersistentStoreDeferredLightweightMigrationOptionKey,
        ])
    func unknownOptions(_ key: String) throws {
        try folder.open(Self.model, [key: true]).close()
        #expect(try folder.names == ["Store.sqlite"])
    }

    @Test("The log names unknown options in one line and each protection option in its own line")
    func warnings() {
        let sqlite = StoreOptionKeys(type: NSSQLiteStoreType, keepsHistory: true)
        let unknown = sqlite.warnings([
            "b": 1, "a": 2, NSPersistentHistoryTokenKey: true, NSSQLiteAnalyzeOption: true,
            NSPersistentHistoryTrackingKey: true,
        ])
        #expect(unknown == ["unknown options are ignored: 'a', 'b'"])
        let protected = sqlite.warnings([
            NSPersistentStoreFileProtectionKey: FileProtectionType.complete, "EncryptedStorePassphrase": "x",
        ])
        #expect(protected.count == 2)
        #expect(protected[0].contains("protects nothing here"))
        #expect(protected[1].contains("'EncryptedStorePassphrase'; nothing is encrypted"))
        #expect(sqlite.warnings([NSPersistentStoreFileProtectionKey: FileProtectionType.none]) == [])
        let binary = StoreOptionKeys(type: NSBinaryStoreType)
        #expect(binary.warnings([NSBinaryStoreSecureDecodingClasses: []]).count == 1)
        #expect(
            binary.warnings([NSPersistentHistoryTrackingKey: true]) == [
                "'NSPersistentHistoryTrackingKey' has no effect: stores of this type keep no history"
            ])
        #expect(binary.warnings([NSSQLitePragmasOption: [:]]) == [])
    }

    @Test(
        "An option with an invalid value is refused by name",
        arguments: [
            NSReadOnlyPersistentStoreOption, NSPersistentStoreTimeoutOption, NSSQLiteAnalyzeOption,
            NSPersistentStoreFileProtectionKey, NSPersistentStoreConnectionPoolMaxSizeKey,
        ])
    func invalidValues(_ key: String) throws {
        let refusal = try error { try folder.open(Self.model, [key: ["odd"]]).close() }
        #expect(refusal.code == 134000)
        #expect(refusal.localizedDescription.contains("'\(key)'"))
    }

    @Test("An invalid number of connections is refused", arguments: [0, -1, 100_000])
    func invalidConnectionCounts(_ count: Int) throws {
        let refusal = try error {
            try folder.open(Self.model, [NSPersistentStoreConnectionPoolMaxSizeKey: count]).close()
        }
        #expect(refusal.code == 134000)
    }

    @Test("File protection and a single connection are accepted")
    func protectionAndConnections() throws {
        let coordinator = try folder.open(
            Self.model,
            [
                NSPersistentStoreFileProtectionKey: FileProtectionType.complete,
                NSPersistentStoreConnectionPoolMaxSizeKey: 1,
            ])
        try coordinator.inContext { context in
            try context.insert("Item")
            try context.save()
            #expect(try context.all("Item").count == 1)
        }
        try coordinator.close()
        try folder.open(
            Self.model, [NSPersistentStoreFileProtectionKey: FileProtectionType.complete.rawValue]
        ).close()
    }

    @Test(
        "Unknown pragmas and values are refused by name",
        arguments: [["no_such_pragma": "1"], ["journal_mode": "sideways"], ["journal_mode": "OFF"]])
    func unknownPragmas(_ pragmas: [String: String]) throws {
        let refusal = try error { try folder.open(Self.model, [NSSQLitePragmasOption: pragmas]).close() }
        #expect(refusal.code == 134000)
        #expect(refusal.localizedDescription.contains("'\(pragmas.keys.first ?? "")'"))
        #expect(try folder.names == [])
    }

    @Test(
        "The vacuum mode of a new file is set by its pragma",
        arguments: [("FULL", "1"), ("none", "0"), ("2", "2")])
    func vacuumOfANewFile(_ name: String, _ number: String) throws {
        try folder.open(Self.model, [NSSQLitePragmasOption: ["auto_vacuum": name]]).close()
        #expect(try folder.value("PRAGMA auto_vacuum").description == number)
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            type: .sqlite, at: folder.file)
        #expect(metadata["_NSAutoVacuumLevel"] as? String == number)
    }

    @Test("An unknown store type is refused by name")
    func unknownTypes() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        let refusal = try error {
            try coordinator.addPersistentStore(type: .init(rawValue: "CardBox"), at: folder.file)
        }
        #expect(refusal.code == 134000)
        #expect(refusal.localizedDescription.contains("'CardBox'"))
    }

    @Test("An unknown configuration is refused by name")
    func unknownConfigurations() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        let refusal = try error {
            try coordinator.addPersistentStore(type: .sqlite, configuration: "Winter", at: folder.file)
        }
        #expect(refusal.code == 134080)
        #expect(refusal.localizedDescription.contains("'Winter'"))
    }

    @Test("Vacuum and analysis options shrink the file and add statistics")
    func analysisAndVacuum() throws {
        let coordinator = try folder.open(Self.model)
        try coordinator.inContext { context in
            for index in 0..<500 {
                try context.insert("Item", ["name": String(repeating: "x", count: index)])
            }
            try context.save()
            for item in try context.all("Item") { context.delete(item) }
            try context.save()
        }
        try coordinator.close()
        #expect(try folder.names == ["Store.sqlite"])
        let before = try Data(contentsOf: folder.file).count
        try folder.open(
            Self.model, [NSSQLiteManualVacuumOption: true, NSSQLiteAnalyzeOption: NSNumber(value: true)]
        ).close()
        #expect(try Data(contentsOf: folder.file).count < before / 2)
        #expect(try folder.schema()["sqlite_stat1"] != nil)
        #expect(try folder.value("PRAGMA auto_vacuum").description == "2")
    }

    @Test("A store with another version opens when versions are ignored")
    func ignoredVersions() throws {
        try folder.make(Self.model)
        let other = NSManagedObjectModel(
            of: NSEntityDescription("Item", attribute("name", .string, optional: false)))
        #expect(throws: (any Error).self) { try folder.open(other) }
        try folder.open(other, [NSIgnorePersistentStoreVersioningOption: true]).close()
    }

    @Test("A store description passes its options")
    func descriptionOptions() throws {
        let description = NSPersistentStoreDescription(url: folder.file)
        description.timeout = 1
        description.setValue("NORMAL" as NSString, forPragmaNamed: "synchronous")
        description.setOption(true as NSNumber, forKey: NSSQLiteAnalyzeOption)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        nonisolated(unsafe) var failure: (any Error)?
        coordinator.addPersistentStore(with: description) { _, error in failure = error }
        #expect(failure == nil)
        #expect(coordinator.persistentStores.count == 1)
    }

    // MARK: In memory

    @Test("A SQLite store at /dev/null is kept in memory")
    func storeInMemory() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        let null = URL(fileURLWithPath: "/dev/null")
        let store = try coordinator.addPersistentStore(type: .sqlite, at: null)
        #expect(store.url == null)
        let id = try coordinator.inContext { context in
            let item = try context.insert("Item", ["name": "a"])
            try context.save()
            return item.objectID
        }
        #expect(!id.isTemporaryID)
        try coordinator.inContext { context in
            let names = try context.all("Item", where: NSPredicate(format: "name CONTAINS[cd] 'Ä'")).map {
                $0.value(forKey: "name") as? String
            }
            #expect(names == ["a"])
            try context.existingObject(with: id).setValue("b", forKey: "name")
            try context.save()
        }
        let other = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        try other.addPersistentStore(type: .sqlite, at: null)
        #expect(try other.inContext { try $0.all("Item").count } == 0)
        #expect(!FileManager.default.fileExists(atPath: "/dev/null-wal"))
    }

    @Test("Several contexts save to a store in memory at once")
    func contextsOfAStoreInMemory() async throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        try coordinator.addPersistentStore(type: .sqlite, at: URL(fileURLWithPath: "/dev/null"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<10 {
                        try coordinator.inContext { context in
                            try context.insert("Item")
                            try context.save()
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try coordinator.inContext { try $0.all("Item").count } == 40)
    }
}
