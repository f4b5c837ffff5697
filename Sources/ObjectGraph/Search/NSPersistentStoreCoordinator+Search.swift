import Dispatch
import Foundation
import FullTextSearch
import ManagedObjectModel
import Synchronization

/// The indexing of a coordinator's stores in the background.
package final class SearchIndexing: Sendable {
    private let running = Mutex<[ObjectIdentifier: StoreIndexing]>([:])
    /// Has the progress of each store as a part.
    fileprivate let progress = Progress(totalUnitCount: 0)

    package init() {}

    fileprivate func begin(_ stores: [any ObjectStore]) throws {
        let known = running.withLock { running in
            running = running.filter { !$0.value.isOver }
            return Set(running.keys)
        }
        let made = try stores.filter { !known.contains(ObjectIdentifier($0)) }.map { store in
            (ObjectIdentifier(store), StoreIndexing(store, try StoreSearch.of(store)) { _, _ in })
        }
        for (id, indexing) in made {
            let isNew = running.withLock { running in
                if running[id] != nil { return false }
                running[id] = indexing
                progress.totalUnitCount += 1
                progress.addChild(indexing.progress, withPendingUnitCount: 1)
                return true
            }
            if isNew { indexing.begin() }
        }
    }

    fileprivate func end() {
        let ended = running.withLock { running in
            defer { running = [:] }
            return Array(running.values)
        }
        for indexing in ended { indexing.end() }
    }
}

extension NSPersistentStoreCoordinator {
    /// Begins to index the stores for search in the background, and goes on with what this process and others change.
    ///
    /// Without this call an index is brought up to date by each search. An interrupted indexing goes on where it was. Call it after the
    /// stores were added.
    ///
    /// - Returns: the progress of the first indexing of all stores, in objects.
    /// - Throws: 134060 for a SQLite store without persistent history (`NSPersistentHistoryTrackingKey`).
    @discardableResult
    public final func startSearchIndexing() throws -> Progress {
        try searchIndexing.begin(searchedStores)
        return searchIndexing.progress
    }

    /// Ends the indexing in the background after its running step. Searches bring indexes up to date nevertheless.
    public final func stopSearchIndexing() { searchIndexing.end() }

    /// Removes the search indexes of all stores. Nothing is lost: the next search builds them anew.
    ///
    /// - Throws: an error of the file system.
    public final func deleteSearchIndexes() throws {
        for store in searchedStores { try StoreSearch.of(store).remove() }
    }

    /// Brings the search indexes of all stores up to date.
    ///
    /// - Throws: `CancellationError` when the task is cancelled: what is indexed by then is kept; 134060 for a SQLite store without
    ///   persistent history; an error of a store or an index.
    nonisolated(nonsending) public final func updateSearchIndexes() async throws {
        for store in searchedStores {
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
