import ObjectGraph
import Foundation
import GRDB

/// The tables of a SQLite store as they are, for tools that have no model.
package struct SQLiteStoreTables {
    package let url: URL

    package init(_ url: URL) { self.url = url }

    private func file(isReadOnly: Bool) throws -> SQLiteStoreFile {
        let file = SQLiteStoreFile(
            url: url, options: try SQLiteStoreOptions([NSReadOnlyPersistentStoreOption: isReadOnly]))
        guard try file.exists() else { throw file.unopenable("there is no store") }
        return file
    }

    /// Rolls back an interrupted change of the file, for a caller that is going to write to it.
    ///
    /// - Throws: as `read`; 134080 also when the journal names another file.
    package func recover() throws { try file(isReadOnly: false).recover() }

    /// Reads the file without changing it.
    ///
    /// - Parameter body: may be called more than once, when others write at the same time.
    /// - Throws: 259 when it is not an SQLite database or is damaged, 134080 when it cannot be opened, 134090 when it
    ///   stays locked; what `body` throws.
    package func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try file(isReadOnly: true).read({ _ in }, body)
    }

    /// What the store says of itself.
    ///
    /// - Throws: as `read`; 134010 when the database is not a store.
    package func metadata() throws -> [String: Any] {
        let url = url
        return try read { try SQLiteMetadata.read($0, url) }
    }

    /// What the store says of itself, and what was executed for that.
    ///
    /// - Throws: as `metadata()`.
    package func tracedMetadata() throws -> (
        metadata: [String: Any], executions: [FetchInspection.Execution]
    ) {
        let url = url
        return try read { database in
            let traced = try StatementTrace.during(database) { try SQLiteMetadata.read(database, url) }
            return (traced.value, traced.executions)
        }
    }

    /// The folder with the files of external data.
    package var externalDataFolder: URL { url.externalDataFolder }

    /// Changes the file in one transaction.
    ///
    /// - Throws: as `read`; the file is as it was.
    package func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
        let file = try file(isReadOnly: false)
        do {
            try file.playBack()
            let connection = try file.queue()
            defer { try? connection.close() }
            return try connection.write(body)
        } catch let error as DatabaseError {
            throw file.openingError(error)
        }
    }
}
