import CoreData
import GRDB
import Testing

/// Journals that lie beside stores: what they name is not removed, and what they would take back is taken back only when a
/// store is opened for writing.
@Suite struct RollbackJournalTests {
    private static let model = NSManagedObjectModel(
        of: NSEntityDescription("Item", attribute("name", .string)))
    private static let magic = Data([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7])

    private let folder: StoreFolder
    private let elsewhere: StoreFolder
    private var victim: URL { elsewhere.url.appendingPathComponent("precious.txt") }

    init() throws {
        folder = try StoreFolder()
        elsewhere = try StoreFolder()
        try Data("precious".utf8).write(to: victim)
    }

    private static func bytes(_ number: Int) -> Data {
        Data([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) })
    }

    /// The journal of an interrupted transaction over several databases, which ends with the name of a file.
    ///
    /// - Parameter hasHeader: whether it begins as a journal does.
    private func plant(beside database: URL, hasHeader: Bool = true) throws {
        let data = try Data(contentsOf: database)
        let pageSize = Int(data[16]) << 8 | Int(data[17])
        let page = data.prefix(pageSize)
        let nonce = 12345
        var sum = nonce
        for index in stride(from: pageSize - 200, to: 0, by: -200) {
            sum = (sum + Int(page[index])) & 0xFFFF_FFFF
        }
        var journal = hasHeader ? Self.magic : Data("no header".utf8)
        for number in [1, nonce, data.count / pageSize, 512, pageSize] { journal += Self.bytes(number) }
        journal += Data(count: 512 - journal.count)
        journal += Self.bytes(1) + page + Self.bytes(sum)
        let name = Data(victim.path.utf8)
        journal += Self.bytes((0x4000_0000 / pageSize) + 1) + name + Self.bytes(name.count)
        journal += Self.bytes(name.reduce(0) { $0 + Int($1) }) + Self.magic
        try journal.write(to: URL(fileURLWithPath: database.path + "-journal"))
    }

    @Test("SQLite removes a file that a hostile journal names", arguments: [true, false])
    func sqliteRemovesTheFile(_ hasHeader: Bool) throws {
        try folder.make(Self.model)
        try plant(beside: folder.file, hasHeader: hasHeader)
        _ = try? folder.value("SELECT COUNT(*) FROM ZITEM")
        #expect(!FileManager.default.fileExists(atPath: victim.path))
    }

    /// Everything that can be done to a store that is named by a URL.
    static let calls: [StoreCall] = [
        StoreCall(
            "metadata",
            { url, _ in
                _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
            }
        ),
        StoreCall(
            "setting metadata",
            { url, _ in
                try NSPersistentStoreCoordinator.setMetadata(["a": "b"], type: .sqlite, at: url)
            }
        ),
        StoreCall(
            "model",
            { url, _ in
                _ = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(
                    ofType: NSSQLiteStoreType, at: url)
            }
        ),
        StoreCall(
            "reconstructed model",
            { url, _ in
                _ = try NSPersistentStoreCoordinator.reconstructedModelForPersistentStore(
                    ofType: NSSQLiteStoreType, at: url)
            }
        ),
        StoreCall("model file", { url, _ in _ = NSManagedObjectModel(contentsOf: url) }),
        StoreCall("container", { url, _ in _ = try NSPersistentContainer(storeAt: url) }),
        StoreCall(
            "opening",
            { url, _ in
                try NSPersistentStoreCoordinator(managedObjectModel: model).addPersistentStore(
                    type: .sqlite, at: url)
            }
        ),
        StoreCall(
            "opening read-only",
            { url, _ in
                try NSPersistentStoreCoordinator(managedObjectModel: model).addPersistentStore(
                    type: .sqlite, at: url, options: [NSReadOnlyPersistentStoreOption: true])
            }
        ),
        StoreCall(
            "opening without a log",
            { url, _ in
                try NSPersistentStoreCoordinator(managedObjectModel: model).addPersistentStore(
                    type: .sqlite, at: url, options: [NSSQLitePragmasOption: ["journal_mode": "DELETE"]])
            }
        ),
        StoreCall(
            "migrating",
            { url, _ in
                let newer = NSManagedObjectModel(of: NSEntityDescription("Item", attribute("title", .string)))
                try NSPersistentStoreCoordinator(managedObjectModel: newer).addPersistentStore(
                    type: .sqlite, at: url,
                    options: [
                        NSMigratePersistentStoresAutomaticallyOption: true,
                        NSInferMappingModelAutomaticallyOption: true,
                    ])
            }
        ),
        StoreCall(
            "destroying",
            { url, _ in
                try NSPersistentStoreCoordinator(managedObjectModel: model).destroyPersistentStore(
                    at: url, type: .sqlite)
            }
        ),
        StoreCall(
            "being a source",
            { url, other in
                try NSPersistentStoreCoordinator(managedObjectModel: model).replacePersistentStore(
                    at: other.file, withPersistentStoreFrom: url, type: .sqlite)
            }
        ),
        StoreCall(
            "being replaced",
            { url, other in
                let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
                try coordinator.addPersistentStore(type: .sqlite, at: other.file)
                try coordinator.close()
                try coordinator.replacePersistentStore(
                    at: url, withPersistentStoreFrom: other.file, type: .sqlite)
            }
        ),
        StoreCall(
            "setting it as a store's URL",
            { url, other in
                let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
                let store = try coordinator.addPersistentStore(type: .sqlite, at: other.file)
                coordinator.setURL(url, for: store)
                try coordinator.close()
                throw CocoaError(.fileReadUnknown)
            }
        ),
        StoreCall("tools that write", { url, _ in try SQLiteStoreTables(url).write { _ in } }),
        StoreCall("tools that recover", { url, _ in try SQLiteStoreTables(url).recover() }),
    ]

    @Test(
        "A journal that names another file is not rolled back, and nothing changes",
        arguments: calls.map(\.name),
        [true, false])
    func refused(_ name: String, _ hasHeader: Bool) throws {
        let call = try #require(Self.calls.first { $0.name == name }?.call)
        try folder.make(Self.model)
        try plant(beside: folder.file, hasHeader: hasHeader)
        let before = try folder.contents()
        var message = ""
        do {
            try call(folder.file, StoreFolder())
            // These only read, and have no use for the journal of a store that has a write-ahead log.
            #expect(
                [
                    "model file", "metadata", "model", "reconstructed model", "opening read-only",
                    "being a source",
                ].contains(name), "\(name) went well")
        } catch {
            message = error.localizedDescription
        }
        if [
            "opening", "opening without a log", "destroying", "being replaced", "container",
            "setting metadata",
        ]
        .contains(name) {
            #expect(message.contains(victim.path), "\(message)")
        }
        #expect(FileManager.default.fileExists(atPath: victim.path))
        #expect(try folder.contents() == before)
    }

    @Test("A neighbour's journal is left unchanged when external data is cleaned up")
    func neighbour() throws {
        let other = folder.url.appendingPathComponent("Store.db")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        try coordinator.addPersistentStore(type: .sqlite, at: other)
        try coordinator.close()
        try folder.make(Self.model)
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent(".Store_SUPPORT/_EXTERNAL_DATA"),
            withIntermediateDirectories: true)
        try plant(beside: other)
        let names = try folder.contents().keys.filter { $0.hasPrefix("Store.db") }.sorted()
        try coordinator.destroyPersistentStore(at: folder.file, type: .sqlite)
        #expect(FileManager.default.fileExists(atPath: victim.path))
        #expect(try folder.contents().keys.filter { $0.hasPrefix("Store.db") }.sorted() == names)
    }

    @Test("A store opened by a symbolic link has its own journal checked")
    func link() throws {
        try folder.make(Self.model)
        try plant(beside: folder.file)
        let link = elsewhere.url.appendingPathComponent("Link.sqlite")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.file)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        let refusal = try error { try coordinator.addPersistentStore(type: .sqlite, at: link) }
        #expect(refusal.code == 134080)
        #expect(FileManager.default.fileExists(atPath: victim.path))
    }

    // MARK: Interrupted changes

    /// A store, and a change of it that a process has left half written.
    private func interrupt() throws {
        let origin = try StoreFolder()
        let coordinator = try origin.open(Self.model, [NSSQLitePragmasOption: ["journal_mode": "DELETE"]])
        try coordinator.inContext { context in
            try context.insert("Item", ["name": "kept"])
            try context.save()
        }
        try coordinator.close()
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let queue = try DatabaseQueue(path: origin.file.path, configuration: configuration)
        try queue.writeWithoutTransaction { database in
            try database.execute(
                sql: "PRAGMA cache_size = 1; BEGIN; UPDATE ZITEM SET ZNAME = zeroblob(200000)")
            for suffix in ["", "-journal"] {
                try FileManager.default.copyItem(
                    atPath: origin.file.path + suffix, toPath: folder.file.path + suffix)
            }
            try database.execute(sql: "ROLLBACK")
        }
        try queue.close()
    }

    @Test(
        "Reading metadata or models rolls no change back",
        arguments: ["metadata", "model", "reconstructed model"])
    func readingRollsNothingBack(_ name: String) throws {
        try interrupt()
        let before = try folder.contents()
        let call = try #require(Self.calls.first { $0.name == name }?.call)
        let refusal = try error { try call(folder.file, folder) }
        #expect(refusal.code == 134080 && refusal.localizedDescription.contains("interrupted"))
        #expect(try folder.contents() == before)
    }

    @Test(
        "Opening a store for writing rolls an interrupted change back and keeps its mode"
    )
    func openingRollsBack() throws {
        try interrupt()
        #expect(chmod(folder.file.path, 0o640) == 0)
        var before = stat()
        #expect(stat(folder.file.path, &before) == 0)
        let container = try NSPersistentContainer(storeAt: folder.file)
        container.loadPersistentStores { _, error in #expect(error == nil) }
        let names = try container.persistentStoreCoordinator.inContext {
            try $0.all("Item").map { $0.value(forKey: "name") as? String }
        }
        #expect(names == ["kept"])
        try container.persistentStoreCoordinator.close()
        var after = stat()
        #expect(stat(folder.file.path, &after) == 0)
        #expect(
            after.st_ino == before.st_ino && after.st_mode == before.st_mode && after.st_uid == before.st_uid)
        #expect(try folder.names == ["Store.sqlite"])
    }

    @Test("Metadata, migration and destruction work after an interrupted change")
    func operationsRollBack() throws {
        try interrupt()
        try NSPersistentStoreCoordinator.setMetadata(["a": "b"], type: .sqlite, at: folder.file)
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            type: .sqlite, at: folder.file)
        #expect(metadata["a"] as? String == "b")
        #expect(try folder.value("SELECT ZNAME FROM ZITEM") == "kept".databaseValue)
        let second = try RollbackJournalTests()
        try second.interrupt()
        let newer = NSManagedObjectModel(
            of: NSEntityDescription("Item", attribute("name", .string), attribute("title", .string)))
        try second.folder.open(
            newer,
            [
                NSMigratePersistentStoresAutomaticallyOption: true,
                NSInferMappingModelAutomaticallyOption: true,
            ]
        ).close()
        #expect(try second.folder.value("SELECT ZNAME FROM ZITEM") == "kept".databaseValue)
        let third = try RollbackJournalTests()
        try third.interrupt()
        try NSPersistentStoreCoordinator(managedObjectModel: Self.model).destroyPersistentStore(
            at: third.folder.file, type: .sqlite)
        #expect(try third.folder.names == ["Store.sqlite"])
        #expect(try Data(contentsOf: third.folder.file).isEmpty)
    }

    @Test("A file that is not a database is left unchanged with any journal")
    func foreignFile() throws {
        try folder.make(Self.model)
        try plant(beside: folder.file)
        try Data("a letter of somebody, much longer than a header".utf8).write(to: folder.file)
        let journal = URL(fileURLWithPath: folder.file.path + "-journal")
        // Also with one that names nothing.
        for data in [try Data(contentsOf: journal), try Data(contentsOf: journal).dropLast(8)] {
            try data.write(to: journal)
            let before = try folder.contents()
            for item in Self.calls where !["destroying", "being replaced"].contains(item.name) {
                let (name, call) = (item.name, item.call)
                try? call(folder.file, StoreFolder())
                #expect(try folder.contents() == before, "\(name)")
            }
        }
        #expect(FileManager.default.fileExists(atPath: victim.path))
    }
}
