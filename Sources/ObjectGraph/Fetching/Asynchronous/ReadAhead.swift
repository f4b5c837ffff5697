import Foundation
import ManagedObjectModel

/// What a store answered to a fetch, on another thread, before the context takes it in.
///
/// It holds until something is saved to the store; after that, the context asks the store itself.
final class ReadAhead: Sendable {
    private let answer: FetchedValues
    private let question: Question
    private let state: RowCache.State?

    /// Asks the store.
    ///
    /// - Throws: an error of the store, or `NSUserCancelledError`.
    init(
        _ question: Question, _ cancellation: FetchCancellation, noting note: @escaping (Int) -> Void
    ) throws {
        self.question = question
        state = question.store.rowState
        answer = try question.fetch.run(cancellation, noting: note)
    }

    /// The rows that the store would give now; nil when it must be asked.
    func rows(of store: any ObjectStore, for query: FetchQuery) -> [Row]? {
        guard isAnswer(of: store, to: query), case .rows(let rows) = answer else { return nil }
        return rows
    }

    /// The dictionaries that the store would give now; nil when it must be asked.
    func dictionaries(of store: any ObjectStore, for query: FetchQuery) -> [[String: Any]]? {
        guard isAnswer(of: store, to: query), case .dictionaries(let found) = answer else { return nil }
        return found
    }

    /// Unsaved changes may have widened the query of the same fetch, and what its condition names may have changed.
    private func isAnswer(of store: any ObjectStore, to query: FetchQuery) -> Bool {
        guard store === question.store, let state, store.rowState == state,
            // What the store does not take any more, it will say.
            let present = try? store.prepared(query)
        else { return false }
        return question.fetch.isSame(as: present)
    }
}

extension ReadAhead {
    /// A fetch, prepared on the queue of its context: its condition may name objects, and these are for that queue alone.
    struct Question: Sendable {
        fileprivate let store: any ObjectStore
        fileprivate let fetch: any PreparedFetch

        /// - Returns: nil for a fetch that is to be executed on the context's queue.
        /// - Throws: 134060 for a condition that the store does not take.
        init?(_ fetch: ResolvedFetch, in context: NSManagedObjectContext) throws {
            // A child asks its parent, on the parent's queue.
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
    /// What was read for this fetch already.
    var readAhead: ReadAhead? { answer as? ReadAhead }
}
