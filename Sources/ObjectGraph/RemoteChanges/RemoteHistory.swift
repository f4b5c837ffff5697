import Foundation
import Synchronization

/// What others have added to the history of a store since it was asked last.
///
/// One file's: when a store opens another one, its transactions are counted from there, and this has ended.
final class RemoteHistory: Sendable {
    private struct State: Sendable {
        /// The last transaction that is known: all before it were merged, or are own ones. Nil when that could not be read.
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
    private let state = Mutex(State())

    /// Of what others do after `skip()` was called for the first time; own transactions can be noted from now on.
    init(of store: any FollowedStore) { self.store = store }

    /// Notes a transaction of a context of the coordinator, when it is committed and no other one of the store has begun.
    func noteOwn(_ number: Int64) {
        state.withLock { state in
            guard number > state.last ?? .min else { return }
            state.own.insert(number)
            state.advance()
        }
    }

    /// Whether the store has transactions that were not merged.
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
        /// Any object may have: there is no history, or the relevant part was deleted.
        case anything
    }

    /// What others have changed since this was asked last; nil for nothing.
    func changes() -> Changes? {
        guard let store else { return nil }
        do {
            // Of what has a number up to the end, all own transactions are known at this moment. What comes after it is for the
            // next time: the monitor notices its commit, too.
            let (end, known) = try store.betweenTransactions { end in (end, state.withLock { $0 }) }
            // Another file, or a copy of an earlier state, is where the store was: the numbers begin anew there.
            guard let last = known.last, last <= end else { throw NSError.removedStore }
            guard last < end else { return nil }
            let types = try store.historyChanges(in: (last + 1)...end, but: known.own)
            note(end)
            return types.isEmpty ? nil : .objects(Self.byKind(types))
        } catch {
            beginAnew()
            return .anything
        }
    }

    /// Goes on with what comes after this moment, whatever was known before.
    private func beginAnew() {
        do {
            try store?.betweenTransactions { end in state.withLock { $0 = State(last: end) } }
        } catch {
            state.withLock { $0 = State() }
        }
    }

    private func note(_ last: Int64?) {
        state.withLock { state in
            // Meanwhile own ones may have come.
            state.last = last.map { max($0, state.last ?? .min) }
            state.own = state.own.filter { $0 > state.last ?? .min }
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
