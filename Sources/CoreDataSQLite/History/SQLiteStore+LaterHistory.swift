import CoreDataSQL
import GRDB
import GRDBSQLite
import ObjectGraph

extension SQLiteStore {
    /// Notices the history that another program has begun since this one opened the store without any: from then on a change that is
    /// not written down leaves out a number (`HistoryWriter.skip()`), so that whatever follows the history notices that it lacks
    /// something.
    ///
    /// While the schema is as it was, this reads one number of the file's header.
    ///
    /// - Parameter database: the connection that writes, in its transaction: no other program makes tables meanwhile.
    /// - Throws: an error of SQLite.
    func noticeLaterHistory(_ database: Database) throws {
        let opened = file.withLock { $0 }
        guard opened.tables.history == nil else { return }
        let known = opened.schemaWithoutHistory.withLock { $0 }
        // Only this process has a store in memory. Whether the store is one need not be asked twice, which takes longer than the rest.
        guard known != nil || fileURL != nil else { return }
        let version = try Self.schemaVersion(database)
        guard known != version else { return }
        guard let history = try Self.laterHistory(database) else {
            opened.schemaWithoutHistory.withLock { $0 = version }
            return
        }
        let made = OpenFile(opened.tables.schema, history)
        file.withLock { present in
            if present === opened { present = made }
        }
    }

    /// A number that changes with every table that any connection makes.
    private static func schemaVersion(_ database: Database) throws -> Int64 {
        var version: Int64 = 0
        try PreparedStatements.step("PRAGMA schema_version", [], database) {
            version = sqlite3_column_int64($0, 0)
        }
        return version
    }

    /// The history of a file, if there is one from whose numbers one can be left out.
    private static func laterHistory(_ database: Database) throws -> StoreHistory? {
        // Reading all columns of all tables takes longer.
        let isThere = try Bool.fetchOne(
            database,
            sql: """
                SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?)
                AND EXISTS (SELECT 1 FROM Z_PRIMARYKEY WHERE Z_ENT = ?)
                """, arguments: [HistoryTables.transaction, HistoryTables.transactionNumber])
        guard isThere ?? false else { return nil }
        let existing = try ExistingTables(database)
        do {
            // It would have been made when the store was opened, had the program asked for it.
            return try HistoryTables(existing).map { StoreHistory($0, isTracking: false, SQLiteDialect()) }
        } catch {
            Log.store.error("\(error.localizedDescription)")
            return nil
        }
    }
}
