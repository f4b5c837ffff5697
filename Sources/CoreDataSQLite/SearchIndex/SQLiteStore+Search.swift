import DurableFiles
import FullTextSearch
import Foundation
import ObjectGraph

extension SQLiteStore: IndexedStore {
    /// Opens the index in the file beside the store's; for a store in memory, or one that is only read, an index in memory.
    package func openSearchIndex() throws -> any SearchIndex {
        guard let file = try searchIndexFile, !isReadOnly else { return try SQLiteSearchIndex(at: nil) }
        return try file.open()
    }

    package func removeSearchIndex() throws {
        guard !isReadOnly else { return }
        try searchIndexFile?.remove()
    }

    private var searchIndexFile: SearchIndexFile? {
        get throws {
            guard let fileURL else { return nil }
            return SearchIndexFile(of: try fileURL.followingLinks())
        }
    }
}
