import Foundation
import GRDB

/// Looks for damage in the file of a search index that no program has open.
package struct SearchIndexCheck {
    private let url: URL

    package init(_ url: URL) { self.url = url }

    /// What is wrong, in words: the pages of the database, and whether what can be looked up is what the documents have.
    package func faults() throws -> [String] {
        let name = url.lastPathComponent
        guard FileManager.default.fileExists(atPath: url.path) else { return ["there is none at \(name)"] }
        // One that may write takes its log away again.
        let database = try DatabaseQueue(path: url.path)
        defer { try? database.close() }
        return try database.write { database in
            var faults = try String.fetchAll(database, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
            let tables = try String.fetchAll(
                database,
                sql: "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE % USING fts5(%'")
            if tables.isEmpty { faults.append("no table of documents") }
            for table in tables {
                // See "The 'integrity-check' Command": https://www.sqlite.org/fts5.html
                do {
                    try database.execute(sql: "INSERT INTO \(table)(\(table)) VALUES ('integrity-check')")
                } catch let error as DatabaseError {
                    faults.append("table \(table): \(error.message ?? "not whole")")
                }
            }
            return faults.map { "\(name): \($0)" }
        }
    }
}
