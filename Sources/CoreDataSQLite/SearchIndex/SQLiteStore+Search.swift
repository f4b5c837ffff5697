import CoreDataSQL
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
        guard !isReadOnly, recordsHistory else { return try SQLiteSearchIndex.temporary() }
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

    package var recordsHistory: Bool {
        guard let history else { return false }
        guard isReadOnly else { return history.isTracking }
        let haveRows = try? read("read the history") { try history.tables.haveRows(SQLiteConnection($0)) }
        return haveRows ?? false
    }

    package var keepsSearchFiles: Bool { fileURL != nil && !isReadOnly }

    package func openPresentSearchIndex(named name: String?) throws -> (any SearchIndex)? {
        guard keepsSearchFiles else { return nil }
        return try searchIndexFile(name)?.openPresent()
    }

    package func changeCount(
        after position: SearchIndexState.Position, limit: Int, for reader: StoreReader
    ) throws -> SearchIndexChanges {
        func read(_ body: (SQLHistoryReader) throws -> Int64?) throws -> Int64? {
            guard let generation = reader.generation as? SQLiteGeneration else {
                return try readOwnHistory(body)
            }
            guard let history else { return nil }
            return try generation.read { try body(SQLHistoryReader(self, history, SQLiteConnection($0))) }
        }
        if reader.generation != nil {
            // What is in the index may have been read later than the generation was pinned, from rows that have changed since.
            let pinned = try read { try $0.lastNumber() }
            guard pinned == (try readOwnHistory { try $0.lastNumber() }) else { return .olderGeneration }
        }
        guard let time = position.time,
            let count = try read({
                try $0.changeCount(afterNumber: position.number, time: time, limit: limit)
            })
        else { return .unknown }
        return .count(Int(count))
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
