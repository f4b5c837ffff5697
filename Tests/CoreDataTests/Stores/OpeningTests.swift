import CoreData
import GRDB
import Testing

/// Files that cannot be opened: a clear error, and everything as it was.
@Suite struct OpeningTests {
    private static let model = NSManagedObjectModel(
        of: NSEntityDescription("Item", attribute("name", .string)))

    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    /// The names and contents of all files in the folder.
    private func contents() throws -> [String: Data] {
        Dictionary(
            uniqueKeysWithValues: try folder.names.map { name in
                (name, (try? Data(contentsOf: folder.url.appendingPathComponent(name))) ?? Data())
            })
    }

    /// The error of opening; the files are the same afterwards, byte for byte.
    private func refusal(
        _ model: NSManagedObjectModel = model, _ options: [AnyHashable: Any]? = nil
    ) throws -> NSError {
        let before = try contents()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let refusal = try error {
            try coordinator.addPersistentStore(type: .sqlite, at: folder.file, options: options)
        }
        #expect(coordinator.persistentStores.isEmpty)
        #expect(try contents() == before)
        return refusal
    }

    // MARK: Other files

    @Test("A text file is refused as corrupt with its path")
    func textFile() throws {
        try Data("Dear diary, nothing happened today.".utf8).write(to: folder.file)
        let refusal = try refusal()
        #expect(refusal.domain == NSCocoaErrorDomain && refusal.code == NSFileReadCorruptFileError)
        #expect(refusal.localizedDescription.contains(folder.file.path))
        #expect(refusal.userInfo[NSFilePathErrorKey] as? String == folder.file.path)
        #expect((refusal.userInfo[NSSQLiteErrorDomain] as? NSNumber)?.intValue == 26)
    }

    @Test("A file with a database header only is refused as corrupt")
    func fileThatBeginsLikeADatabase() throws {
        try Data("SQLite format 3\0 but then goes on differently".utf8).write(to: folder.file)
        #expect(try refusal().code == NSFileReadCorruptFileError)
    }

    @Test("A database that is not a store is refused")
    func anotherDatabase() throws {
        try folder.execute("CREATE TABLE diary (day, text); INSERT INTO diary VALUES (1, 'nothing')")
        let refusal = try refusal()
        #expect(refusal.code == 134010)
        #expect(refusal.localizedDescription.contains("Z_METADATA"))
    }

    @Test("A truncated store is refused as corrupt", arguments: [100, 1000, 4096, 5000, 12_288])
    func truncatedStore(_ length: Int) throws {
        try folder.make(Self.model)
        try Data(contentsOf: folder.file).prefix(length).write(to: folder.file)
        let refusal = try refusal()
        #expect(refusal.code == NSFileReadCorruptFileError)
        #expect(refusal.userInfo[NSUnderlyingErrorKey] is NSError)
    }

    @Test("A store without its metadata is refused")
    func storeWithoutMetadata() throws {
        try folder.make(Self.model)
        try folder.execute("DELETE FROM Z_METADATA")
        let refusal = try refusal()
        #expect(refusal.code == 134080)
        #expect(refusal.localizedDescription.contains("metadata"))
    }

    @Test("A store with invalid metadata is refused")
    func storeWithInvalidMetadata() throws {
        try folder.make(Self.model)
        try folder.execute("UPDATE Z_METADATA SET Z_PLIST = x'0102030405'")
        #expect(try refusal().code == 134080)
    }

    @Test("A store without one of its tables is refused with the table's name")
    func storeWithoutATable() throws {
        try folder.make(Self.model)
        try folder.execute("DROP TABLE ZITEM")
        let refusal = try refusal()
        #expect(refusal.code == 134020)
        #expect(refusal.localizedDescription.contains("ZITEM"))
    }

    @Test("A store without one of its columns is refused with the column's name")
    func storeWithoutAColumn() throws {
        try folder.make(Self.model)
        try folder.execute("ALTER TABLE ZITEM DROP COLUMN ZNAME")
        let refusal = try refusal()
        #expect(refusal.code == 134020)
        #expect(refusal.localizedDescription.contains("ZNAME"))
    }

    // MARK: Places

    @Test("A file in a folder that does not exist is refused")
    func missingFolder() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        let file = folder.url.appendingPathComponent("missing/Store.sqlite")
        let refusal = try error { try coordinator.addPersistentStore(type: .sqlite, at: file) }
        #expect(refusal.code == 134080)
        #expect(refusal.localizedDescription.contains("\(folder.url.path)/missing does not exist"))
        #expect(try folder.names == [])
    }

    @Test("A folder in place of the store's file is refused")
    func folderInPlaceOfTheFile() throws {
        try FileManager.default.createDirectory(at: folder.file, withIntermediateDirectories: false)
        let refusal = try refusal()
        #expect(refusal.code == 134080)
        #expect(refusal.localizedDescription.contains("it is a folder"))
    }

    @Test("A URL that is not a file URL is refused")
    func otherURL() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        let url = try #require(URL(string: "https://example.org/Store.sqlite"))
        let refusal = try error { try coordinator.addPersistentStore(type: .sqlite, at: url) }
        #expect(refusal.code == 134080)
        #expect(refusal.localizedDescription.contains("file URL"))
    }

    @Test("A store without a URL is refused")
    func noURL() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        let refusal = try error {
            try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: nil)
        }
        #expect(refusal.code == 134080)
    }

    @Test("A missing file cannot be opened read-only")
    func missingFileReadOnly() throws {
        let refusal = try refusal(Self.model, [NSReadOnlyPersistentStoreOption: true])
        #expect(refusal.code == 134080)
        #expect(refusal.localizedDescription.contains("does not exist"))
    }

    @Test("An empty file becomes a store")
    func emptyFileBecomesAStore() throws {
        try Data().write(to: folder.file)
        try folder.open(Self.model).inContext { context in
            try context.insert("Item")
            try context.save()
        }
        #expect(try folder.value("SELECT COUNT(*) FROM ZITEM").description == "1")
    }

    @Test("A database without tables becomes a store unless it is opened read-only")
    func databaseWithoutTables() throws {
        try folder.execute("CREATE TABLE diary (day); DROP TABLE diary")
        #expect(try refusal(Self.model, [NSReadOnlyPersistentStoreOption: true]).code == 134080)
        try folder.make(Self.model)
        try folder.open(Self.model).close()
    }

    @Test("A file without write permission is refused and unchanged")
    func unwritableFile() async throws {
        try folder.make(Self.model)
        let path = folder.url.path
        // Who may do everything may write every file.
        await #expect(processExitsWith: .success) { [path = path as String] in
            let file = URL(fileURLWithPath: path).appendingPathComponent("Store.sqlite")
            chmod(path, 0o777)
            chmod(file.path, 0o444)
            if getuid() == 0 { try #require(setuid(65534) == 0) }
            let before = try Data(contentsOf: file)
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: OpeningTests.model)
            let refusal = try error { try coordinator.addPersistentStore(type: .sqlite, at: file) }
            try #require(refusal.code == 134080)
            try #require(refusal.localizedDescription.contains("read-only"))
            try #require(try Data(contentsOf: file) == before)
            try #require(try FileManager.default.contentsOfDirectory(atPath: path) == ["Store.sqlite"])
        }
    }

    @Test("A folder without write permission is refused")
    func unwritableFolder() async throws {
        let path = folder.url.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            chmod(path, 0o555)
            if getuid() == 0 { try #require(setuid(65534) == 0) }
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: OpeningTests.model)
            let file = URL(fileURLWithPath: path).appendingPathComponent("Store.sqlite")
            let refusal = try error { try coordinator.addPersistentStore(type: .sqlite, at: file) }
            try #require(refusal.code == 134080)
            try #require(refusal.localizedDescription.contains("cannot be written to"))
            try #require(try FileManager.default.contentsOfDirectory(atPath: path) == [])
        }
        chmod(path, 0o755)
    }

    @Test("A store without write permission can be opened read-only")
    func unwritableMedium() async throws {
        try folder.open(Self.model).inContext { context in
            try context.insert("Item", ["name": "kept"])
            try context.save()
        }
        let path = folder.url.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            let file = URL(fileURLWithPath: path).appendingPathComponent("Store.sqlite")
            chmod(file.path, 0o444)
            chmod(path, 0o555)
            if getuid() == 0 { try #require(setuid(65534) == 0) }
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: OpeningTests.model)
            try coordinator.addPersistentStore(
                type: .sqlite, at: file, options: [NSReadOnlyPersistentStoreOption: true])
            let name = try coordinator.inContext { try $0.only("Item").value(forKey: "name") as? String }
            try #require(name == "kept")
            try #require(try FileManager.default.contentsOfDirectory(atPath: path) == ["Store.sqlite"])
        }
        chmod(path, 0o755)
    }

    @Test("A coordinator refuses the same file twice")
    func sameFileTwice() throws {
        let coordinator = try folder.open(Self.model)
        let refusal = try error { try coordinator.addPersistentStore(type: .sqlite, at: folder.file) }
        #expect(refusal.code == 134081)
        #expect(refusal.localizedDescription.contains("already"))
        #expect(coordinator.persistentStores.count == 1)
    }

    @Test("Stores work in files with unusual names")
    func oddFileNames() throws {
        for name in ["a b?c#d%20.sqlite", "ünï 🐘.sqlite", "it's \"quoted\".db"] {
            let file = folder.url.appendingPathComponent(name)
            for _ in 0..<2 {
                let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
                try coordinator.addPersistentStore(type: .sqlite, at: file)
                try coordinator.inContext { context in
                    try context.insert("Item", ["name": name])
                    try context.save()
                }
                try coordinator.close()
            }
            let reading = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
            try reading.addPersistentStore(
                type: .sqlite, at: file, options: [NSReadOnlyPersistentStoreOption: true])
            let count = try reading.inContext { try $0.all("Item").count }
            #expect(count == 2)
        }
    }

    // MARK: Locks

    /// A connection that keeps its transactions open.
    private func holder() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        return try DatabaseQueue(path: folder.file.path, configuration: configuration)
    }

    @Test("A locked store is refused with its path until it is unlocked")
    func lockedStore() throws {
        try folder.make(Self.model)
        let holder = try holder()
        try holder.writeWithoutTransaction { database in
            try database.execute(
                sql: "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE held (x)")
        }
        let before = try Data(contentsOf: folder.file)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        let refusal = try error {
            try coordinator.addPersistentStore(
                type: .sqlite, at: folder.file, options: [NSPersistentStoreTimeoutOption: 0.05])
        }
        #expect(refusal.code == 134090)
        #expect(refusal.localizedDescription.contains("locked"))
        #expect(refusal.localizedDescription.contains(folder.file.path))
        #expect(try Data(contentsOf: folder.file) == before)
        try holder.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try holder.close()
        try folder.open(Self.model).close()
    }

    @Test("A save in a locked store fails and succeeds later")
    func saveInALockedStore() throws {
        let coordinator = try folder.open(Self.model, [NSPersistentStoreTimeoutOption: 0.05])
        let holder = try holder()
        try holder.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        try coordinator.inContext { context in
            let item = try context.insert("Item", ["name": "waiting"])
            let refusal = try error { try context.save() }
            #expect(refusal.code == 134090)
            #expect(refusal.localizedDescription.contains("locked"))
            #expect(item.isInserted && item.objectID.isTemporaryID && context.hasChanges)
            try holder.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
            try context.save()
            #expect(!context.hasChanges)
        }
        #expect(try folder.stored("ZNAME", in: "ZITEM") == ["text 'waiting'"])
    }

    // MARK: Another model

    @Test("An incompatible model is refused with the entities that differ")
    func incompatibleModel() throws {
        let first = NSManagedObjectModel(
            of: NSEntityDescription("Same"), NSEntityDescription("Changed", attribute("a", .string)),
            NSEntityDescription("Gone"))
        let second = NSManagedObjectModel(
            of: NSEntityDescription("Same"), NSEntityDescription("Changed", attribute("a", .integer16)),
            NSEntityDescription("New"))
        try folder.make(first)
        let refusal = try refusal(second)
        #expect(refusal.domain == NSCocoaErrorDomain && refusal.code == 134100)
        for text in ["Changed (changed)", "Gone (not in the model)", "New (new in the model)"] {
            #expect(refusal.localizedDescription.contains(text))
        }
        #expect(!refusal.localizedDescription.contains("Same"))
        let metadata = refusal.userInfo["metadata"] as? [String: Any]
        #expect((metadata?[NSStoreModelVersionHashesKey] as? [String: Data])?.count == 3)
        #expect(refusal.userInfo["reason"] is String)
    }

    @Test("A model that differs in user info and transient attributes is accepted")
    func insignificantDifference() throws {
        try folder.make(Self.model)
        let other = NSEntityDescription("Item", attribute("name", .string))
        other.userInfo = ["a": "b"]
        other.add(Library.transient("note", .string))
        try folder.open(NSManagedObjectModel(of: other)).close()
    }
}
