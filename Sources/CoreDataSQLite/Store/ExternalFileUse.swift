import CoreDataSQL
import ObjectGraph
import DurableFiles
import Foundation
import GRDB
import ManagedObjectModel
import Synchronization

/// What is known about which files of external data are named more than once, so that not every save has to look at all rows.
///
/// A file belongs to one value, but damaged stores have two that share one, and an undone deletion, a copy of a row or another
/// program names one anew.
final class ExternalFileUse: Sendable {
    private struct SharedFiles {
        /// The connection, and its number of what other connections have committed.
        weak var connection: (any DatabaseWriter)?
        var version: Int64
        /// Files that more than one value may have.
        var shared: Set<String>
    }

    private let sharedFiles = Mutex<SharedFiles?>(nil)
    private let scans = Atomic<Int>(0)

    /// How often all rows were looked at.
    var scanCount: Int { scans.load(ordering: .relaxed) }

    /// Values of this process have taken files that others may have, too.
    func note(adopted names: Set<String>) {
        guard !names.isEmpty else { return }
        sharedFiles.withLock { $0?.shared.formUnion(names) }
    }

    /// Much has changed.
    func forget() { sharedFiles.withLock { $0 = nil } }

    /// Those of some files that values have now. To be called with the lock for writing.
    func named(
        among names: Set<String>, _ database: Database, _ connection: any DatabaseWriter,
        _ schema: SQLSchema, _ history: StoreHistory?
    ) throws -> Set<String> {
        let version = try Int64.fetchOne(database, sql: "PRAGMA data_version") ?? 0
        let known = sharedFiles.withLock { sharedFiles -> Set<String>? in
            guard let sharedFiles, sharedFiles.connection === connection, sharedFiles.version == version
            else {
                return nil
            }
            return sharedFiles.shared
        }
        let doubtful: Set<String>
        if let known {
            doubtful = names.intersection(known)
        } else {
            doubtful = names
            scans.add(1, ordering: .relaxed)
            let shared = try ExternalFileNames.shared(in: database, schema, history)
            sharedFiles.withLock {
                $0 = SharedFiles(connection: connection, version: version, shared: shared)
            }
        }
        guard !doubtful.isEmpty else { return [] }
        return try ExternalFileNames.named(doubtful, in: database, schema, history)
    }
}

extension SQLiteStore {
    /// How often all rows were looked at to find out whether a file of external data is still needed.
    package var externalDataScanCount: Int { fileUse.scanCount }

    /// Removes files that no row names, while no other connection can write.
    ///
    /// - Parameters:
    ///   - names: the files; they are in the list.
    ///   - isCertain: whether they were named by rows of this store, each by one as far as is known; else all rows are looked at.
    /// - Throws: an error of SQLite or the file system.
    func removeExternalFiles(
        _ names: Set<String>, _ list: ExternalFileList, isCertain: Bool = true
    ) throws {
        guard !names.isEmpty else { return }
        let connection = try writer()
        try connection.writeWithoutTransaction { database in
            try database.inTransaction(.immediate) {
                let named =
                    isCertain
                    ? try fileUse.named(among: names, database, connection, schema, history)
                    : try ExternalFileNames.all(in: database)
                try list.remove(names.subtracting(named))
                return .rollback
            }
        }
    }

    /// Removes the files that dead processes have made for rows that were never committed, or left by rows that are gone.
    static func removeLeftovers(of file: SQLiteStoreFile, _ connection: any DatabaseWriter) {
        file.removeDrafts()
        do {
            let lists = try ExternalFileList.leftovers(in: file.url.externalDataFolder, of: file.url)
            guard !lists.isEmpty else { return }
            // A commit that failed may be in the log; what is written next replaces it there.
            try connection.writeDurably { database in
                try database.execute(sql: "UPDATE Z_METADATA SET Z_VERSION = Z_VERSION")
            }
            try connection.writeWithoutTransaction { database in
                try database.inTransaction(.immediate) {
                    let named = try ExternalFileNames.all(in: database)
                    for list in lists { try list.remove(list.names.subtracting(named)) }
                    return .rollback
                }
            }
            for list in lists { list.end() }
        } catch {
            Log.store.error(
                "Could not remove external data of the store at \(file.url.path): \(error.localizedDescription)"
            )
        }
    }
}

extension DatabaseWriter {
    /// Runs a transaction that outlives a power cut once this returns, whatever the store's setting is.
    func writeDurably<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try writeWithoutTransaction { database in
            let level = try Int.fetchOne(database, sql: "PRAGMA synchronous") ?? 0
            // The highest one: without a write-ahead log, it syncs the folder, too.
            if level < 3 { try database.execute(sql: "PRAGMA synchronous = EXTRA") }
            defer {
                if level < 3 {
                    do {
                        try database.execute(sql: "PRAGMA synchronous = \(level)")
                    } catch {
                        Log.store.error("Could not set 'synchronous' back: \(error.localizedDescription)")
                    }
                }
            }
            return try database.inImmediateTransaction { try body(database) }
        }
    }
}
