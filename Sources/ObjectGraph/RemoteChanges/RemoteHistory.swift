import Foundation
import Synchronization

/// What others have added to the history of a store since it was asked last.
final class RemoteHistory: Sendable {
    private struct State: Sendable {
        /// The last transaction that is known: all before it were taken in, or are own ones. Nil when that could not be read.
        var last: Int64?
        /// Transactions after it that contexts of the coordinator have made, which merged them already.
        var own: Set<Int64> = []

        /// Goes past own transactions that follow at once: who deletes the history deletes what need not be read.
        mutating func advance() {
            while let next = last?.addingReportingOverflow(1), !next.overflow,
                own.remove(next.partialValue) != nil
            {
                last = next.partialValue
            }
        }
    }

    private weak let store: (any FollowedStore)?
    private let state: Mutex<State>

    init(of store: any FollowedStore) {
        self.store = store
        state = Mutex(State(last: store.lastHistoryNumber))
    }

    func noteOwn(_ number: Int64) {
        state.withLock { state in
            guard number > state.last ?? .max else { return }
            state.own.insert(number)
            state.advance()
        }
    }

    /// Whether the store has transactions that were not taken in.
    var isBehind: Bool {
        guard let end = store?.lastHistoryNumber else { return false }
        return state.withLock { end > $0.last ?? .max }
    }

    /// Goes on with what comes after this moment: what was before is not merged.
    func skip() { note(store?.lastHistoryNumber) }

    /// What has changed.
    enum Changes {
        /// The objects, by the keys of `mergeChanges(fromRemoteContextSave:into:)`.
        case objects([String: [NSManagedObjectID]])
        /// Any object may have: there is no history, or the part that tells it was deleted.
        case anything
    }

    /// What others have changed since this was asked last; nil for nothing.
    func changes() -> Changes? {
        guard let store else { return nil }
        let known = state.withLock { $0 }
        do {
            guard let last = known.last else { throw NSError.removedStore }
            let changes = try store.historyChanges(after: last, but: known.own)
            note(changes.last)
            return changes.types.isEmpty ? nil : .objects(Self.byKind(changes.types))
        } catch {
            note(store.lastHistoryNumber)
            return .anything
        }
    }

    private func note(_ last: Int64?) {
        state.withLock { state in
            // Meanwhile own ones may have come.
            state.last = last.map { max($0, state.last ?? .min) }
            state.own = state.own.filter { $0 > state.last ?? .max }
            state.advance()
        }
    }

    private static func byKind(
        _ types: [NSManagedObjectID: NSPersistentHistoryChangeType]
    ) -> [String: [NSManagedObjectID]] {
        var changes: [String: [NSManagedObjectID]] = [:]
        for (id, type) in types {
            let key =
                switch type {
                case .insert: NSInsertedObjectIDsKey
                case .update: NSUpdatedObjectIDsKey
                case .delete: NSDeletedObjectIDsKey
                }
            changes[key, default: []].append(id)
        }
        return changes
    }
}
