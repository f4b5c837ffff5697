import Foundation
import ManagedObjectModel

/// What a SQLite store answered to a fetch, on another thread, before the context takes it in.
///
/// It holds until something is saved to the store; after that, the context asks the store itself.
final class ReadAhead: Sendable {
    private enum Answer: @unchecked Sendable {
        case rows([Row])
        case dictionaries([[String: Any]])
    }

    private let answer: Answer
    private let question: Question
    private let state: RowCache.State

    /// Asks the store.
    ///
    /// - Throws: an error of the store, or `NSUserCancelledError`.
    init(
        _ question: Question, _ cancellation: FetchCancellation, noting note: @escaping (Int) -> Void
    ) throws {
        self.question = question
        let store = question.store
        state = store.rowCache.state
        switch question.form {
        case .rows(let request): answer = .rows(try store.rows(request, cancellation, noting: note))
        case .dictionaries(let request):
            answer = .dictionaries(try store.dictionaries(request, cancellation))
        }
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
        guard let store = store as? SQLiteStore, store.rowCache.state == state,
            // What is no SQL any more, the store will say.
            let present = try? Question(query, of: store)
        else { return false }
        return question.isSame(as: present)
    }
}

extension ReadAhead {
    /// A fetch, put into SQL on the queue of its context: its condition may name objects, and these are for that queue alone.
    struct Question: Sendable {
        fileprivate enum Form: Sendable {
            case rows(SQLiteStore.RowRequest)
            case dictionaries(SQLiteStore.DictionaryRequest)
        }

        fileprivate let store: SQLiteStore
        fileprivate let form: Form

        /// - Returns: nil for a fetch that is to be executed on the context's queue.
        /// - Throws: 134060 for a condition that is no SQL.
        init?(_ fetch: ResolvedFetch, in context: NSManagedObjectContext) throws {
            // A child asks its parent, on the parent's queue.
            guard context.parent == nil, fetch.stores.count == 1,
                let store = fetch.stores.first as? SQLiteStore, fetch.specification.includesPropertyValues
            else { return nil }
            try self.init(fetch.query(store), of: store)
        }

        fileprivate init?(_ query: FetchQuery, of store: SQLiteStore) throws {
            self.store = store
            switch query.resultType {
            case .managedObjectResultType: form = .rows(try store.rowRequest(for: query))
            case .dictionaryResultType: form = .dictionaries(try store.dictionaryRequest(for: query))
            default: return nil
            }
        }

        /// Whether the store would be asked the same.
        fileprivate func isSame(as other: Question) -> Bool {
            guard store === other.store else { return false }
            switch (form, other.form) {
            case (.rows(let a), .rows(let b)):
                return a.statement == b.statement && a.generation === b.generation
            case (.dictionaries(let a), .dictionaries(let b)):
                return a.statement == b.statement && a.generation === b.generation
            default: return false
            }
        }
    }
}

extension FetchSpecification {
    /// What was read for this fetch already.
    var readAhead: ReadAhead? { answer as? ReadAhead }
}
