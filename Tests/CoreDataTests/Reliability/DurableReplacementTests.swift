import CoreData
import DurableFiles
import GRDB
import Synchronization
import TestSupport
import Testing

/// Stores that take the place of others: complete, with the modes that they had, or not at all.
@Suite("Durability of replacements") struct DurableReplacementTests {
    private static let model = ExternalDataDurabilityTests.model

    private let folder: StoreFolder
    private let source: StoreFolder
    private let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)

    init() throws {
        folder = try StoreFolder()
        source = try StoreFolder()
    }

    private func data(_ byte: UInt8) -> Data { ExternalDataDurabilityTests.data(byte) }

    private func fill(_ folder: StoreFolder, _ bytes: UInt8...) throws {
        let coordinator = try folder.open(Self.model)
        try coordinator.inContext { context in
            for byte in bytes { try context.insert("Photo", ["name": "\(byte)", "image": data(byte)]) }
            try context.save()
        }
        try coordinator.close()
    }

    private func external(_ folder: StoreFolder) -> URL {
        folder.url.appendingPathComponent(".Store_SUPPORT/_EXTERNAL_DATA")
    }

    private func files(_ folder: StoreFolder) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: external(folder).path)) ?? []).sorted()
    }

    /// The images, after checks that each is whole and that no file is without a row.
    private func images(_ folder: StoreFolder) throws -> [UInt8] {
        let coordinator = try folder.open(Self.model)
        let images = try coordinator.inContext { context in
            try context.all("Photo", by: "name").compactMap { ($0.value(forKey: "image") as? Data)?.first }
        }
        try coordinator.close()
        let named = try folder.rows("SELECT CAST(substr(ZIMAGE, 2, 36) AS TEXT) FROM ZPHOTO").map {
            String.fromDatabaseValue($0[0]) ?? ""
        }
        #expect(files(folder) == named.sorted())
        return images
    }

    private func replace(_ options: [AnyHashable: Any]? = nil) throws {
        try coordinator.replacePersistentStore(
            at: folder.file, destinationOptions: options, withPersistentStoreFrom: source.file, type: .sqlite)
    }

    private func mode(_ url: URL) throws -> mode_t? { try FileAttributes(of: url)?.mode }

    @Test("A copy has the external data of its rows although files change during the copy")
    func changesDuringTheCopy() throws {
        try fill(source, 1, 2, 3)
        let user = try source.open(Self.model)
        let rest = Mutex<[UInt8]>([31, 32, 33])
        let calls = RecordedFileCalls(before: { call in
            // A file of the source is about to be copied.
            guard call.hasPrefix("create "), UUID(uuidString: String(call.dropFirst(7))) != nil,
                let byte = rest.withLock({ $0.popLast() })
            else { return }
            do {
                try user.inContext { context in
                    for photo in try context.all("Photo") {
                        photo.setValue(ExternalDataDurabilityTests.data(byte), forKey: "image")
                    }
                    try context.insert(
                        "Photo", ["name": "\(byte)", "image": ExternalDataDurabilityTests.data(byte)])
                    try context.save()
                }
            } catch {
                Issue.record(error)
            }
        })
        try calls.run { try replace() }
        #expect(rest.withLock { $0 } == [])
        #expect(try images(folder) == [31, 31, 31, 31, 31, 31])
        try user.close()
    }

    @Test("A copy leaves out files without a row and files that are missing")
    func filesWithoutRows() throws {
        try fill(source, 1, 2)
        try Data("stray".utf8).write(to: external(source).appendingPathComponent("stray"))
        try Data("stray".utf8).write(to: external(source).appendingPathComponent(UUID().uuidString))
        let lost = try #require(
            String.fromDatabaseValue(
                source.value("SELECT CAST(substr(ZIMAGE, 2, 36) AS TEXT) FROM ZPHOTO WHERE ZNAME = '1'")))
        try FileManager.default.removeItem(at: external(source).appendingPathComponent(lost))
        try replace()
        #expect(files(folder).count == 1)
        #expect(!files(folder).contains(lost))
    }

    @Test(
        "A replaced store keeps its mode, and a new one gets that of its source",
        arguments: [0o600, 0o640, 0o644])
    func modes(_ mode: Int) throws {
        try fill(source, 1)
        chmod(source.file.path, mode_t(mode))
        try replace()
        #expect(try self.mode(folder.file) == mode_t(mode))
        let file = external(folder).appendingPathComponent(try #require(files(folder).first))
        #expect(try self.mode(file) == mode_t(mode))
        chmod(source.file.path, 0o644)
        if geteuid() == 0 { chown(folder.file.path, 65534, 65534) }
        let before = try FileAttributes(of: folder.file)
        try replace()
        #expect(try FileAttributes(of: folder.file) == before)

        let other = try StoreFolder()
        chmod(source.file.path, mode_t(mode))
        let copier = try source.open(Self.model)
        try copier.migratePersistentStore(copier.persistentStores[0], to: other.file, type: .sqlite)
        try copier.close()
        #expect(try self.mode(other.file) == mode_t(mode))
    }

    @Test("A document's copy has the mode of its source", arguments: [NSXMLStoreType, NSBinaryStoreType])
    func documentModes(_ type: String) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: source.file, options: nil)
        try coordinator.close()
        chmod(source.file.path, 0o600)
        try coordinator.replacePersistentStore(
            at: folder.file, withPersistentStoreFrom: source.file, ofType: type)
        #expect(try mode(folder.file) == 0o600)
    }

    @Test("An error of the lock is thrown, and no file is removed")
    func lockErrors() throws {
        try fill(folder, 1)
        try fill(source, 2)
        let names = try folder.names
        // The statements of the lock fail with SQLITE_READONLY then.
        let options = [NSSQLitePragmasOption: ["query_only": "1"]]
        let destroyed = try error {
            try coordinator.destroyPersistentStore(at: folder.file, type: .sqlite, options: options)
        }
        #expect((destroyed.userInfo[NSSQLiteErrorDomain] as? NSNumber)?.intValue == 8)
        #expect(throws: (any Error).self) { try replace(options) }
        #expect(try folder.names == names)
        #expect(try images(folder) == [1])
    }

    enum Operation: CaseIterable { case replace, replaceNothing, migrate, destroy }

    @Test(
        "The old or the new store is complete, whichever file operation fails",
        arguments: Operation.allCases)
    func everyFault(_ operation: Operation) throws {
        try fill(source, 2, 3)
        let isThere = operation == .replace || operation == .destroy
        let template = try StoreFolder()
        if isThere { try fill(template, 1) }
        // First without a fault, to know how many calls there are.
        var number = -1
        var count = 0
        while number < count {
            number += 1
            for fault in RecordedFileCalls.Fault.each(at: number) {
                try folder.copyFiles(of: template)
                let calls = RecordedFileCalls(fault)
                var isDone = true
                do {
                    try calls.run {
                        switch operation {
                        case .replace, .replaceNothing: try replace()
                        case .migrate:
                            let copier = try source.open(Self.model)
                            defer { try? copier.close() }
                            try copier.migratePersistentStore(
                                copier.persistentStores[0], to: folder.file, type: .sqlite)
                        case .destroy: try coordinator.destroyPersistentStore(at: folder.file, type: .sqlite)
                        }
                    }
                } catch {
                    isDone = false
                }
                count = max(count, calls.calls.count)
                // What is not there is made by the next opening.
                let found = try images(folder)
                let (old, new): ([UInt8], [UInt8]) = (
                    isThere ? [1] : [], operation == .destroy ? [] : [2, 3]
                )
                #expect(found == new || found == old && !isDone, "\(operation) \(fault)")
                #expect(
                    try Set(folder.names).subtracting(["Store.sqlite", ".Store_SUPPORT"]) == [], "\(fault)")
            }
        }
        #expect(try images(source) == [2, 3])
        #expect(count > 10)
    }
}
