import CoreData
import DurableFiles
import TestSupport
import Testing

/// XML and binary stores: the file is the old one or the new one, on the disk, with the mode that it had.
@Suite("Durability of documents") struct DurableDocumentTests {
    private static let model = NSManagedObjectModel(
        of: NSEntityDescription("Item", attribute("name", .string)))

    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func open(_ type: String) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: folder.file, options: nil)
        return coordinator
    }

    private func save(_ name: String, _ type: String, _ calls: RecordedFileCalls) throws {
        let coordinator = try open(type)
        try coordinator.inContext { context in
            for item in try context.all("Item") { context.delete(item) }
            try context.insert("Item", ["name": name])
            try calls.run { try context.save() }
        }
    }

    private func name(_ type: String) throws -> String? {
        try open(type).inContext { try $0.only("Item").value(forKey: "name") as? String }
    }

    @Test(
        "A save syncs the document, renames it and syncs its folder",
        arguments: [NSXMLStoreType, NSBinaryStoreType])
    func order(_ type: String) throws {
        let calls = RecordedFileCalls()
        try calls.run { _ = try open(type) }
        let wanted = [
            "sync Store.sqlite", "rename Store.sqlite Store.sqlite", "sync \(folder.url.lastPathComponent)",
        ]
        #expect(calls.calls.filter { wanted.contains($0) } == wanted)
    }

    @Test(
        "A save of a document is complete or absent, whichever file operation fails",
        arguments: [NSXMLStoreType, NSBinaryStoreType])
    func everyFault(_ type: String) throws {
        try save("old", type, RecordedFileCalls())
        chmod(folder.file.path, 0o640)
        let old = try Data(contentsOf: folder.file)
        // First without a fault, to know how many calls there are.
        var number = -1
        var count = 0
        while number < count {
            number += 1
            for fault in RecordedFileCalls.Fault.each(at: number) {
                try old.write(to: folder.file)
                chmod(folder.file.path, 0o640)
                let calls = RecordedFileCalls(fault)
                let isSaved = (try? save("new", type, calls)) != nil
                count = max(count, calls.calls.count)
                let found = try name(type)
                #expect(found == "new" || found == "old" && !isSaved, "\(fault)")
                #expect(try FileAttributes(of: folder.file)?.mode == 0o640)
                #expect(try folder.names == ["Store.sqlite"])
            }
        }
        #expect(count > 8)
    }

    @Test("A pipe in place of a document is not replaced", arguments: [NSXMLStoreType, NSBinaryStoreType])
    func pipes(_ type: String) throws {
        let coordinator = try open(type)
        try FileManager.default.removeItem(at: folder.file)
        #expect(mkfifo(folder.file.path, 0o600) == 0)
        try coordinator.inContext { context in
            try context.insert("Item", ["name": "new"])
            #expect(try error { try context.save() }.code == 134030)
        }
        #expect(try FileKind(at: folder.file.path) == .special(name: "a pipe"))
    }
}
