import CoreDataSQL
import GRDB
import ObjectGraph

extension SQLiteStore: FollowedStore {
    package func historyChanges(
        in numbers: ClosedRange<Int64>, but own: Set<Int64>
    ) throws -> [NSManagedObjectID: NSPersistentHistoryChangeType] {
        guard history != nil else { throw Self.removed }
        return try readOwnHistory { reader in
            var types: [NSManagedObjectID: NSPersistentHistoryChangeType] = [:]
            try reader.checkHasAll(after: numbers.lowerBound - 1)
            try reader.forEachChange(of: numbers) { row in
                guard !own.contains(row.transactionNumber) else { return true }
                let id = row.objectID
                // What was inserted and then updated is new; what was deleted at last is gone.
                if row.type != .update || types[id] == nil { types[id] = row.type }
                return true
            }
            return types
        }
    }

    package func betweenTransactions<Value>(_ body: (Int64) throws -> Value) throws -> Value {
        guard let history else { throw Self.removed }
        return try withOwnConnection("read the history") { database in
            try body(SQLHistoryReader(self, history, SQLiteConnection(database)).lastNumber())
        }
    }

    /// Has the coordinator know that a transaction of the history is its own, once it is committed.
    ///
    /// Not later: another process may commit at once, and the monitor then reads the history up to there. And not before: a
    /// transaction that is rolled back leaves its number to others.
    ///
    /// - Parameters:
    ///   - number: the number of the transaction; nil without a history.
    ///   - database: the connection that writes, in the transaction.
    func noteOwnTransaction(_ number: Int64?, _ database: Database) {
        guard let number else { return }
        database.afterNextTransaction { [weak self] _ in
            guard let self else { return }
            persistentStoreCoordinator?.remoteChanges.noteOwn(number, of: self)
        }
    }

    package var logSuffixes: [String] { ["-wal"] }

    package func forgetRows() { rowCache.removeAll() }
}
