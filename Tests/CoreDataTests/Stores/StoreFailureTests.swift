import CoreData
import GRDB
import Testing

/// A full disk, a killed process, several processes at once: nothing is lost, and errors are reported.
@Suite struct StoreFailureTests {
    static let model: NSManagedObjectModel = {
        let owner = NSEntityDescription("Owner", derived("count", .integer64, "items.@count"))
        let item = NSEntityDescription("Item", attribute("name", .string), attribute("bytes", .binaryData))
        pair(owner.relate("items", to: item, many: true), item.relate("owner", to: owner))
        return NSManagedObjectModel(of: owner, item)
    }()

    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func check() throws {
        #expect(try folder.value("PRAGMA integrity_check").description == "\"ok\"")
    }

    // MARK: Full

    @Test("A save on a full disk fails with the path, and a smaller one succeeds")
    func fullDisk() throws {
        try folder.make(Self.model)
        let pages = try #require(Int.fromDatabaseValue(try folder.value("PRAGMA page_count")))
        let options = [NSSQLitePragmasOption: ["max_page_count": pages + 3]]
        let coordinator = try folder.open(Self.model, options)
        try coordinator.inContext { context in
            try context.insert("Item", ["name": "small"])
            try context.save()
            let large = try context.insert(
                "Item", ["name": "large", "bytes": Data(repeating: 1, count: 100_000)])
            let refusal = try error { try context.save() }
            #expect(refusal.localizedDescription.contains("full"))
            #expect(refusal.localizedDescription.contains(folder.file.path))
            #expect((refusal.userInfo[NSSQLiteErrorDomain] as? NSNumber)?.intValue == 13)
            #expect((refusal.userInfo[NSUnderlyingErrorKey] as? NSError)?.domain == NSSQLiteErrorDomain)
            #expect(large.isInserted && large.objectID.isTemporaryID)
            #expect(try folder.stored("ZNAME", in: "ZITEM") == ["text 'small'"])

            // With less to store the same save works.
            large.setValue(Data([1]), forKey: "bytes")
            try context.save()
            #expect(!context.hasChanges)
        }
        try coordinator.close()
        #expect(try folder.value("SELECT COUNT(*) FROM ZITEM").description == "2")
        try check()
    }

    @Test("A store that cannot be made on a full disk leaves no file")
    func diskFullFromTheStart() throws {
        let refusal = try error {
            try folder.open(Self.model, [NSSQLitePragmasOption: ["max_page_count": 2]]).close()
        }
        #expect(refusal.localizedDescription.contains("full"))
        #expect(try folder.names == [])
    }

    @Test("An empty file that cannot become a store on a full disk stays and works later")
    func emptyFileOnAFullDisk() throws {
        try Data().write(to: folder.file)
        let refusal = try error {
            try folder.open(Self.model, [NSSQLitePragmasOption: ["max_page_count": 2]]).close()
        }
        #expect(refusal.localizedDescription.contains("full"))
        #expect(try folder.names == ["Store.sqlite"])
        try folder.open(Self.model).inContext { context in
            try context.insert("Item")
            try context.save()
        }
        #expect(try folder.value("PRAGMA auto_vacuum").description == "2")
    }

    @Test("A save beyond the limit of file sizes fails, and a smaller one succeeds")
    func fileSizeLimit() async throws {
        try folder.open(Self.model).inContext { context in
            try context.insert("Item", ["name": "kept"])
            try context.save()
        }
        let path = folder.file.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            signal(SIGXFSZ, SIG_IGN)
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: StoreFailureTests.model)
            try coordinator.addPersistentStore(type: .sqlite, at: URL(fileURLWithPath: path))
            var limit = rlimit(rlim_cur: 1 << 18, rlim_max: 1 << 18)
            try #require(setrlimit(__rlimit_resource_t(1), &limit) == 0)
            try coordinator.inContext { context in
                let item = try context.insert(
                    "Item", ["name": "large", "bytes": Data(repeating: 1, count: 1 << 20)])
                let refusal = try error { try context.save() }
                try #require(refusal.domain == NSCocoaErrorDomain)
                try #require(refusal.userInfo[NSUnderlyingErrorKey] is NSError)
                try #require(item.isInserted)
                item.setValue(nil, forKey: "bytes")
                try context.save()
            }
        }
        #expect(
            try folder.rows("SELECT ZNAME FROM ZITEM ORDER BY Z_PK").map { $0[0].description }
                == ["\"kept\"", "\"large\""])
        try check()
    }

    // MARK: Killed

    @Test("Each save of a killed process is complete or absent", arguments: [3, 7, 20])
    func killedProcess(_ milliseconds: Int) async throws {
        try folder.make(Self.model)
        let path = folder.file.path
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, milliseconds = milliseconds as Int] in
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: StoreFailureTests.model)
            try coordinator.addPersistentStore(type: .sqlite, at: URL(fileURLWithPath: path))
            // Another thread ends the process, somewhere in the middle of a save.
            let killer = Thread {
                usleep(UInt32(milliseconds) * 1000)
                kill(getpid(), SIGKILL)
            }
            try coordinator.inContext { context in
                let owner = try context.insert("Owner")
                try context.save()
                killer.start()
                while true {
                    for _ in 0..<10 {
                        try context.insert("Item", ["owner": owner, "bytes": Data(count: 500)])
                    }
                    try context.save()
                }
            }
        }
        try check()
        let coordinator = try folder.open(Self.model)
        try coordinator.inContext { context in
            let owner = try context.only("Owner")
            let items = try context.all("Item")
            // Saves are whole or not there at all.
            #expect(items.count.isMultiple(of: 10))
            #expect(owner.value(forKey: "count") as? Int == items.count)
            #expect(items.allSatisfy { $0.value(forKey: "owner") as? NSManagedObject === owner })
            try context.insert("Item", ["owner": owner])
            try context.save()
            #expect(owner.value(forKey: "count") as? Int == items.count + 1)
        }
        let keys = try folder.rows("SELECT MAX(Z_PK), COUNT(DISTINCT Z_PK), COUNT(*) FROM ZITEM")[0]
        #expect(keys[1] == keys[2])
        #expect(try folder.value("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Item'") == keys[0])
    }

    // MARK: At once

    @Test("Two processes that write at once lose no object")
    func twoProcessesWriteAtOnce() async throws {
        try folder.make(Self.model)
        let path = folder.file.path
        async let other = #expect(processExitsWith: .success) { [path = path as String] in
            try StoreFailureTests.insert(100, "child", into: path)
        }
        try Self.insert(100, "parent", into: path)
        _ = await other
        #expect(
            try folder.rows("SELECT ZNAME, COUNT(*) FROM ZITEM GROUP BY ZNAME ORDER BY ZNAME").map {
                $0.map(\.description)
            } == [["\"child\"", "100"], ["\"parent\"", "100"]])
        #expect(try folder.value("SELECT COUNT(DISTINCT Z_PK) FROM ZITEM").description == "200")
        #expect(try folder.value("SELECT SUM(ZCOUNT) FROM ZOWNER").description == "200")
        try check()
    }

    /// Saves one object at a time.
    private static func insert(_ count: Int, _ name: String, into path: String) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(type: .sqlite, at: URL(fileURLWithPath: path))
        try coordinator.inContext { context in
            let owner = try context.insert("Owner")
            for _ in 0..<count {
                try context.insert("Item", ["name": name, "owner": owner])
                try context.save()
            }
            try #require(owner.value(forKey: "count") as? Int == count)
        }
        try coordinator.close()
    }

    @Test("Two processes that make the store at once share one store", arguments: [false, true])
    func processesMakeTheStoreAtOnce(_ isFileThere: Bool) async throws {
        let path = folder.file.path
        if isFileThere { try Data().write(to: folder.file) }
        async let one = #expect(processExitsWith: .success) { [path = path as String] in
            try StoreFailureTests.insert(5, "one", into: path)
        }
        async let two = #expect(processExitsWith: .success) { [path = path as String] in
            try StoreFailureTests.insert(5, "two", into: path)
        }
        _ = await (one, two)
        #expect(try folder.value("SELECT COUNT(*) FROM ZITEM").description == "10")
        #expect(try folder.names == ["Store.sqlite"])
    }

    @Test("Six coordinators that make the store at once share one store", arguments: [false, true])
    func coordinatorsMakeTheStoreAtOnce(_ isFileThere: Bool) async throws {
        let file = folder.file
        if isFileThere { try Data().write(to: file) }
        let identifiers = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
                    return try coordinator.addPersistentStore(type: .sqlite, at: file).identifier
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(identifiers.count == 1)
    }

    @Test("Contexts that read while another writes see complete saves")
    func readersBesideAWriter() async throws {
        let coordinator = try folder.open(Self.model)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try coordinator.inContext { context in
                    let owner = try context.insert("Owner")
                    for index in 0..<50 {
                        for _ in 0..<5 { try context.insert("Item", ["owner": owner, "name": "\(index)"]) }
                        try context.save()
                    }
                }
            }
            for _ in 0..<3 {
                group.addTask {
                    for _ in 0..<40 {
                        try coordinator.inContext { context in
                            let items = try context.all("Item")
                            #expect(items.count.isMultiple(of: 5))
                            for item in items { #expect(item.value(forKey: "name") != nil) }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        // What the readers saw last has not stayed in the cache.
        try coordinator.inContext { context in
            let owner = try context.only("Owner")
            #expect(owner.value(forKey: "count") as? Int == 250)
            #expect((owner.value(forKey: "items") as? NSSet)?.count == 250)
        }
    }
}
