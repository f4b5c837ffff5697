import CoreDataSQL
import Foundation
import GRDB
import ObjectGraph

extension SQLiteStore {
    /// Reads the store as it is at one moment.
    ///
    /// What is read may be on its way already when others change the file under a connection that is unknown here, so
    /// `body` is not called a second time then.
    ///
    /// - Parameter cancellation: ends the reading.
    /// - Throws: what `body` throws; 134070 when the store was removed, or was changed meanwhile; `NSUserCancelledError`.
    package func withSnapshot<Value>(
        until cancellation: FetchCancellation? = nil, _ body: (StoreSnapshot) throws -> Value
    ) throws -> Value {
        var wasRead = false
        return try read("read the store", cancellation) { database in
            guard !wasRead else {
                throw NSError.coreData(
                    .persistentStoreOperation, "Others changed the store while it was read; try again.")
            }
            wasRead = true
            return try body(StoreSnapshot(self, SQLiteConnection(database)))
        }
    }
}

// What only a store in SQLite has.

extension StoreSnapshot {
    /// The connection of a snapshot of a store in SQLite.
    ///
    /// - Throws: 134060 for a snapshot of a store in another database.
    var database: Database {
        get throws { try SQLiteConnection.database(of: connection) }
    }

    /// What keeps the store from being written to, each as part of a sentence; none when it can be.
    func unsupportedFeatures() throws -> [String] {
        if try SQLiteHardening.hasSpatialIndexes(database) {
            try SQLiteHardening.install(on: database, usesSpatialIndexes: true)
        }
        return try SQLiteStoreFeatures(database, schema, SQLiteTables(database)).unsupported()
    }
}
