import CoreData
import DurableFiles
import GRDB
import TestSupport
import Testing

/// What is not a regular file is never removed, replaced or written.
@Suite("Regular files of stores") struct OnlyRegularFilesTests {
    private static let model = NSManagedObjectModel(
        of: NSEntityDescription("Item", attribute("name", .string)))
    static let types = [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType]

    private let folder: StoreFolder
    private let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)

    init() throws { folder = try StoreFolder() }

    private func make(_ url: URL, _ type: String) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url, options: nil)
        try coordinator.inContext { context in
            try context.insert("Item", ["name": "kept"])
            try context.save()
        }
        try coordinator.close()
    }

    @Test(
        "Destroying or replacing the null device changes no file",
        arguments: types)
    func nullDevice(_ type: String) throws {
        let null = URL(fileURLWithPath: "/dev/null")
        let source = folder.url.appendingPathComponent("Source")
        try make(source, type)
        let calls = RecordedFileCalls(.all)
        try calls.run {
            for path in ["/dev/null", "/dev/../dev/null"] {
                try coordinator.destroyPersistentStore(at: URL(fileURLWithPath: path), ofType: type)
            }
            let refusal = try error {
                try coordinator.replacePersistentStore(
                    at: null, withPersistentStoreFrom: source, ofType: type)
            }
            #expect(refusal.code == 134080)
            _ = try error {
                try coordinator.replacePersistentStore(
                    at: source, withPersistentStoreFrom: null, ofType: type)
            }
        }
        #expect(calls.calls == [])
        #expect(try FileKind(at: null.path) == .special(name: "a device"))
        for suffix in ["-wal", "-shm", "-journal"] {
            #expect(try FileKind(at: null.path + suffix) == .missing)
        }
    }

    enum Kind: String, CaseIterable { case pipe, folder, device }

    private func put(_ kind: Kind, at url: URL) throws -> Bool {
        switch kind {
        case .pipe: #expect(mkfifo(url.path, 0o600) == 0)
        case .folder:
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
            try Data("inside".utf8).write(to: url.appendingPathComponent("file"))
        case .device:
            // One of this folder's own, which leads to the null device.
            return mknod(url.path, S_IFCHR | 0o666, 1 << 8 | 3) == 0
        }
        return true
    }

    @Test("A pipe, a folder or a device is neither destroyed nor replaced", arguments: types, Kind.allCases)
    func others(_ type: String, _ kind: Kind) throws {
        guard try put(kind, at: folder.file) else { return }
        let link = folder.url.appendingPathComponent("Link.sqlite")
        symlink("Store.sqlite", link.path)
        let source = try StoreFolder()
        try make(source.file, type)
        let before = try FileKind(at: folder.file.path)
        for url in [folder.file, link] {
            for options in [[:], [NSPersistentStoreForceDestroyOption: true]] {
                _ = try error {
                    try coordinator.destroyPersistentStore(at: url, ofType: type, options: options)
                }
            }
            _ = try error {
                try coordinator.replacePersistentStore(
                    at: url, withPersistentStoreFrom: source.file, ofType: type)
            }
            #expect(try FileKind(at: folder.file.path) == before)
            #expect(try FileKind(at: link.path) == .link)
        }
        #expect(try folder.names == ["Link.sqlite", "Store.sqlite"])
        if kind == .folder {
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file.path) == ["file"])
        }
    }

    @Test(
        "A pipe in place of a log refuses the destruction of its store",
        arguments: ["-wal", "-shm", "-journal"])
    func logs(_ suffix: String) throws {
        try make(folder.file, NSSQLiteStoreType)
        let bytes = try Data(contentsOf: folder.file)
        _ = try put(.pipe, at: URL(fileURLWithPath: folder.file.path + suffix))
        let source = try StoreFolder()
        try make(source.file, NSSQLiteStoreType)
        for options in [[:], [NSPersistentStoreForceDestroyOption: true]] {
            let refusal = try error {
                try coordinator.destroyPersistentStore(
                    at: folder.file, ofType: NSSQLiteStoreType, options: options)
            }
            #expect(refusal.code == 134080)
        }
        #expect(try folder.names == ["Store.sqlite", "Store.sqlite\(suffix)"])
        #expect(try Data(contentsOf: folder.file) == bytes)
    }

    @Test("A symbolic link to a store stays when the store is replaced or destroyed", arguments: types)
    func links(_ type: String) throws {
        let there = folder.url.appendingPathComponent("there")
        try FileManager.default.createDirectory(at: there, withIntermediateDirectories: false)
        symlink("there/Real", folder.file.path)
        let real = there.appendingPathComponent("Real")
        let source = try StoreFolder()
        try make(source.file, type)
        for _ in 0..<2 {
            try coordinator.replacePersistentStore(
                at: folder.file, withPersistentStoreFrom: source.file, ofType: type)
            #expect(try FileKind(at: folder.file.path) == .link)
            #expect(try FileKind(at: real.path) == .regular)
            #expect(
                try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: real)[
                    NSStoreUUIDKey] as? String
                    == NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: source.file)[
                        NSStoreUUIDKey] as? String)
        }
        try make(folder.file, type)
        #expect(try FileKind(at: folder.file.path) == .link)
        try coordinator.destroyPersistentStore(at: folder.file, ofType: type)
        #expect(try folder.names == ["Store.sqlite", "there"])
        let left = type == NSSQLiteStoreType ? ["Real"] : []
        #expect(try FileManager.default.contentsOfDirectory(atPath: there.path) == left)
    }

    @Test("A support folder that is a symbolic link is left unchanged")
    func supportFolder() throws {
        try make(folder.file, NSSQLiteStoreType)
        let other = folder.url.appendingPathComponent("Documents")
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: false)
        try Data("letter".utf8).write(to: other.appendingPathComponent("letter"))
        symlink("Documents", folder.url.appendingPathComponent(".Store_SUPPORT").path)
        try coordinator.destroyPersistentStore(at: folder.file, ofType: NSSQLiteStoreType)
        #expect(try folder.names == [".Store_SUPPORT", "Documents", "Store.sqlite"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: other.path) == ["letter"])
    }
}
