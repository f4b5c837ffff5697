import CoreDataSQL
import ObjectGraph
import Foundation
import GRDB

// Persistent history while a store is opened.

extension SQLiteStoreOpening {
    /// Finds out whether the file, which has these tables, has history. Where all of it was deleted, the store can be written to
    /// without any.
    ///
    /// - Returns: what keeps the store from being written to, as part of a sentence: as with Apple's framework, a client that does
    ///   not keep the history only reads.
    /// - Throws: 134020 when history is requested and what is there cannot be used.
    func checkHistory(_ database: Database, _ existing: ExistingTables) throws -> [String] {
        history = nil
        if options.tracksHistory { _ = try StoreHistory.tombstoneCount(storedEntities) }
        do {
            guard let found = try HistoryTables(existing) else { return [] }
            history = StoreHistory(found, isTracking: options.tracksHistory, SQLiteDialect())
        } catch  where !options.tracksHistory {
            Log.store.error("\(error.localizedDescription)")
        }
        // What has no rows leaves no gap that a reader would not see.
        guard !options.tracksHistory, try history?.tables.haveRows(SQLiteConnection(database)) ?? true else {
            return []
        }
        return ["persistent history; add it with \(NSPersistentHistoryTrackingKey) to change it"]
    }

    /// Makes the tables of history in a new store.
    func makeHistory(_ database: Database) throws {
        let tables = HistoryTables.new(tombstoneCount: try StoreHistory.tombstoneCount(storedEntities))
        let connection = SQLiteConnection(database)
        for statement in tables.creation { try connection.execute(statement) }
        history = StoreHistory(tables, isTracking: true, connection.dialect)
    }

    /// Makes in an existing store what its history lacks.
    func prepareHistory(_ connection: any DatabaseWriter) throws {
        guard options.tracksHistory else { return }
        let count = try StoreHistory.tombstoneCount(storedEntities)
        // No lock is taken when there is nothing to write.
        guard try connection.read({ try isHistoryIncomplete($0, count) }) else { return }
        try connection.write { database in
            guard var found = try HistoryTables(ExistingTables(database)) else {
                try makeHistory(database)
                return
            }
            let connection = SQLiteConnection(database)
            for statement in found.primaryKeys + found.widening(to: count) {
                try connection.execute(statement)
            }
            found.tombstoneCount = max(found.tombstoneCount, count)
            history = StoreHistory(found, isTracking: true, connection.dialect)
        }
    }

    private func isHistoryIncomplete(_ database: Database, _ tombstoneCount: Int) throws -> Bool {
        guard let found = try HistoryTables(ExistingTables(database)) else { return true }
        let keys = try Int.fetchOne(
            database,
            sql: "SELECT COUNT(*) FROM Z_PRIMARYKEY WHERE Z_ENT BETWEEN ? AND ?",
            arguments: [HistoryTables.changeNumber, HistoryTables.stringNumber])
        return keys != 3 || found.tombstoneCount < tombstoneCount
    }
}
