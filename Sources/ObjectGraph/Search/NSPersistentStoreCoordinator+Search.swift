import Dispatch
import Foundation
import FullTextSearch
import ManagedObjectModel
import Synchronization

/// The indexing of a coordinator's stores in the background.
package final class SearchIndexing: Sendable {
    private let running = Mutex<[ObjectIdentifier: StoreIndexing]>([:])

    package init() {}

    fileprivate func begin(_ stores: [any ObjectStore]) throws {
        var made: [(ObjectIdentifier, StoreIndexing)] = []
        for store in stores where running.withLock({ $0[ObjectIdentifier(store)] == nil }) {
            made.append((ObjectIdentifier(store), try StoreIndexing(store) { _, _ in }))
        }
        for (id, indexing) in made {
            running.withLock { $0[id] = indexing }
            indexing.begin()
        }
    }

    fileprivate func end() {
        let ended = running.withLock { running in
            defer { running = [:] }
            return Array(running.values)
        }
        for indexing in ended { indexing.end() }
    }

    fileprivate var progresses: [Progress] { running.withLock { $0.values.map(\.progress) } }
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
        let all = Progress(totalUnitCount: 0)
        for progress in searchIndexing.progresses {
            all.totalUnitCount += 1
            all.addChild(progress, withPendingUnitCount: 1)
        }
        return all
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
