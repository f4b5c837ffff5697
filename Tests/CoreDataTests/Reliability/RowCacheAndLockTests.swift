import Foundation
import GRDB
import Synchronization
import Testing

import CoreData
@testable import CoreDataSQLite
@testable import ObjectGraph

/// Rows that come back from readers in another order than these began.
@Suite struct RowCacheOrderTests {
    private let table: UInt32 = 1

    private func row(_ reference: Int64, _ version: Int64) throws -> CoreData.Row {
        var builder = RowBuilder()
        builder.begin(slotCount: 1)
        builder.set(0, integer: version)
        return try builder.finish(reference: reference, version: version, entityNumber: 1, timestamp: 0)
    }

    private func version(_ cache: RowCache, _ reference: Int64) -> Int64? {
        cache.row(ObjectKey(table: table, reference: reference))?.version
    }

    @Test("A row of an older read does not replace that of a newer one")
    func order() throws {
        let cache = RowCache()
        let slow = cache.state
        let quick = cache.state
        try cache.insert([row(1, 2)], table: table, readAt: quick)
        try cache.insert([row(1, 1), row(2, 1)], table: table, readAt: slow)
        #expect(version(cache, 1) == 2)
        // One that is not there comes in.
        #expect(version(cache, 2) == 1)
        try cache.insert([row(1, 3)], table: table, readAt: cache.state)
        #expect(version(cache, 1) == 3)
    }

    @Test("A row read before a save is not cached after it")
    func save() throws {
        let cache = RowCache()
        let state = cache.state
        let saved = try row(1, 5)
        cache.update { $0.add(saved, table) }
        try cache.insert([row(1, 4), row(2, 1)], table: table, readAt: state)
        #expect(version(cache, 1) == 5 && version(cache, 2) == nil)
        #expect(state != cache.state)
    }
}

/// Waiting for locks of other connections.
@Suite struct LockWaitTests {
    private static let model = NSManagedObjectModel(
        of: NSEntityDescription("Item", attribute("name", .string)))

    @Test("A wait for a lock ends after its timeout")
    func length() {
        let clock = ContinuousClock()
        var tries = 0
        let time = clock.measure {
            while LockWait.shouldRetry(after: tries, timeout: 0.05, for: "x") { tries += 1 }
        }
        #expect(time >= .milliseconds(50) && tries > 1)
        #expect(!LockWait.shouldRetry(after: 0, timeout: 0, for: "x"))
        // 240 seconds, a tenth at a time.
        #expect(!LockWait.shouldRetry(after: 2409, timeout: 240, for: "x"))
        LockWait.$limit.withValue(0) { #expect(!LockWait.shouldRetry(after: 0, timeout: 240, for: "x")) }
    }

    /// An actor whose jobs run on the queue of a context.
    private actor Saver {
        nonisolated let context: NSManagedObjectContext
        nonisolated var unownedExecutor: UnownedSerialExecutor { context.unownedExecutor }

        init(_ context: NSManagedObjectContext) { self.context = context }

        func save(_ began: @Sendable () -> Void) throws {
            _ = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
            began()
            try context.save()
        }

        func saveAgain() throws { try context.save() }
    }

    @Test("A cancelled task stops waiting for a lock")
    func cancelling() async throws {
        let folder = try StoreFolder()
        let coordinator = try folder.open(Self.model)
        let saver = Saver(coordinator.context())
        let other = try DatabaseQueue(path: folder.file.path)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE; COMMIT") }
        let began = DispatchSemaphore(value: 0)
        // While another connection has the lock, for 240 seconds unless it is cancelled.
        try await other.write { database in
            try database.execute(sql: "INSERT INTO ZITEM (Z_ENT, Z_OPT) VALUES (1, 1)")
            let ended = DispatchSemaphore(value: 0)
            let task = Task {
                defer { ended.signal() }
                do {
                    try await saver.save { began.signal() }
                    Issue.record("it was saved")
                } catch {
                    #expect((error as NSError).code == 134090)
                }
            }
            began.wait()
            task.cancel()
            ended.wait()
        }
        try await saver.saveAgain()
        #expect(try folder.value("SELECT COUNT(*) FROM ZITEM") == 2.databaseValue)
        try other.close()
    }
}

/// What logs have of the values in rows.
@Suite struct LoggedValueTests {
    @Test("A log has types and sizes of values instead of values unless values are shown")
    func values() {
        let values: [SQLValue] = [.text("secret"), .integer(4711), .double(1.5), .blob(Data([1, 2])), .null]
        #expect(
            Log.description(of: values, showingValues: false)
                == "[text of 6 bytes, integer, double, blob of 2 bytes, null]")
        #expect(
            Log.description(of: values, showingValues: true)
                == "[\"secret\", 4711, 1.5, blob of 2 bytes, null]")
    }
}
