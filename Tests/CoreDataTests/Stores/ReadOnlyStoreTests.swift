import CoreData
import GRDB
import TestSupport
import Testing

/// Reading changes nothing: not the file, not the log beside it, not its index, whatever there is of them.
@Suite struct ReadOnlyStoreTests {
    private static let model = NSManagedObjectModel(
        of: NSEntityDescription("Item", attribute("name", .string)))
    private static let readOnly = [NSReadOnlyPersistentStoreOption: true]

    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    /// What lies beside a store.
    enum Leftovers: CaseIterable {
        case nothing, emptyLog, log, logAndIndex, index, rollbackJournalMode
    }

    /// A store with two items, one of them in the log where there is one.
    private func make(_ leftovers: Leftovers) throws {
        let mode = leftovers == .rollbackJournalMode ? "DELETE" : "WAL"
        let origin = try StoreFolder()
        let coordinator = try origin.open(Self.model, [NSSQLitePragmasOption: ["journal_mode": mode]])
        try coordinator.inContext { context in
            for _ in 0..<2 {
                try context.insert("Item", ["name": "kept"])
                try context.save()
            }
        }
        let files: [String] =
            switch leftovers {
            case .log: ["", "-wal"]
            case .logAndIndex: ["", "-wal", "-shm"]
            default: []
            }
        for suffix in files {
            try FileManager.default.copyItem(
                atPath: origin.file.path + suffix, toPath: folder.file.path + suffix)
        }
        try coordinator.close()
        guard files.isEmpty else { return }
        try FileManager.default.copyItem(at: origin.file, to: folder.file)
        if leftovers == .emptyLog { try Data().write(to: URL(fileURLWithPath: folder.file.path + "-wal")) }
        if leftovers == .index {
            try Data(count: 32768).write(to: URL(fileURLWithPath: folder.file.path + "-shm"))
        }
    }

    @Test("Reading a read-only store changes no byte of its files", arguments: Leftovers.allCases)
    func readingChangesNoByte(_ leftovers: Leftovers) throws {
        try make(leftovers)
        let before = try folder.contents()
        let coordinator = try folder.open(Self.model, Self.readOnly)
        #expect(try folder.contents() == before)
        try coordinator.inContext { context in
            let items = try context.all("Item")
            #expect(items.map { $0.value(forKey: "name") as? String } == ["kept", "kept"])
            #expect(try folder.contents() == before)
            items[0].setValue("changed", forKey: "name")
            #expect(try error { try context.save() }.code == 134030)
        }
        let metadata = coordinator.metadata(for: coordinator.persistentStores[0])
        #expect(metadata[NSStoreTypeKey] as? String == NSSQLiteStoreType)
        try coordinator.close()
        #expect(try folder.contents() == before)
        _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: folder.file)
        #expect(try folder.contents() == before)
    }

    @Test(
        "A read-only store opens without write permission and makes no files", arguments: Leftovers.allCases)
    func withoutWritePermission(_ leftovers: Leftovers) async throws {
        try make(leftovers)
        let path = folder.url.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
            for name in names { chmod(path + "/" + name, 0o444) }
            chmod(path, 0o555)
            if getuid() == 0 { try #require(setuid(65534) == 0) }
            let file = URL(fileURLWithPath: path).appendingPathComponent("Store.sqlite")
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ReadOnlyStoreTests.model)
            try coordinator.addPersistentStore(
                type: .sqlite, at: file, options: [NSReadOnlyPersistentStoreOption: true])
            try #require(try coordinator.inContext { try $0.all("Item").count } == 2)
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                type: .sqlite, at: file)
            try #require(metadata[NSStoreUUIDKey] is String)
            try #require(try FileManager.default.contentsOfDirectory(atPath: path).sorted() == names)
        }
        chmod(path, 0o755)
    }

    @Test("A read-only store sees later writes of others", arguments: Leftovers.allCases)
    func laterWritesAreSeen(_ leftovers: Leftovers) throws {
        try make(leftovers)
        let reading = try folder.open(Self.model, Self.readOnly)
        func names() throws -> [String] {
            try reading.inContext { context in
                try context.all("Item", by: "name").compactMap { $0.value(forKey: "name") as? String }
            }
        }
        #expect(try names() == ["kept", "kept"])
        for round in 1...3 {
            let mode = leftovers == .rollbackJournalMode ? "DELETE" : "WAL"
            let writing = try folder.open(Self.model, [NSSQLitePragmasOption: ["journal_mode": mode]])
            try writing.inContext { context in
                for index in 1...2 {
                    try context.insert("Item", ["name": "new \(round)\(index)"])
                    try context.save()
                    #expect(try names().last == "new \(round)\(index)")
                }
            }
            try writing.close()
            #expect(try names().count == 2 + 2 * round)
        }
        try reading.close()
        #expect(try folder.value("PRAGMA integrity_check").description == "\"ok\"")
    }

    @Test("An interrupted change is refused by a read-only store and rolled back by a writer")
    func interruptedChange() throws {
        try make(.rollbackJournalMode)
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let queue = try DatabaseQueue(path: folder.file.path, configuration: configuration)
        let broken = try StoreFolder()
        try queue.writeWithoutTransaction { database in
            try database.execute(
                sql: "PRAGMA cache_size = 1; BEGIN; UPDATE ZITEM SET ZNAME = zeroblob(200000)")
            for suffix in ["", "-journal"] {
                try FileManager.default.copyItem(
                    atPath: folder.file.path + suffix, toPath: broken.file.path + suffix)
            }
            try database.execute(sql: "ROLLBACK")
        }
        try queue.close()
        let before = try broken.contents()
        #expect((before["Store.sqlite-journal"]?.count ?? 0) > 0)
        #expect(throws: (any Error).self) { try broken.open(Self.model, Self.readOnly) }
        #expect(try broken.contents() == before)
        let coordinator = try broken.open(Self.model)
        let names = try coordinator.inContext {
            try $0.all("Item").map { $0.value(forKey: "name") as? String }
        }
        #expect(names == ["kept", "kept"])
    }

    @Test("The metadata of a read-only store cannot be set")
    func metadataIsNotSet() throws {
        try make(.nothing)
        let before = try folder.contents()
        let refusal = try error {
            try NSPersistentStoreCoordinator.setMetadata(
                ["a": "b"], type: .sqlite, at: folder.file, options: Self.readOnly)
        }
        #expect(refusal.code == 134030)
        let coordinator = try folder.open(Self.model, Self.readOnly)
        coordinator.setMetadata(["a": "b"], for: coordinator.persistentStores[0])
        #expect(try error { try coordinator.inContext { try $0.save() } }.code == 134030)
        try coordinator.close()
        #expect(try folder.contents() == before)
    }
}

/// Stores that Apple's framework made, opened where they are.
@Suite(.enabled(if: Corpus.isPresent, "\(Corpus.missing)"))
struct ReadOnlyCorpusTests {
    /// A store and whatever gives its model; more pairs make more cases.
    static let cases = StorePair.all

    @Test("Reading an Apple store changes no byte of its files", arguments: cases)
    func appleStoreIsUnchanged(_ pair: StorePair) throws {
        let model = try #require(NSManagedObjectModel(contentsOf: pair.model.deletingLastPathComponent()))
        let folder = try StoreFolder(copying: pair.store)
        let before = try folder.contents()
        let coordinator = try folder.open(model, [NSReadOnlyPersistentStoreOption: true])
        var counts: [String: Int] = [:]
        try coordinator.inContext { context in
            for entity in model.entities where entity.superentity == nil {
                let objects = try context.all(entity.name ?? "")
                counts["Z\((entity.name ?? "").uppercased())"] = objects.count
                for object in objects {
                    for name in object.entity.attributesByName.keys { _ = object.value(forKey: name) }
                }
            }
        }
        try coordinator.close()
        #expect(try folder.contents() == before)
        // Only now, because it leaves traces.
        for (table, count) in counts {
            #expect(try folder.value("SELECT COUNT(*) FROM \(table)") == count.databaseValue, "\(table)")
        }
    }
}
