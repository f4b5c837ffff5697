import GRDB

extension SQLiteStoreTables {
    /// What SQLite finds wrong with the pages and indexes of the file, in its words.
    ///
    /// - Throws: as `read`.
    package func damage() throws -> [String] {
        try read { database in
            var lines: [String] = []
            do {
                // What is found before the check itself meets a page that it cannot read counts too.
                let found = try String.fetchCursor(database, sql: "PRAGMA integrity_check(20)")
                while let line = try found.next() { lines.append(line) }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
                lines.append(error.message ?? "the database is malformed")
            }
            return lines.filter { $0 != "ok" }
        }
    }
}
