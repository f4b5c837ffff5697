import DurableFiles
import FullTextSearch
import Foundation
import ObjectGraph

extension SQLiteStore: IndexedStore {
    /// Opens the index in the file beside the store's; for a store in memory an index in memory, and for one that is only read, or has
    /// no history that an index could follow from one process to the next, a temporary one.
    ///
    /// - Throws: 134070 for a store that was removed: it may be destroyed by now. One that is being replaced is waited for.
    package func openSearchIndex(named name: String?) throws -> any SearchIndex {
        guard let file = try searchIndexFile(name) else { return try SQLiteSearchIndex(at: nil) }
        guard !isReadOnly, hasHistory else { return try SQLiteSearchIndex.temporary() }
        try readOwnHistory { _ in }
        let index = try file.open()
        do {
            // Who destroys the store closes it first, and removes the indexes last.
            try readOwnHistory { _ in }
        } catch {
            try file.remove()
            throw error
        }
        return index
    }

    package func removeSearchIndex(named name: String?) throws {
        guard !isReadOnly else { return }
        try searchIndexFile(name)?.remove()
    }

    private func searchIndexFile(_ name: String?) throws -> SearchIndexFile? {
        guard let fileURL else { return nil }
        return SearchIndexFile(of: try fileURL.followingLinks(), named: name)
    }
}
