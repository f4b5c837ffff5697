import Foundation
import GRDB
import Synchronization
import Testing

import CoreData
@testable import CoreDataSQLite

/// When the write-ahead log of a store is moved to the database, and how long it gets.
@Suite struct LogLimitTests {
    private static let model = NSManagedObjectModel(
        of: NSEntityDescription("Item", attribute("name", .string)))

    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func size(_ suffix: String = "") throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.file.path + suffix)
        return try #require((attributes[.size] as? NSNumber)?.intValue)
    }

    private func save(_ coordinator: NSPersistentStoreCoordinator, byteCount: Int) throws {
        try coordinator.inContext { context in
            try context.insert("Item", ["name": String(repeating: "x", count: byteCount)])
            try context.save()
        }
    }

    private func count(_ coordinator: NSPersistentStoreCoordinator) throws -> Int {
        try coordinator.inContext { try $0.count(for: NSFetchRequest<NSManagedObject>(entityName: "Item")) }
    }

    /// Waits for a condition; false after a time that only a hang takes.
    private func isSoon(_ condition: () throws -> Bool) rethrows -> Bool {
        let end = Date(timeIntervalSinceNow: 600)
        while try !condition() {
            guard Date() < end else { return false }
            usleep(1000)
        }
        return true
    }

    @Test("The log of a large save is moved to the database after the save, not by it")
    func movedAfterSave() throws {
        let coordinator = try folder.open(Self.model)
        let store = try #require(coordinator.persistentStores[0] as? SQLiteStore)
        try store.writer().writeWithoutTransaction { database in
            let text = String(repeating: "x", count: 8 << 20)
            try database.execute(
                sql: "INSERT INTO ZITEM (Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, ?)", arguments: [text])
            // The thread waits for this use of the connection to end.
            #expect(try size("-wal") > 8 << 20)
            #expect(try size() < 1 << 20)
        }
        #expect(try isSoon { try size() > 8 << 20 })
        #expect(try count(coordinator) == 1)
    }

    @Test("A log is moved by the next save, when that comes before the thread")
    func movedByNextSave() throws {
        let coordinator = try folder.open(Self.model)
        let store = try #require(coordinator.persistentStores[0] as? SQLiteStore)
        try store.writer().writeWithoutTransaction { database in
            for byteCount in [8 << 20, 10] {
                #expect(try size() < 1 << 20)
                try database.execute(
                    sql: "INSERT INTO ZITEM (Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, ?)",
                    arguments: [String(repeating: "x", count: byteCount)])
            }
            #expect(try size() > 8 << 20)
        }
        #expect(try count(coordinator) == 2)
    }

    @Test("The log of one large save after the other stays short")
    func manyLargeSaves() throws {
        let coordinator = try folder.open(Self.model)
        var longest = 0
        for _ in 0..<12 {
            try save(coordinator, byteCount: 5 << 20)
            longest = max(longest, try size("-wal"))
        }
        // A reader at that moment keeps the log from being begun anew; it is emptied at 32 MB.
        #expect(longest < 40 << 20)
        #expect(try isSoon { try size() > 60 << 20 })
        #expect(try count(coordinator) == 12)
    }

    @Test("A store that is closed right after a large save is whole, and has no log")
    func closedAfterSave() throws {
        for round in 1...5 {
            let coordinator = try folder.open(Self.model)
            #expect(try count(coordinator) == round - 1)
            try save(coordinator, byteCount: 5 << 20)
            try coordinator.close()
            #expect(try folder.names == ["Store.sqlite"])
        }
    }

    @Test("A store that is released right after a large save is whole, and has no log")
    func releasedAfterSave() throws {
        for round in 1...5 {
            var coordinator: NSPersistentStoreCoordinator? = try folder.open(Self.model)
            #expect(try coordinator.map(count) == round - 1)
            try coordinator.map { try save($0, byteCount: 5 << 20) }
            coordinator = nil
            // A test beside this one that destroys a store looks through all coordinators, and may have the last reference.
            #expect(try isSoon { try folder.names == ["Store.sqlite"] })
        }
    }

    @Test("The file of a store that was released right after a large save can be destroyed")
    func destroyedAfterRelease() throws {
        for _ in 1...5 {
            var coordinator: NSPersistentStoreCoordinator? = try folder.open(Self.model)
            try coordinator.map { try save($0, byteCount: 5 << 20) }
            coordinator = nil
            #expect(try isSoon { try folder.names == ["Store.sqlite"] })
            try NSPersistentStoreCoordinator(managedObjectModel: Self.model)
                .destroyPersistentStore(at: folder.file, type: .sqlite)
            let again = try folder.open(Self.model)
            #expect(try count(again) == 0)
            try again.close()
        }
    }

    @Test("A store can be destroyed right after a large save")
    func destroyedAfterSave() throws {
        for _ in 1...5 {
            let coordinator = try folder.open(Self.model)
            try save(coordinator, byteCount: 5 << 20)
            try coordinator.destroyPersistentStore(at: folder.file, type: .sqlite)
            #expect(coordinator.persistentStores.isEmpty)
            let again = try folder.open(Self.model)
            #expect(try count(again) == 0)
            try again.close()
        }
    }

    @Test("Contexts on many queues save while the log is moved")
    func concurrentSaves() throws {
        let coordinator = try folder.open(Self.model)
        let failures = Mutex<[any Error]>([])
        DispatchQueue.concurrentPerform(iterations: 24) { index in
            do {
                try save(coordinator, byteCount: index.isMultiple(of: 4) ? 5 << 20 : 10)
            } catch {
                failures.withLock { $0.append(error) }
            }
        }
        #expect(failures.withLock { $0.isEmpty })
        #expect(try count(coordinator) == 24)
        // If something kept the log from being moved, the next save tries again.
        #expect(
            try isSoon {
                try save(coordinator, byteCount: 10)
                return try size() > 30 << 20
            })
    }

    @Test("A log that grew for a pinned reader shrinks after the reader ends")
    func grownLog() throws {
        let coordinator = try folder.open(Self.model)
        try save(coordinator, byteCount: 10)
        do {
            let pinned = coordinator.context()
            try pinned.performAndWait {
                try pinned.setQueryGenerationFrom(.current)
                #expect(try pinned.all("Item").count == 1)
            }
            for _ in 0..<6 { try save(coordinator, byteCount: 4 << 20) }
            #expect(try size("-wal") > 20 << 20)
            try pinned.performAndWait { try pinned.setQueryGenerationFrom(nil) }
        }
        // One save moves what is in the log, the next one begins it anew.
        var saved = 7
        while saved < 1000, try size("-wal") > 8 << 20 {
            try save(coordinator, byteCount: 10)
            saved += 1
        }
        #expect(try size("-wal") <= 8 << 20)
        #expect(try count(coordinator) == saved)
    }

    @Test("A log beyond its size limit is emptied")
    func emptiedLog() throws {
        let coordinator = try folder.open(Self.model)
        try save(coordinator, byteCount: 40 << 20)
        #expect(try isSoon { try size("-wal") == 0 })
        #expect(try count(coordinator) == 1)
    }
}
