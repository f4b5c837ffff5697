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
    private let store: ObjectIdentifier
    private let state: RowCache.State
    private let limit: Int
    private let offset: Int

    /// Asks the store; nil for a kind of result that is not worth it.
    ///
    /// - Throws: an error of the store, or `NSUserCancelledError`.
    init?(
        _ query: FetchQuery, of store: SQLiteStore, _ cancellation: FetchCancellation,
        noting note: @escaping (Int) -> Void
    ) throws {
        self.store = ObjectIdentifier(store)
        state = store.rowCache.state
        limit = query.limit
        offset = query.offset
        switch query.resultType {
        case .managedObjectResultType:
            answer = .rows(try store.rows(for: query, cancellation, noting: note))
        case .dictionaryResultType:
            answer = .dictionaries(try store.dictionaries(for: query, cancellation))
        default: return nil
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

    /// Unsaved changes may have widened the query of the same fetch.
    private func isAnswer(of store: any ObjectStore, to query: FetchQuery) -> Bool {
        ObjectIdentifier(store) == self.store && query.limit == limit && query.offset == offset
            && (store as? SQLiteStore)?.rowCache.state == state
    }
}

extension FetchSpecification {
    /// What was read for this fetch already.
    var readAhead: ReadAhead? { answer as? ReadAhead }
}
