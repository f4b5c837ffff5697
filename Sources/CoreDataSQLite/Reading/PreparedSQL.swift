import ObjectGraph
import Foundation

/// A fetch that was put into SQL.
private struct PreparedSQL: PreparedFetch {
    enum Form: Sendable {
        case rows(SQLiteStore.RowRequest)
        case dictionaries(SQLiteStore.DictionaryRequest)
    }

    let store: SQLiteStore
    let form: Form

    func run(
        _ cancellation: FetchCancellation, noting note: @escaping (Int) -> Void
    ) throws -> FetchedValues {
        switch form {
        case .rows(let request): .rows(try store.rows(request, cancellation, noting: note))
        case .dictionaries(let request): .dictionaries(try store.dictionaries(request, cancellation))
        }
    }

    func isSame(as other: any PreparedFetch) -> Bool {
        guard let other = other as? PreparedSQL, store === other.store else { return false }
        switch (form, other.form) {
        case (.rows(let a), .rows(let b)):
            return a.statement == b.statement && a.generation === b.generation
        case (.dictionaries(let a), .dictionaries(let b)):
            return a.statement == b.statement && a.generation === b.generation
        default: return false
        }
    }
}

extension SQLiteStore {
    package func prepared(_ query: FetchQuery) throws -> (any PreparedFetch)? {
        try fetchCompiler.result(of: query) {
            switch query.resultType {
            case .managedObjectResultType:
                PreparedSQL(store: self, form: .rows(try rowRequest(for: query)))
            case .dictionaryResultType:
                PreparedSQL(store: self, form: .dictionaries(try dictionaryRequest(for: query)))
            default: nil
            }
        } decided: { _ in
            // What rows decide takes objects of the context's request.
            nil
        }
    }
}
