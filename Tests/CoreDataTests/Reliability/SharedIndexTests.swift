import CoreData
import CoreDataSQL
import Dispatch
import GRDB
import Synchronization
import Testing

/// Reading stores that others have open, inside of reading others.
@Suite struct SharedIndexTests {
    private static let model = NSManagedObjectModel(
        of: NSEntityDescription("Item", attribute("name", .string)))

    /// A store that another connection has open, so that its log has an index.
    private final class OpenFile {
        let folder: StoreFolder
        private let other: DatabaseQueue
        let tables: SQLiteStoreTables

        init() throws {
            folder = try StoreFolder()
            try folder.make(SharedIndexTests.model)
            other = try DatabaseQueue(path: folder.file.path)
            try other.writeWithoutTransaction {
                try $0.execute(sql: "INSERT INTO ZITEM (Z_ENT, Z_OPT) VALUES (1, 1)")
            }
            try #require(FileManager.default.fileExists(atPath: folder.file.path + "-shm"))
            tables = SQLiteStoreTables(folder.file)
        }

        deinit { try? other.close() }

        func count() throws -> Int {
            try tables.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM ZITEM") ?? 0 }
        }
    }

    /// Where two threads wait until both are there.
    private final class Arrivals: Sendable {
        private let count = Mutex(0)

        func waitForBoth() {
            count.withLock { $0 += 1 }
            while count.withLock({ $0 }) < 2 { usleep(500) }
        }
    }

    /// Runs a block in two threads at once, and waits for both.
    private func inTwoThreads(_ body: @escaping @Sendable (Int) -> Void) {
        let done = DispatchSemaphore(value: 0)
        for index in 0..<2 {
            Thread {
                body(index)
                done.signal()
            }.start()
        }
        for _ in 0..<2 { done.wait() }
    }

    @Test("Two threads that read two files inside of each other do not deadlock")
    func crossedReads() throws {
        let files = [try OpenFile(), try OpenFile()]
        let arrived = Arrivals()
        nonisolated(unsafe) let shared = files
        inTwoThreads { index in
            do {
                var isFirst = true
                try shared[index].tables.read { _ in
                    if isFirst {
                        isFirst = false
                        arrived.waitForBoth()
                    }
                    let counts = [try shared[1 - index].count(), try shared[index].count()]
                    #expect(counts == [1, 1])
                }
            } catch {
                Issue.record(error)
            }
        }
    }

    @Test("Two threads that read two open stores inside of each other do not deadlock")
    func crossedReadsOfStores() throws {
        let files = [try OpenFile(), try OpenFile()]
        let readOnly = [NSReadOnlyPersistentStoreOption: true]
        let stores = try files.map { file -> SQLiteStore in
            let coordinator = try file.folder.open(Self.model, readOnly)
            return try #require(coordinator.persistentStores[0] as? SQLiteStore)
        }
        let arrived = Arrivals()
        let shared = stores
        inTwoThreads { index in
            func count(_ store: SQLiteStore) throws -> Int {
                try store.withSnapshot {
                    Int(try $0.connection.integer("SELECT COUNT(*) FROM ZITEM"))
                }
            }
            do {
                var isFirst = true
                try shared[index].withSnapshot { _ in
                    if isFirst {
                        isFirst = false
                        arrived.waitForBoth()
                    }
                    let found = try count(shared[1 - index])
                    #expect(found == 1)
                }
            } catch {
                Issue.record(error)
            }
        }
    }

    @Test("A store cannot be opened for writing inside of a read of its log by the same thread")
    func openingInsideOfARead() throws {
        let file = try OpenFile()
        try file.tables.read { _ in
            let refusal = try error {
                _ = try file.folder.open(Self.model, [NSPersistentStoreTimeoutOption: 60])
            }
            #expect(refusal.code == 134090)
        }
        let coordinator = try file.folder.open(Self.model)
        try coordinator.inContext { context in
            try context.insert("Item")
            try context.save()
        }
        #expect(try file.count() == 2)
    }

    @Test("A symbolic link counts as the file it leads to")
    func link() throws {
        let file = try OpenFile()
        let link = file.folder.url.appendingPathComponent("Link.sqlite")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file.folder.file)
        try SQLiteStoreTables(link).read { _ in
            let refusal = try error { _ = try file.folder.open(Self.model) }
            #expect(refusal.code == 134090)
        }
    }
}
