import Foundation
import Synchronization

/// The transactions that others have added to the history of a store since the last call.
///
/// It belongs to one file: when a store opens another one, this ends, and a new one counts from there.
final class RemoteHistory: Sendable {
    private struct State: Sendable {
        /// The last known transaction: all before it were merged, or are own ones. Nil when it could not be read.
        var last: Int64?
        /// Transactions after it that contexts of the coordinator have made, which merged them already.
        var own: Set<Int64> = []

        /// Skips own transactions that follow directly: they need not be read, so the history can be deleted.
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

    /// Covers changes after the first call of `skip()`; own transactions can be noted from now on.
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

    /// Continues with later transactions: earlier ones are not merged.
    func skip() { note(store?.lastHistoryNumber) }

    /// The changes by others since the last call; nil for none.
    func changes() -> ChangesByOthers? {
        guard let store else { return nil }
        do {
            // All own transactions up to the last number are known now. Later ones are for the next call: the monitor detects
            // their commits too.
            let (end, known) = try store.betweenTransactions { end in (end, state.withLock { $0 }) }
            // Another file, or a copy of an earlier state, has replaced the store: the numbers begin anew there.
            guard let last = known.last, last <= end else { throw NSError.removedStore }
            guard last < end else { return nil }
            let types = try store.historyChanges(in: (last + 1)...end, but: known.own)
            note(end)
            return types.isEmpty ? nil : .objects(Self.byKind(types))
        } catch {
            restart()
            return .anything
        }
    }

    /// Continues with later transactions, whatever was known before.
    private func restart() {
        do {
            try store?.betweenTransactions { end in state.withLock { $0 = State(last: end) } }
        } catch {
            state.withLock { $0 = State() }
        }
    }

    private func note(_ last: Int64?) {
        state.withLock { state in
            // Own ones may have been added meanwhile.
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
