import CoreData
import Testing

/// Stores beside which a process has left something when it died, and stores that cannot be made.
@MainActor @Suite struct InterruptedStoreTests {
    private let folder: TemporaryFolder
    private var file: URL { folder.url.appendingPathComponent("Cars.sqlite") }

    init() throws { folder = try TemporaryFolder() }

    private func makeStore() throws {
        let stack = try CarStack(storeAt: file)
        stack.insert("Car", ["maker": "Fiat"])
        try stack.context.save()
        try close(stack)
    }

    private func close(_ stack: CarStack) throws {
        let coordinator = stack.container.persistentStoreCoordinator
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    private func makers(_ file: URL) throws -> [String] {
        let stack = try CarStack(storeAt: file)
        defer { try? close(stack) }
        return try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Car"))
            .compactMap { $0.value(forKey: "maker") as? String }
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() }
    }

    private func expect(_ code: Int, _ body: () throws -> Void) {
        let error = #expect(throws: NSError.self) { try body() }
        #expect(error?.domain == NSCocoaErrorDomain)
        #expect(error?.code == code)
    }

    /// The header of a write-ahead log, as it is before the first frame comes.
    private nonisolated static let logHeader: [UInt8] =
        [0x37, 0x7F, 0x06, 0x82, 0x00, 0x2D, 0xE2, 0x18, 0, 0, 0x10, 0, 0, 0, 0, 0]
        + [1, 2, 3, 4, 5, 6, 7, 8] + [9, 9, 9, 9, 9, 9, 9, 9]

    @Test(
        "A store opens although its log has only a header, or is not a log",
        arguments: [logHeader, Array(logHeader.prefix(20)), [UInt8](repeating: 7, count: 9000)])
    func aLogWithoutFrames(_ log: [UInt8]) throws {
        // SQLite stops trying to read such a log after ten seconds. A busy machine may take as long for all else.
        var isQuick = false
        for _ in 0..<5 where !isQuick {
            for name in try names {
                try FileManager.default.removeItem(at: folder.url.appendingPathComponent(name))
            }
            try makeStore()
            try Data(log).write(to: URL(fileURLWithPath: file.path + "-wal"))
            try Data(count: 32768).write(to: URL(fileURLWithPath: file.path + "-shm"))
            let start = Date()
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                type: .sqlite, at: file)
            #expect(metadata[NSStoreTypeKey] as? String == NSSQLiteStoreType)
            #expect(try makers(file) == ["Fiat"])
            isQuick = Date().timeIntervalSince(start) < 9
            #expect(try names == ["Cars.sqlite"])
        }
        #expect(isQuick)
    }

    @Test("A damaged list of external files is removed, and the files that it names stay")
    func aTornList() throws {
        try makeStore()
        let external = folder.url.appendingPathComponent(".Cars_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: external, withIntermediateDirectories: true)
        let name = UUID().uuidString
        try Data("another store's".utf8).write(to: external.appendingPathComponent(name))
        try (Data(count: 14) + Data("\n\(name)\n".utf8)).write(
            to: external.appendingPathComponent(".\(UUID().uuidString).changes"))
        #expect(try makers(file) == ["Fiat"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: external.path) == [name])
    }

    // MARK: New stores

    private func openDocument() throws -> (NSPersistentStoreCoordinator, NSPersistentStore) {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: CarStack.model())
        let url = folder.url.appendingPathComponent("Cars.xml")
        let store = try coordinator.addPersistentStore(type: .xml, at: url)
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let car = NSEntityDescription.insertNewObject(forEntityName: "Car", into: context)
            car.setValue("Fiat", forKey: "maker")
            try context.save()
        }
        chmod(url.path, 0o600)
        return (coordinator, store)
    }

    private func mode(_ url: URL) throws -> Int? {
        let mode = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions]
        return (mode as? NSNumber)?.intValue
    }

    @Test(
        "A copy of another type has the permissions and metadata of its source, and is one file",
        arguments: [NSPersistentStore.StoreType.sqlite, .binary, .xml])
    func aCopyOfAnotherType(_ type: NSPersistentStore.StoreType) throws {
        let (coordinator, store) = try openDocument()
        store.metadata["Colour"] = "red"
        let copy = folder.url.appendingPathComponent("Copy")
        try coordinator.migratePersistentStore(store, to: copy, type: type)
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        #expect(try mode(copy) == 0o600)
        #expect(try names == ["Cars.xml", "Copy"])
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: type, at: copy)
        #expect(metadata["Colour"] as? String == "red")
        if type == .sqlite { #expect(try makers(copy) == ["Fiat"]) }
    }

    @Test(
        "A failed copy leaves no file, and a file at its URL stays",
        arguments: [NSPersistentStore.StoreType.sqlite, .binary])
    func aCopyThatFails(_ type: NSPersistentStore.StoreType) throws {
        let (coordinator, store) = try openDocument()
        let taken = folder.url.appendingPathComponent("Taken")
        try Data("mine".utf8).write(to: taken)
        expect(134080) { try coordinator.migratePersistentStore(store, to: taken, type: type) }
        #expect(try Data(contentsOf: taken) == Data("mine".utf8))
        if type == .sqlite {
            expect(134000) {
                try coordinator.migratePersistentStore(
                    store, to: folder.url.appendingPathComponent("New"),
                    options: [NSSQLitePragmasOption: ["no_such": 1]], type: type)
            }
        }
        #expect(try names == ["Cars.xml", "Taken"])
        #expect(coordinator.persistentStores.first === store)
    }

    @Test("A failure of the file system has the error code of the call, and the system's error beneath it")
    func refusals() throws {
        try makeStore()
        // Long enough that no draft of it can have a name.
        let long = folder.url.appendingPathComponent(String(repeating: "n", count: 240))
        let model = CarStack.model()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        expect(134080) { try coordinator.addPersistentStore(type: .sqlite, at: long) }
        expect(134080) {
            try coordinator.replacePersistentStore(
                at: long, withPersistentStoreFrom: file, type: .sqlite)
        }
        let store = try coordinator.addPersistentStore(type: .sqlite, at: file)
        do {
            try coordinator.migratePersistentStore(store, to: long, type: .sqlite)
            Issue.record("There is a draft of it.")
        } catch let error as NSError {
            #expect(error.code == 134080)
            let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
            #expect(cause?.domain == NSPOSIXErrorDomain)
            #expect(cause?.code == Int(ENAMETOOLONG))
        }
        expect(134030) {
            try coordinator.migratePersistentStore(store, to: long, type: .xml)
        }
        expect(134160) {
            try NSMigrationManager(sourceModel: model, destinationModel: model).migrateStore(
                from: file, type: .sqlite,
                mapping: NSMappingModel.inferredMappingModel(forSourceModel: model, destinationModel: model),
                to: long, type: .sqlite)
        }
        try coordinator.remove(store)
        #expect(try names == ["Cars.sqlite"])
    }

    @Test("A store migrated by a mapping model has the permissions of the source", arguments: [false, true])
    func aMigratedStore(_ isDocument: Bool) throws {
        try makeStore()
        chmod(file.path, 0o600)
        let model = CarStack.model()
        let place = folder.url.appendingPathComponent("New")
        try NSMigrationManager(sourceModel: model, destinationModel: model).migrateStore(
            from: file, type: .sqlite,
            mapping: NSMappingModel.inferredMappingModel(forSourceModel: model, destinationModel: model),
            to: place, type: isDocument ? .xml : .sqlite)
        #expect(try mode(place) == 0o600)
        #expect(try names == ["Cars.sqlite", "New"])
        if !isDocument { #expect(try makers(place) == ["Fiat"]) }
    }
}
