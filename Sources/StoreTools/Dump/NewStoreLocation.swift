import CoreData
import DurableFiles
import Foundation

/// Where a new store is to be.
struct NewStoreLocation {
    private let url: URL

    init(_ url: URL) { self.url = url }

    /// - Throws: an error that names what is there: a file, a link that leads nowhere, or a log that is left of another
    ///   store.
    func requireEmpty() throws {
        guard !isTaken(url.path) else { throw StoreToolError("There is something at \(url.path) already.") }
        for path in SQLiteStoreTables(url).logPaths where isTaken(path) {
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
