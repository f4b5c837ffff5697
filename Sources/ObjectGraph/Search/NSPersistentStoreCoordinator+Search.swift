import Dispatch
import Foundation
import FullTextSearch
import ManagedObjectModel
import Synchronization

extension NSPersistentStoreCoordinator {
    /// Begins to index the stores for search in the background, and goes on with what this process and others change.
    ///
    /// Without this call an index is brought up to date by each search. An interrupted indexing goes on where it was. Call it after the
    /// stores were added.
    ///
    /// - Returns: the progress of the first indexing of each store that has something to be searched, in objects.
    /// - Throws: 134060 for a SQLite store that can be changed and has no persistent history (`NSPersistentHistoryTrackingKey`).
    @discardableResult
    public final func startSearchIndexing() throws -> [Progress] {
        let searches = try searchedStores.map { try StoreSearch.of($0) }
        return try searches.map { try $0.startIndexing() }
    }

    /// Ends the indexing in the background after its running step. Searches bring indexes up to date nevertheless.
    public final func stopSearchIndexing() {
        for store in searchedStores { (try? StoreSearch.of(store))?.stopIndexing() }
    }

    /// Removes the search indexes of all stores. Nothing is lost: the next search builds them anew.
    ///
    /// - Throws: an error of the file system.
    public final func deleteSearchIndexes() throws {
        for store in searchedStores {
            // One that cannot be searched has no index.
            if let search = try? StoreSearch.of(store) { try search.remove() }
        }
    }

    /// Brings the search indexes of all stores up to date.
    ///
    /// - Throws: `CancellationError` when the task is cancelled: what is indexed by then is kept; 134060 for a SQLite store that can be
    ///   changed and has no persistent history; an error of a store or an index.
    nonisolated(nonsending) public final func updateSearchIndexes() async throws {
        try await updateSearchIndexes(of: searchedStores)
    }

    /// Brings the search indexes of some stores up to date.
    nonisolated(nonsending) final func updateSearchIndexes(of stores: [any ObjectStore]) async throws {
        for store in stores {
            try Task.checkCancellation()
            let search = try StoreSearch.of(store)
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

    /// The stores that have something to be searched.
    package final var searchedStores: [any ObjectStore] {
        objectStores.filter { store in
            (store is any IndexedStore || store is NSAtomicStore) && !SearchSchema(store).kinds.isEmpty
        }
    }
}
