import Dispatch
import Foundation
import FullTextSearch
import ManagedObjectModel
import Synchronization

extension NSPersistentStoreCoordinator {
    /// Begins to index the stores for search in the background, and goes on with what this process and others change: the words of
    /// attributes with "Index in Spotlight", and the trigrams of attributes with `OpenCoreDataTrigramIndex` in their user info.
    ///
    /// Without this call an index of words is brought up to date by each search, and one of trigrams by `updateSearchIndexes()` alone. An
    /// interrupted indexing goes on where it was. Call it after the stores were added.
    ///
    /// - Returns: the progress of the first indexing of each index of each store that has something to be searched, in objects.
    /// - Throws: 134060 for a SQLite store that can be changed and has no persistent history (`NSPersistentHistoryTrackingKey`).
    @discardableResult
    public final func startSearchIndexing() throws -> [Progress] {
        let searches = try indexes(of: searchedStores, substringStores)
        return try searches.map { try $0.startIndexing() }
    }

    /// Ends the indexing in the background after its running step. Searches bring indexes up to date nevertheless.
    public final func stopSearchIndexing() {
        for search in possibleIndexes { search.stopIndexing() }
    }

    /// Removes the search indexes of all stores. Nothing is lost: the next search or indexing builds them anew.
    ///
    /// - Throws: an error of the file system.
    public final func deleteSearchIndexes() throws {
        for search in possibleIndexes { try search.remove() }
    }

    /// The indexes of all stores but those that cannot be searched, which have none.
    private var possibleIndexes: [StoreSearch] {
        searchedStores.compactMap { try? StoreSearch.of($0) }
            + substringStores.compactMap { try? StoreSearch.substrings(of: $0) }
    }

    /// Brings the search indexes of all stores up to date.
    ///
    /// - Throws: `CancellationError` when the task is cancelled: what is indexed by then is kept; 134060 for a SQLite store that can be
    ///   changed and has no persistent history; an error of a store or an index.
    nonisolated(nonsending) public final func updateSearchIndexes() async throws {
        try await update(indexes(of: searchedStores, substringStores))
    }

    /// Brings the indexes of words of some stores up to date.
    nonisolated(nonsending) final func updateSearchIndexes(of stores: [any ObjectStore]) async throws {
        try await update(indexes(of: stores, []))
    }

    /// The indexes of words and of trigrams of some stores.
    private func indexes(
        of searched: [any ObjectStore], _ substrings: [any ObjectStore]
    ) throws -> [StoreSearch] {
        try searched.map { try StoreSearch.of($0) } + substrings.map { try StoreSearch.substrings(of: $0) }
    }

    private nonisolated(nonsending) func update(_ searches: [StoreSearch]) async throws {
        for search in searches {
            try Task.checkCancellation()
            let isCancelled = FetchCancellation()
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation {
                    (continuation: CheckedContinuation<Void, any Error>) in
                    DispatchQueue.global(qos: .userInitiated).async {
                        do {
                            _ = try search.current { isCancelled.isCancelled }
                            continuation.resume()
                        } catch {
                            continuation.resume(
                                throwing: FetchCancellation.isError(error) ? CancellationError() : error)
                        }
                    }
                }
            } onCancel: {
                isCancelled.cancel()
            }
        }
    }

    /// The stores that keep an index of trigrams. Others have their rows in memory, or are only read.
    private var substringStores: [any ObjectStore] {
        objectStores.filter { store in
            (store as? any IndexedStore)?.keepsSearchFiles ?? false
                && !SubstringSchema(store).entities.isEmpty
        }
    }

    /// The stores that have something to be searched.
    package final var searchedStores: [any ObjectStore] {
        objectStores.filter { $0.canBeIndexed && !SearchSchema($0).kinds.isEmpty }
    }
}
