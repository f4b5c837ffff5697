import Foundation
import ManagedObjectModel

/// The result of a store for a fetch, read on another thread before the context uses it.
///
/// It is valid until something is saved to the store; after that, the context queries the store itself.
final class ReadAhead: Sendable {
    private let answer: FetchedValues
    private let preparedQuery: PreparedQuery
    private let state: RowCache.State?

    /// Queries the store.
    ///
    /// - Throws: an error of the store, or `NSUserCancelledError`.
    init(
        _ preparedQuery: PreparedQuery, _ cancellation: FetchCancellation,
        noting note: @escaping (Int) -> Void
    ) throws {
        self.preparedQuery = preparedQuery
        state = preparedQuery.store.rowState
        answer = try preparedQuery.fetch.run(cancellation, noting: note)
    }

    /// The rows, if still valid; nil when the store must be queried.
    func rows(of store: any ObjectStore, for query: FetchQuery) -> RowList? {
        guard isAnswer(of: store, to: query), case .rows(let rows) = answer else { return nil }
        return rows
    }

    /// The dictionaries, if still valid; nil when the store must be queried.
    func dictionaries(of store: any ObjectStore, for query: FetchQuery) -> [[String: Any]]? {
        guard isAnswer(of: store, to: query), case .dictionaries(let found) = answer else { return nil }
        return found
    }

    /// Unsaved changes may have widened the query of the same fetch, and what its condition names may have changed.
    private func isAnswer(of store: any ObjectStore, to query: FetchQuery) -> Bool {
        guard store === preparedQuery.store, let state, store.rowState == state,
            // The store will throw for a condition that it no longer supports.
            let present = try? store.prepared(query)
        else { return false }
        return preparedQuery.fetch.isSame(as: present)
    }
}

extension ReadAhead {
    /// A fetch, prepared on the queue of its context: its condition may name objects, which only that queue may use.
    struct PreparedQuery: Sendable {
        fileprivate let store: any ObjectStore
        fileprivate let fetch: any PreparedFetch

        /// - Returns: nil for a fetch that is to be executed on the context's queue.
        /// - Throws: 134060 for a condition that the store does not support.
        init?(_ fetch: ResolvedFetch, in context: NSManagedObjectContext) throws {
            // A child fetches from its parent, on the parent's queue.
            guard context.parent == nil, fetch.stores.count == 1, let store = fetch.stores.first,
                fetch.specification.includesPropertyValues,
                let prepared = try store.prepared(fetch.query(store))
            else { return nil }
            self.store = store
            self.fetch = prepared
        }
    }
}

extension FetchSpecification {
    /// The rows already read for this fetch.
    var readAhead: ReadAhead? { answer as? ReadAhead }
}
