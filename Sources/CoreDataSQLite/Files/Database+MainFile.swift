import GRDB
import GRDBSQLite

extension Database {
    /// The file of the database as SQLite has it open, as long as the connection is; nil when SQLite does not give it.
    ///
    /// What is read of a database is read through it: a process that opens the file anew and closes it loses all its locks on it.
    var mainFile: UnsafeMutablePointer<sqlite3_file>? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        let code = withUnsafeMutablePointer(to: &file) {
            sqlite3_file_control(sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, $0)
        }
        return code == SQLITE_OK ? file : nil
    }
}
