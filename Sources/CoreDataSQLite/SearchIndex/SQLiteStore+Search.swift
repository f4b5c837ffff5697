import DurableFiles
import FullTextSearch
import Foundation
import ObjectGraph

extension SQLiteStore: IndexedStore {
    /// Opens the index in the file beside the store's; for a store in memory, or one that is only read, an index in memory.
    ///
    /// - Throws: 134070 for a store that was removed: it may be destroyed by now. One that is being replaced is waited for.
    package func openSearchIndex(named name: String?) throws -> any SearchIndex {
        guard let file = try searchIndexFile(name), !isReadOnly else { return try SQLiteSearchIndex(at: nil) }
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
