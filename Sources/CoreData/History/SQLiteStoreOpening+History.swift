import Foundation
import GRDB

// Persistent history while a store is opened.

extension SQLiteStoreOpening {
    /// Finds out whether the file has history.
    ///
    /// - Throws: 134020 when history is asked for and what is there cannot be used.
    func checkHistory(_ database: Database) throws {
        if options.tracksHistory { _ = try StoreHistory.tombstoneCount(store.homes) }
        do {
            guard let found = try HistoryTables(tables(database)) else { return }
            store.history = StoreHistory(found, isTracking: options.tracksHistory)
        } catch  where !options.tracksHistory {
            Log.store.error("\(error.localizedDescription)")
        }
        guard !options.tracksHistory, !options.isReadOnly else { return }
        store.isReadOnly = true
        store.readOnlyReason =
            "It has persistent history; add it with \(NSPersistentHistoryTrackingKey) to change it."
        Log.store.warning(
            """
            Store opened without \(NSPersistentHistoryTrackingKey) but previously had been opened with it: forcing the store \
            at \(store.url?.path ?? "") into read-only mode.
            """)
    }

    /// Makes the tables of history in a new store.
    func makeHistory(_ database: Database) throws {
        let tables = HistoryTables.new(tombstoneCount: try StoreHistory.tombstoneCount(store.homes))
        for statement in tables.creation { try database.execute(sql: statement) }
        store.history = StoreHistory(tables, isTracking: true)
    }

    /// Makes in an existing store what its history lacks.
    func prepareHistory(_ connection: any DatabaseWriter) throws {
        guard options.tracksHistory else { return }
        let count = try StoreHistory.tombstoneCount(store.homes)
        // Nobody waits for a lock when there is nothing to write.
        guard try connection.read({ try isHistoryIncomplete($0, count) }) else { return }
        try connection.write { database in
            guard var found = try HistoryTables(tables(database)) else {
                try makeHistory(database)
                return
            }
            for statement in found.primaryKeys + found.widening(to: count) {
                try database.execute(sql: statement)
            }
            found.tombstoneCount = max(found.tombstoneCount, count)
            store.history = StoreHistory(found, isTracking: true)
        }
    }

    private func isHistoryIncomplete(_ database: Database, _ tombstoneCount: Int) throws -> Bool {
        guard let found = try HistoryTables(tables(database)) else { return true }
        let keys = try Int.fetchOne(
            database,
            sql: "SELECT COUNT(*) FROM Z_PRIMARYKEY WHERE Z_ENT BETWEEN ? AND ?",
            arguments: [HistoryTables.changeNumber, HistoryTables.stringNumber])
        return keys != 3 || found.tombstoneCount < tombstoneCount
    }
}
