import CoreData
import GRDB
import Synchronization
import Testing

@testable import CoreDataSQLite

/// Transactions that begin and end with statements that stay prepared.
@Suite struct TransactionTests {
    private struct Refusal: Error {}

    private let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE number (value INTEGER UNIQUE)") }
    }

    private var values: [Int] {
        get throws { try queue.read { try Int.fetchAll($0, sql: "SELECT value FROM number ORDER BY value") } }
    }

    private func insert(_ value: Int, orRollback: Bool = false, _ database: Database) throws {
        try database.execute(sql: "INSERT \(orRollback ? "OR ROLLBACK" : "") INTO number VALUES (\(value))")
    }

    @Test("A transaction is committed with what its block did, and observers are notified once")
    func commits() throws {
        let ends = Mutex(0)
        for value in 0..<3 {
            let returned = try queue.writeWithoutTransaction { database in
                try database.inImmediateTransaction {
                    database.afterNextTransaction { _ in ends.withLock { $0 += 1 } }
                    try insert(value, database)
                    return database.isInsideTransaction
                }
            }
            #expect(returned && ends.withLock { $0 } == value + 1)
        }
        #expect(try values == [0, 1, 2])
    }

    @Test("A transaction is rolled back when its block throws, and the next one begins anew")
    func rollsBack() throws {
        let rollbacks = Mutex(0)
        #expect(throws: Refusal.self) {
            try queue.writeWithoutTransaction { database in
                try database.inImmediateTransaction {
                    database.afterNextTransaction(
                        onCommit: { _ in }, onRollback: { _ in rollbacks.withLock { $0 += 1 } })
                    try insert(1, database)
                    throw Refusal()
                }
            }
        }
        #expect(try values.isEmpty && rollbacks.withLock { $0 } == 1)
        try queue.writeWithoutTransaction { database in
            try database.inImmediateTransaction { try insert(2, database) }
        }
        #expect(try values == [2])
    }

    @Test("A transaction that an error has ended is not committed, though its block goes on")
    func endedByAnError() throws {
        let error = #expect(throws: DatabaseError.self) {
            try queue.writeWithoutTransaction { database in
                try database.inImmediateTransaction {
                    try insert(1, database)
                    try? insert(1, orRollback: true, database)
                }
            }
        }
        #expect(error?.resultCode == .SQLITE_ABORT)
        #expect(try values.isEmpty)
    }
}
