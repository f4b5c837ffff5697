import ObjectGraph
import Foundation
import GRDB
import GRDBSQLite

/// What distinguishes the store in a file from another one that has replaced it, or from itself after a migration.
struct StoreIdentity: Equatable, Sendable {
    /// What is in a file is not what was there before.
    struct Change: Error {}

    /// Changes with every table, index and trigger.
    private let schemaVersion: Int
    private let identifier: String?
    /// The metadata, with the version hashes of the model.
    private let metadata: Data?

    /// - Parameter database: a store whose metadata can be read.
    init(_ database: Database) throws {
        schemaVersion = try Int.fetchOne(database, sql: "PRAGMA schema_version") ?? 0
        let row = try GRDB.Row.fetchOne(
            database, sql: "SELECT Z_UUID, Z_PLIST FROM Z_METADATA ORDER BY Z_VERSION DESC LIMIT 1")
        identifier = row.flatMap { String.fromDatabaseValue($0[0]) }
        metadata = row.flatMap { Data.fromDatabaseValue($0[1]) }
    }

    /// Compares with what a connection finds, at one moment, in the file that has the path now.
    ///
    /// - Throws: `Change`, or an error of SQLite.
    func confirm(_ database: Database) throws {
        try database.inTransaction(.deferred) {
            let found: StoreIdentity
            do {
                found = try StoreIdentity(database)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
                // There are no metadata any more.
                throw Change()
            }
            var isMoved: Int32 = 0
            sqlite3_file_control(database.sqliteConnection, "main", SQLITE_FCNTL_HAS_MOVED, &isMoved)
            guard found == self, isMoved == 0 else { throw Change() }
            return .commit
        }
    }
}
