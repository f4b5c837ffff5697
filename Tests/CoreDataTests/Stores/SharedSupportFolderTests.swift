import CoreData
import Testing

/// Stores whose names differ in the extension alone: they have one folder for their external data.
@Suite struct SharedSupportFolderTests {
    private static let model: NSManagedObjectModel = {
        let photo = NSEntityDescription("Photo", attribute("image", .binaryData))
        photo.attributesByName["image"]?.allowsExternalBinaryDataStorage = true
        return NSManagedObjectModel(of: photo)
    }()

    private let folder: StoreFolder
    private var namesake: URL { folder.url.appendingPathComponent("Store.old") }

    init() throws {
        folder = try StoreFolder()
        try fill(folder.file, 1)
    }

    private func open(_ url: URL) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        try coordinator.addPersistentStore(type: .sqlite, at: url)
        return coordinator
    }

    private func data(_ byte: UInt8) -> Data { Data(repeating: byte, count: 200_000) }

    private func fill(_ url: URL, _ byte: UInt8) throws {
        let coordinator = try open(url)
        try coordinator.inContext { context in
            try context.insert("Photo", ["image": data(byte)])
            try context.save()
        }
        try coordinator.close()
    }

    private func image(_ url: URL) throws -> Data? {
        let coordinator = try open(url)
        defer { try? coordinator.close() }
        return try coordinator.inContext { try $0.only("Photo").value(forKey: "image") as? Data }
    }

    private var files: [String] {
        let files = folder.url.appendingPathComponent(".Store_SUPPORT/_EXTERNAL_DATA")
        return (try? FileManager.default.contentsOfDirectory(atPath: files.path)) ?? []
    }

    private func destroy(_ url: URL, _ options: [AnyHashable: Any]? = nil) throws {
        try NSPersistentStoreCoordinator(managedObjectModel: Self.model)
            .destroyPersistentStore(at: url, type: .sqlite, options: options)
    }

    @Test("Destroying a store keeps the external data of its namesake", arguments: [false, true])
    func destroyingKeepsTheOthersFiles(_ isForced: Bool) throws {
        try fill(namesake, 2)
        #expect(files.count == 2)
        let options = isForced ? [NSPersistentStoreForceDestroyOption: true] : nil
        try destroy(folder.file, options)
        #expect(files.count == 1)
        #expect(try image(namesake) == data(2))
        try destroy(namesake, options)
        // Empty files are left.
        #expect(try folder.names == ["Store.old", "Store.sqlite"])
    }

    @Test("A copied store keeps the external data when the original is destroyed")
    func copyKeepsItsData() throws {
        try FileManager.default.copyItem(at: folder.file, to: namesake)
        try destroy(folder.file)
        #expect(try image(namesake) == data(1))
    }

    @Test("Replacing a store keeps the external data of its namesake")
    func replacingKeepsTheOthersFiles() throws {
        try fill(namesake, 2)
        let source = try StoreFolder()
        try fill(source.file, 3)
        try open(source.file).replacePersistentStore(
            at: folder.file, withPersistentStoreFrom: source.file, type: .sqlite)
        #expect(files.count == 2)
        #expect(try image(folder.file) == data(3))
        #expect(try image(namesake) == data(2))
    }

    @Test("A store can be replaced by its namesake")
    func replacedByItsNamesake() throws {
        try fill(namesake, 2)
        try open(namesake).replacePersistentStore(
            at: folder.file, withPersistentStoreFrom: namesake, type: .sqlite)
        #expect(files.count == 1)
        #expect(try image(folder.file) == data(2))
        #expect(try image(namesake) == data(2))
    }

    @Test("A file that is not a store does not keep external data")
    func otherFilesShareNothing() throws {
        try Data("Notes on the store, more than a header's worth of them: one hundred bytes and a few.".utf8)
            .write(to: folder.url.appendingPathComponent("Store.txt"))
        try Data().write(to: folder.url.appendingPathComponent(".Store_SUPPORT/_EXTERNAL_DATA/stray"))
        try destroy(folder.file)
        #expect(try folder.names == ["Store.sqlite", "Store.txt"])
    }

    @Test("External data stays while a damaged namesake may refer to it")
    func damagedNamesakeKeepsFiles() throws {
        try fill(namesake, 2)
        let file = try FileHandle(forWritingTo: namesake)
        try file.seek(toOffset: 100)
        try file.write(contentsOf: Data(repeating: 0xFF, count: 4000))
        try file.close()
        try destroy(folder.file)
        #expect(files.count == 2)
    }
}
