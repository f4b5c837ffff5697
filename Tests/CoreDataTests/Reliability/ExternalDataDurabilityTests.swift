import CoreData
import DurableFiles
import GRDB
import TestSupport
import Testing

/// Rows find their external data, and no file is left without a row, whatever fails and wherever a process ends.
@Suite("Durability of external data") struct ExternalDataDurabilityTests {
    static let model: NSManagedObjectModel = {
        let photo = NSEntityDescription("Photo", attribute("name", .string), attribute("image", .binaryData))
        photo.attributesByName["image"]?.allowsExternalBinaryDataStorage = true
        return NSManagedObjectModel(of: photo)
    }()

    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    static func data(_ byte: UInt8) -> Data { Data(repeating: byte, count: 150_000) }

    private var external: URL { folder.url.appendingPathComponent(".Store_SUPPORT/_EXTERNAL_DATA") }

    private var files: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: external.path)) ?? []).sorted()
    }

    private func make(_ options: [AnyHashable: Any]? = nil) throws {
        let coordinator = try folder.open(Self.model, options)
        try coordinator.inContext { context in
            for (name, byte) in [("a", 1), ("b", 2)] as [(String, UInt8)] {
                try context.insert("Photo", ["name": name, "image": Self.data(byte)])
            }
            try context.save()
        }
        try coordinator.close()
        try #require(files.count == 2)
    }

    /// Opens the store anew and checks that rows and files agree; the first bytes of the images by name.
    private func check(_ options: [AnyHashable: Any]? = nil) throws -> [String: UInt8] {
        let coordinator = try folder.open(Self.model, options)
        let images = try coordinator.inContext { context in
            var images: [String: UInt8] = [:]
            for photo in try context.all("Photo") {
                let name = try #require(photo.value(forKey: "name") as? String)
                let image = try #require(photo.value(forKey: "image") as? Data)
                #expect(image.count == 150_000)
                images[name] = image.first
            }
            return images
        }
        try coordinator.close()
        let named = try folder.rows("SELECT CAST(substr(ZIMAGE, 2, 36) AS TEXT) FROM ZPHOTO").map {
            String.fromDatabaseValue($0[0]) ?? ""
        }
        #expect(files == named.sorted())
        return images
    }

    /// Replaces one image, deletes another and inserts a third.
    private static func change(_ context: NSManagedObjectContext) throws {
        for photo in try context.all("Photo") {
            if photo.value(forKey: "name") as? String == "a" {
                photo.setValue(data(11), forKey: "image")
            } else {
                context.delete(photo)
            }
        }
        try context.insert("Photo", ["name": "c", "image": data(3)])
        try context.save()
    }

    @Test("New external data is synced before the commit, and old data is deleted after it")
    func order() throws {
        try make()
        let old = Set(files)
        let coordinator = try folder.open(Self.model)
        let calls = RecordedFileCalls()
        try calls.run { try coordinator.inContext(Self.change) }
        let new = try #require(Set(files).subtracting(old).first)
        let made = calls.calls
        func last(_ text: String) throws -> Int { try #require(made.lastIndex(of: text), "\(text)") }
        let list = try #require(made.first { $0.hasPrefix("create .") && $0.hasSuffix(".changes") })
            .dropFirst(7)
        #expect(
            try #require(made.firstIndex(of: "sync \(list)")) < #require(made.firstIndex(of: "create \(new)"))
        )
        #expect(try last("write \(new)") < last("sync \(new)"))
        for name in old {
            #expect(try last("sync \(new)") < last("unlink \(name)"))
            let syncs = made.indices.filter { made[$0] == "sync _EXTERNAL_DATA" }
            let (sync, unlink) = (try last("sync \(new)"), try last("unlink \(name)"))
            #expect(syncs.contains { $0 > sync && $0 < unlink })
            #expect(syncs.contains { $0 > unlink })
        }
        #expect(try last("unlink \(list)") == made.count - 2, "\(made.suffix(3))")
        try coordinator.close()
        #expect(try check() == ["a": 11, "c": 3])
    }

    @Test(
        "A save of external data is complete or absent, whichever file operation fails",
        arguments: ["wal", "delete"])
    func everyFault(_ mode: String) throws {
        let options: [AnyHashable: Any] = [NSSQLitePragmasOption: ["journal_mode": mode]]
        let old: [String: UInt8] = ["a": 1, "b": 2]
        let new: [String: UInt8] = ["a": 11, "c": 3]
        try make(options)
        let template = try StoreFolder()
        try template.copyFiles(of: folder)
        // First without a fault, to know how many calls there are.
        var number = -1
        var count = 0
        while number < count {
            number += 1
            for fault in RecordedFileCalls.Fault.each(at: number) {
                try folder.copyFiles(of: template)
                let calls = RecordedFileCalls(fault)
                let coordinator = try folder.open(Self.model, options)
                let isSaved = calls.run { (try? coordinator.inContext(Self.change)) != nil }
                try coordinator.close()
                count = max(count, calls.calls.count)
                #expect(try check(options) == (isSaved ? new : old), "\(fault)")
            }
        }
        #expect(count > 15)
    }

    @Test("New files stay while their process runs and are deleted if it was killed before its commit")
    func twoProcesses() async throws {
        try make()
        let path = folder.url.path
        async let child = #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            // Right before the commit: the new file is there, and its folder was synced.
            let calls = RecordedFileCalls(before: { call in
                let folder = URL(fileURLWithPath: path + "/.Store_SUPPORT/_EXTERNAL_DATA")
                let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
                guard call == "sync _EXTERNAL_DATA", files.filter({ !$0.hasPrefix(".") }).count == 3 else {
                    return
                }
                _ = FileManager.default.createFile(atPath: path + "/ready", contents: nil)
                while !FileManager.default.fileExists(atPath: path + "/go") { usleep(1000) }
                kill(getpid(), SIGKILL)
            })
            let coordinator = NSPersistentStoreCoordinator(
                managedObjectModel: ExternalDataDurabilityTests.model)
            try coordinator.addPersistentStore(
                type: .sqlite, at: URL(fileURLWithPath: path + "/Store.sqlite"))
            try calls.run {
                try coordinator.inContext { context in
                    try context.insert(
                        "Photo", ["name": "c", "image": ExternalDataDurabilityTests.data(3)])
                    try context.save()
                }
            }
        }
        // Without a thread of the tests': the child's task waits for one.
        while !FileManager.default.fileExists(atPath: path + "/ready") {
            try await Task.sleep(for: .milliseconds(5))
        }
        let before = files
        #expect(before.count == 4)
        // Its maker lives: nothing is removed.
        try folder.open(Self.model).close()
        #expect(files == before)
        _ = FileManager.default.createFile(atPath: path + "/go", contents: nil)
        _ = await child
        #expect(files == before)
        #expect(try check() == ["a": 1, "b": 2])
        #expect(files.count == 2)
    }

    @Test(
        "A file of external data that no list names stays"
    )
    func unlisted() throws {
        try make()
        let name = UUID().uuidString
        try Data("apple".utf8).write(to: external.appendingPathComponent(name))
        let coordinator = try folder.open(Self.model)
        try coordinator.inContext(Self.change)
        try coordinator.close()
        try folder.open(Self.model).close()
        #expect(files.contains(name))
    }

    @Test("A save that replaces external data seldom scans all rows")
    func scans() throws {
        try make()
        let coordinator = try folder.open(Self.model)
        let store = try #require(coordinator.persistentStores.first as? SQLiteStore)
        try coordinator.inContext { context in
            let photo = try #require(try context.all("Photo", by: "name").first)
            for byte in 20..<30 as Range<UInt8> {
                photo.setValue(Self.data(byte), forKey: "image")
                try context.save()
            }
            #expect(store.externalDataScanCount == 1)
            #expect(files.count == 2)
            // Another program gives the file to another row, too.
            try folder.execute(
                "UPDATE ZPHOTO SET ZIMAGE = (SELECT ZIMAGE FROM ZPHOTO WHERE ZNAME = 'a') WHERE ZNAME = 'b'")
            photo.setValue(Self.data(30), forKey: "image")
            try context.save()
            #expect(store.externalDataScanCount == 2)
        }
        try coordinator.close()
        let again = try folder.open(Self.model)
        try again.inContext { context in
            let images = try context.all("Photo", by: "name").map {
                ($0.value(forKey: "image") as? Data)?.first
            }
            #expect(images == [30, 29])
        }
    }

    @Test(
        "External data can be read with the permissions of the store",
        arguments: [0o600, 0o640, 0o644])
    func modes(_ mode: Int) throws {
        try folder.make(Self.model)
        chmod(folder.file.path, mode_t(mode))
        let coordinator = try folder.open(Self.model)
        try coordinator.inContext { context in
            try context.insert("Photo", ["name": "a", "image": Self.data(1)])
            try context.save()
        }
        try coordinator.close()
        let file = external.appendingPathComponent(try #require(files.first))
        #expect(try FileAttributes(of: file)?.mode == mode_t(mode))
        let search = mode_t(mode | (mode & 0o444) >> 2)
        #expect(try FileAttributes(of: external)?.mode == search)
        #expect(try FileAttributes(of: external.deletingLastPathComponent())?.mode == search)
    }
}
