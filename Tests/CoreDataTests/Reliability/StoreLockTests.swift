import CoreData
import GRDB
import TestSupport
import Testing

/// Something that is done to a store by its URL; another folder is for what that needs besides.
struct StoreCall: Sendable {
    let name: String
    let call: @Sendable (URL, StoreFolder) throws -> Void

    init(_ name: String, _ call: @escaping @Sendable (URL, StoreFolder) throws -> Void) {
        self.name = name
        self.call = call
    }
}

/// The locks of an open store stay, whatever else this process does with its file.
///
/// A process that closes any descriptor of a file loses all locks it has on it: then another process takes the log away, and
/// what is saved later is lost.
@Suite(.enabled(if: ProcessLocks.areListed)) struct StoreLockTests {
    private static let model: NSManagedObjectModel = {
        let picture = attribute("picture", .binaryData)
        picture.allowsExternalBinaryDataStorage = true
        return NSManagedObjectModel(of: NSEntityDescription("Item", attribute("name", .string), picture))
    }()

    private static let timeout = [NSPersistentStoreTimeoutOption: 0]

    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    /// Calls of the public interface that take the URL of a file.
    static let calls: [StoreCall] = {
        typealias Coordinator = NSPersistentStoreCoordinator
        let types = [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType]
        var calls: [StoreCall] = []
        for type in types {
            calls += [
                StoreCall(
                    "metadata, \(type)",
                    { url, _ in _ = try Coordinator.metadataForPersistentStore(ofType: type, at: url) }
                ),
                StoreCall(
                    "setting metadata, \(type)",
                    { url, _ in
                        try Coordinator.setMetadata(["a": "b"], forPersistentStoreOfType: type, at: url)
                    }
                ),
                StoreCall(
                    "the model in it, \(type)",
                    { url, _ in _ = try Coordinator.cachedModelForPersistentStore(ofType: type, at: url) }
                ),
                StoreCall(
                    "a model of it, \(type)",
                    { url, _ in
                        _ = try Coordinator.reconstructedModelForPersistentStore(ofType: type, at: url)
                    }
                ),
                StoreCall(
                    "adding and removing, \(type)",
                    { url, _ in
                        let coordinator = Coordinator(managedObjectModel: model)
                        try coordinator.addPersistentStore(
                            ofType: type, configurationName: nil, at: url, options: timeout)
                        try coordinator.inContext { _ = try $0.all("Item") }
                        try coordinator.close()
                    }
                ),
                StoreCall(
                    "adding and removing read-only, \(type)",
                    { url, _ in
                        let coordinator = Coordinator(managedObjectModel: model)
                        try coordinator.addPersistentStore(
                            ofType: type, configurationName: nil, at: url,
                            options: [NSReadOnlyPersistentStoreOption: true])
                        try coordinator.inContext { _ = try $0.all("Item") }
                        try coordinator.close()
                    }
                ),
                StoreCall(
                    "migrating with a manager, \(type)",
                    { url, folder in
                        let mapping = try NSMappingModel.inferredMappingModel(
                            forSourceModel: model, destinationModel: model)
                        try NSMigrationManager(sourceModel: model, destinationModel: model).migrateStore(
                            from: url, type: .init(rawValue: type), mapping: mapping,
                            to: folder.url.appendingPathComponent("Managed.sqlite"), type: .sqlite)
                    }
                ),
                StoreCall(
                    "replacing another store, \(type)",
                    { url, folder in
                        try Coordinator(managedObjectModel: model).replacePersistentStore(
                            at: folder.url.appendingPathComponent("Other.store"),
                            withPersistentStoreFrom: url,
                            type: .init(rawValue: type))
                    }
                ),
                StoreCall(
                    "migrating, \(type)",
                    { url, folder in
                        let coordinator = Coordinator(managedObjectModel: model)
                        let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
                        defer { try? coordinator.close() }
                        try coordinator.migratePersistentStore(
                            store, to: folder.url.appendingPathComponent("Moved.\(type)"),
                            type: .init(rawValue: type))
                    }
                ),
            ]
        }
        for type in types where type != NSSQLiteStoreType {
            calls += [
                StoreCall("destroying by \(type)", { url, _ in try destroy(url, type) }),
                StoreCall("being replaced by \(type)", { url, folder in try replace(url, type, folder) }),
            ]
        }
        calls += [
            StoreCall("a model file", { url, _ in _ = NSManagedObjectModel(contentsOf: url) }),
            StoreCall("a mapping model file", { url, _ in _ = NSMappingModel(contentsOf: url) }),
            StoreCall(
                "a container",
                { url, _ in
                    let container = try NSPersistentContainer(storeAt: url)
                    container.loadPersistentStores { _, _ in }
                    try container.persistentStoreCoordinator.close()
                }
            ),
            StoreCall(
                "a read-only container",
                { url, _ in
                    let container = try NSPersistentContainer(storeAt: url, isReadOnly: true)
                    container.loadPersistentStores { _, _ in }
                    try container.persistentStoreCoordinator.close()
                }
            ),
            StoreCall(
                "destroying",
                { url, _ in
                    try Coordinator(managedObjectModel: model).destroyPersistentStore(
                        at: url, type: .sqlite, options: timeout)
                }
            ),
            StoreCall(
                "being replaced",
                { url, folder in
                    let other = folder.url.appendingPathComponent("Source.sqlite")
                    let coordinator = Coordinator(managedObjectModel: model)
                    try coordinator.addPersistentStore(type: .sqlite, at: other)
                    try coordinator.close()
                    try coordinator.replacePersistentStore(
                        at: url, destinationOptions: timeout, withPersistentStoreFrom: other, type: .sqlite)
                }
            ),
            StoreCall(
                "another URL for a store",
                { url, folder in
                    let other = folder.url.appendingPathComponent("Source.sqlite")
                    let coordinator = Coordinator(managedObjectModel: model)
                    let store = try coordinator.addPersistentStore(type: .sqlite, at: other)
                    coordinator.setURL(url, for: store)
                    try coordinator.close()
                }
            ),
            StoreCall(
                "migrating to another model",
                { url, _ in
                    let newer = NSManagedObjectModel(
                        of: NSEntityDescription("Item", attribute("title", .string)))
                    let coordinator = Coordinator(managedObjectModel: newer)
                    try coordinator.addPersistentStore(
                        type: .sqlite, at: url,
                        options: [
                            NSMigratePersistentStoresAutomaticallyOption: true,
                            NSInferMappingModelAutomaticallyOption: true, NSPersistentStoreTimeoutOption: 0,
                        ])
                    try coordinator.close()
                }
            ),
        ]
        return calls
    }()

    private static func destroy(_ url: URL, _ type: String) throws {
        try NSPersistentStoreCoordinator(managedObjectModel: model).destroyPersistentStore(
            at: url, ofType: type)
    }

    /// Replaces what is at a URL by a new store of a type.
    private static func replace(_ url: URL, _ type: String, _ folder: StoreFolder) throws {
        let source = folder.url.appendingPathComponent("Source.\(type)")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: source, options: nil)
        try coordinator.close()
        try coordinator.replacePersistentStore(at: url, withPersistentStoreFrom: source, ofType: type)
    }

    @Test(
        "A SQLite store is not destroyed or replaced as a document, and stays in use",
        arguments: [NSXMLStoreType, NSBinaryStoreType], [false, true])
    func noDocument(_ type: String, _ isLinked: Bool) throws {
        let coordinator = try folder.open(Self.model)
        try coordinator.inContext { context in
            try context.insert("Item", ["name": "one"])
            try context.save()
        }
        var url = folder.file
        if isLinked {
            url = folder.url.appendingPathComponent("Link.sqlite")
            try FileManager.default.createSymbolicLink(at: url, withDestinationURL: folder.file)
        }
        func number() throws -> UInt64? {
            try FileManager.default.attributesOfItem(atPath: folder.file.path)[.systemFileNumber] as? UInt64
        }
        let before = try (number(), ProcessLocks.on(folder.file))
        for call in [{ try Self.destroy(url, type) }, { try Self.replace(url, type, folder) }] {
            let error = #expect(throws: NSError.self) { try call() }
            #expect(error?.code == 134010)
            #expect(error?.localizedDescription.contains("is a SQLite database") ?? false)
            #expect(try number() == before.0)
            #expect(try ProcessLocks.on(folder.file) == before.1)
        }
        try coordinator.inContext { context in
            try context.insert("Item", ["name": "two"])
            try context.save()
        }
        let second = try folder.open(Self.model)
        #expect(try second.inContext { try $0.all("Item").count } == 2)
    }

    @Test("No public call with a URL drops a lock", arguments: ["direct", "symbolic link", "hard link"])
    func publicCalls(_ way: String) throws {
        let coordinator = try folder.open(Self.model)
        try coordinator.inContext { context in
            try context.insert("Item", ["name": "one"])
            try context.save()
        }
        var url = folder.file
        if way != "direct" {
            url = folder.url.appendingPathComponent("Link.sqlite")
            if way == "hard link" {
                // The log stays that of the first name, so that this is not the way to open it; it may be looked at.
                try FileManager.default.linkItem(at: folder.file, to: url)
            } else {
                try FileManager.default.createSymbolicLink(at: url, withDestinationURL: folder.file)
            }
        }
        let before = try ProcessLocks.on(folder.file)
        try #require(!before.isEmpty)
        for item in Self.calls {
            let (name, call) = (item.name, item.call)
            // SQLite itself must not be given two names of one file for writing.
            if way == "hard link",
                !["metadata", "the model", "a model", "a mapping"].contains(where: name.hasPrefix)
            {
                continue
            }
            // Stores of this process are closed for these two, and what is in the file goes.
            if ["destroying", "being replaced"].contains(name) { continue }
            // Some must fail: what matters is what they leave.
            try? call(url, folder)
            #expect(try ProcessLocks.on(folder.file) == before, "\(name)")
        }
        try coordinator.inContext { context in
            try context.insert("Item", ["name": "two"])
            try context.save()
            #expect(try context.all("Item").count == 2)
        }
    }

    @Test(
        "Destroying or replacing a store keeps the locks of an open store that has the name of its search index"
    )
    func searchIndexes() throws {
        let url = folder.url.appendingPathComponent("Other.sqlite")
        let neighbour = folder.url.appendingPathComponent("Other.sqlite-search")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        try coordinator.addPersistentStore(type: .sqlite, at: neighbour)
        try coordinator.inContext { context in
            try context.insert("Item", ["name": "one"])
            try context.save()
        }
        let before = try ProcessLocks.on(neighbour)
        try #require(!before.isEmpty)
        for call in [
            { try Self.replace(url, NSSQLiteStoreType, folder) },
            { try Self.destroy(url, NSSQLiteStoreType) },
        ] {
            try call()
            #expect(try ProcessLocks.on(neighbour) == before)
        }
        try coordinator.inContext { context in
            try context.insert("Item", ["name": "two"])
            try context.save()
            #expect(try context.all("Item").count == 2)
        }
    }

    @Test("Reading external data that is a hard link to the store drops no lock")
    func externalData() throws {
        let coordinator = try folder.open(Self.model)
        try coordinator.inContext { context in
            try context.insert("Item", ["picture": Data(repeating: 7, count: 200_000)])
            try context.save()
        }
        let support = folder.url.appendingPathComponent(".Store_SUPPORT/_EXTERNAL_DATA")
        let names = try FileManager.default.contentsOfDirectory(atPath: support.path)
        let file = support.appendingPathComponent(try #require(names.first))
        try FileManager.default.removeItem(at: file)
        try FileManager.default.linkItem(at: folder.file, to: file)
        let before = try ProcessLocks.on(folder.file)
        try coordinator.inContext { context in
            let picture = try context.only("Item").value(forKey: "picture") as? Data
            #expect(picture?.starts(with: Data("SQLite format 3".utf8)) ?? false)
        }
        #expect(try ProcessLocks.on(folder.file) == before)
    }

    @Test("Closing a reader of a log without an index drops no lock")
    func readerOfALogAlone() throws {
        let origin = try StoreFolder()
        let first = try origin.open(Self.model)
        try first.inContext { context in
            try context.insert("Item", ["name": "in the log"])
            try context.save()
        }
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: origin.file.path + suffix, toPath: folder.file.path + suffix)
        }
        try first.close()
        let readOnly = [NSReadOnlyPersistentStoreOption: true]
        let before = try folder.contents()
        let reading = try folder.open(Self.model, readOnly)
        #expect(try reading.inContext { try $0.all("Item").count } == 1)
        #expect(try folder.contents() == before)
        let writing = try folder.open(Self.model)
        try writing.inContext { context in
            try context.insert("Item")
            try context.save()
        }
        let locks = try ProcessLocks.on(folder.file)
        try #require(!locks.isEmpty)
        try reading.close()
        #expect(try ProcessLocks.on(folder.file) == locks)
        try writing.inContext { context in
            try context.insert("Item")
            try context.save()
        }
        try writing.close()
        #expect(try folder.value("SELECT COUNT(*) FROM ZITEM") == 3.databaseValue)
        #expect(try folder.value("PRAGMA integrity_check").description == "\"ok\"")
    }
}
