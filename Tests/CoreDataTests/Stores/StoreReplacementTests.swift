import CoreData
import GRDB
import Testing

/// A store put into the place of another one, or of none; and destroying by force.
@Suite struct StoreReplacementTests {
    private static let model = NSManagedObjectModel(
        of: NSEntityDescription("Item", attribute("name", .string)))

    private let folder: StoreFolder
    private let source: StoreFolder

    init() throws {
        folder = try StoreFolder()
        source = try StoreFolder()
    }

    private func fill(_ folder: StoreFolder, _ name: String) throws {
        let coordinator = try folder.open(Self.model)
        try coordinator.inContext { context in
            try context.insert("Item", ["name": name])
            try context.save()
        }
        try coordinator.close()
    }

    private func external(_ folder: StoreFolder) -> URL {
        folder.url.appendingPathComponent(".Store_SUPPORT/_EXTERNAL_DATA")
    }

    private static let names = [
        "only-old": "00000000-0000-0000-0000-000000000001", "shared": "00000000-0000-0000-0000-000000000002",
        "only-new": "00000000-0000-0000-0000-000000000003",
    ]

    private func addFiles(_ folder: StoreFolder, _ names: [String]) throws {
        try FileManager.default.createDirectory(at: external(folder), withIntermediateDirectories: true)
        for name in names {
            let file = try #require(Self.names[name])
            try Data(name.utf8).write(to: external(folder).appendingPathComponent(file))
        }
    }

    /// Adds files and, in a table that the model does not know, rows that name them.
    private func addExternal(_ folder: StoreFolder, _ names: String...) throws {
        try addFiles(folder, names)
        try folder.execute("CREATE TABLE IF NOT EXISTS Notes (image BLOB)")
        for name in names {
            let file = try #require(Self.names[name])
            try folder.execute("INSERT INTO Notes VALUES (?)", [Data([2]) + Data(file.utf8) + Data([0])])
        }
    }

    private func externals(_ folder: StoreFolder) throws -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: external(folder).path)) ?? []
        return try names.map {
            String(decoding: try Data(contentsOf: external(folder).appendingPathComponent($0)), as: UTF8.self)
        }.sorted()
    }

    private func replace(_ options: [AnyHashable: Any]? = nil) throws {
        try NSPersistentStoreCoordinator(managedObjectModel: Self.model).replacePersistentStore(
            at: folder.file, destinationOptions: options, withPersistentStoreFrom: source.file, type: .sqlite)
    }

    @Test("A replaced store has all rows and external data of its source", arguments: [false, true])
    func copyIsComplete(_ isThere: Bool) throws {
        if isThere {
            try fill(folder, "old")
            try addExternal(folder, "only-old", "shared")
        }
        try fill(source, "new")
        try addExternal(source, "only-new", "shared")
        let identifier = try source.value("SELECT Z_UUID FROM Z_METADATA")
        try replace()
        #expect(try folder.names == [".Store_SUPPORT", "Store.sqlite"])
        #expect(try externals(folder) == ["only-new", "shared"])
        #expect(try folder.stored("ZNAME", in: "ZITEM") == ["text 'new'"])
        #expect(try folder.value("SELECT Z_UUID FROM Z_METADATA") == identifier)
        #expect(try folder.value("PRAGMA integrity_check").description == "\"ok\"")
        #expect(try source.stored("ZNAME", in: "ZITEM") == ["text 'new'"])
        try fill(folder, "more")
        #expect(try folder.value("SELECT COUNT(*) FROM ZITEM").description == "2")
    }

    @Test("Replacing from a store in use copies its log")
    func logOfTheSourceIsCopied() throws {
        let coordinator = try source.open(Self.model)
        try coordinator.inContext { context in
            try context.insert("Item", ["name": "in the log"])
            try context.save()
            #expect(try source.names.contains("Store.sqlite-wal"))
            try replace()
            #expect(try folder.stored("ZNAME", in: "ZITEM") == ["text 'in the log'"])
            try context.insert("Item")
            try context.save()
        }
    }

    @Test("A destination in use is not replaced")
    func destinationInUse() throws {
        try fill(source, "new")
        try addExternal(source, "only-new")
        let coordinator = try folder.open(Self.model)
        try coordinator.inContext { context in
            try context.insert("Item", ["name": "kept"])
            try context.save()
        }
        try coordinator.close()
        try folder.withDatabase { database in
            try database.execute(sql: "SELECT * FROM ZITEM")
            let refusal = try error { try replace([NSPersistentStoreTimeoutOption: 0.05]) }
            #expect(refusal.code == 134090)
        }
        #expect(try folder.stored("ZNAME", in: "ZITEM") == ["text 'kept'"])
        #expect(try folder.names == ["Store.sqlite"])
    }

    @Test("A bad source leaves the destination unchanged")
    func badSource() throws {
        try fill(folder, "old")
        let before = try Data(contentsOf: folder.file)
        func code() throws -> Int { try error { try replace() }.code }
        #expect(try code() == NSFileReadNoSuchFileError)
        try Data("diary".utf8).write(to: source.file)
        #expect(try code() == NSFileReadCorruptFileError)
        try FileManager.default.removeItem(at: source.file)
        try source.execute("CREATE TABLE diary (day)")
        #expect(try code() == 134010)
        try FileManager.default.removeItem(at: source.file)
        try fill(source, "new")
        var bytes = try Data(contentsOf: source.file)
        // The page of the entity's table.
        let page = try #require(
            Int.fromDatabaseValue(try source.value("SELECT rootpage FROM sqlite_master WHERE name = 'ZITEM'"))
        )
        bytes.replaceSubrange((page - 1) * 4096..<page * 4096, with: Data(repeating: 0xEE, count: 4096))
        try bytes.write(to: source.file)
        try addFiles(source, ["only-new"])
        #expect(try code() == NSFileReadCorruptFileError)
        #expect(try Data(contentsOf: folder.file) == before)
        #expect(try folder.names == ["Store.sqlite"])
    }

    @Test("A destination that is not a store is replaced")
    func invalidDestination() throws {
        try fill(source, "new")
        try Data("diary".utf8).write(to: folder.file)
        try Data("the log of another file".utf8).write(to: URL(fileURLWithPath: folder.file.path + "-wal"))
        try replace()
        #expect(try folder.names == ["Store.sqlite"])
        #expect(try folder.stored("ZNAME", in: "ZITEM") == ["text 'new'"])
    }

    @Test("A store cannot replace itself")
    func storeCannotReplaceItself() throws {
        try fill(folder, "old")
        let refusal = try error {
            try NSPersistentStoreCoordinator(managedObjectModel: Self.model).replacePersistentStore(
                at: folder.file, withPersistentStoreFrom: folder.file, ofType: NSSQLiteStoreType)
        }
        #expect(refusal.code == 134080)
        #expect(try folder.stored("ZNAME", in: "ZITEM") == ["text 'old'"])
    }

    @Test("The log of a removed store does not affect a new one")
    func leftoverLog() throws {
        let coordinator = try folder.open(Self.model)
        let log = URL(fileURLWithPath: folder.file.path + "-wal")
        var left = Data()
        try coordinator.inContext { context in
            try context.insert("Item", ["name": "gone"])
            try context.save()
            left = try Data(contentsOf: log)
        }
        try coordinator.close()
        try FileManager.default.removeItem(at: folder.file)
        try left.write(to: log)
        try fill(folder, "new")
        #expect(try folder.stored("ZNAME", in: "ZITEM") == ["text 'new'"])
        #expect(try folder.names == ["Store.sqlite"])
    }

    @Test("A store in use is destroyed only by force")
    func forcedDestruction() throws {
        let coordinator = try folder.open(Self.model)
        let user = try folder.user()
        let other = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        let options = [NSPersistentStoreTimeoutOption: 0.05]
        #expect(
            try error { try other.destroyPersistentStore(at: folder.file, type: .sqlite, options: options) }
                .code
                == 134090)
        try other.destroyPersistentStore(
            at: folder.file, type: .sqlite, options: [NSPersistentStoreForceDestroyOption: true])
        #expect(try folder.names == ["Store.sqlite"])
        #expect(try Data(contentsOf: folder.file).isEmpty)
        #expect(coordinator.persistentStores.isEmpty)
        try user.close()
    }
}
