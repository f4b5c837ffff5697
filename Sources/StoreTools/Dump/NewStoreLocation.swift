import CoreData
import DurableFiles
import Foundation

/// Where a new store is to be.
struct NewStoreLocation {
    /// What SQLite appends to a database's name for the files that it keeps beside it. Whatever is in one of them is
    /// taken for the database's own.
    static let logSuffixes = ["-wal", "-shm", "-journal"]

    private let url: URL

    init(_ url: URL) { self.url = url }

    /// - Throws: an error that names what is there: a file, a link that leads nowhere, or a log that is left of another
    ///   store.
    func requireEmpty() throws {
        guard !isTaken(url.path) else { throw StoreToolError("There is something at \(url.path) already.") }
        for path in Self.logSuffixes.map({ url.path + $0 }) where isTaken(path) {
            throw StoreToolError(
                "There is a \(path), left of another store; the new one would be damaged by it. Remove it first."
            )
        }
    }

    private func isTaken(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Moves a finished store, which has no log any more, here. Nothing is replaced, even if it came meanwhile.
    ///
    /// - Throws: as `requireEmpty()`; an error of the file system.
    func take(_ draft: FileDraft, hasExternalData: Bool) throws {
        try requireEmpty()
        guard try SQLiteStoreTables(draft.url).location(draft, hasExternalData: hasExternalData) else {
            throw StoreToolError("There is something at \(url.path) already.")
        }
    }
}
