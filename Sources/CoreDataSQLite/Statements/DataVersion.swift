import GRDB
import GRDBSQLite

/// What SQLite says of the writing of others.
enum DataVersion {
    /// A number that is another one on the same connection after another connection, of this process or another one, has committed.
    ///
    /// - Throws: an error of SQLite.
    static func read(_ database: Database) throws -> Int64 {
        var version: Int64 = 0
        try PreparedStatements.step("PRAGMA data_version", [], database) {
            version = sqlite3_column_int64($0, 0)
        }
        return version
    }
}
