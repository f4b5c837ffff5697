import DurableFiles
import FullTextSearch
import Foundation
import ObjectGraph

extension SQLiteStore: IndexedStore {
    /// Opens the index in the file beside the store's; for a store in memory, or one that is only read, an index in memory.
    package func openSearchIndex(named name: String?) throws -> any SearchIndex {
        // A store that was removed, and perhaps deleted, gets no index any more; one that is being replaced is waited for.
        try readOwnHistory { _ in }
        guard let file = try searchIndexFile(name), !isReadOnly else { return try SQLiteSearchIndex(at: nil) }
        return try file.open()
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
