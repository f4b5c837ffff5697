import Foundation
import FullTextSearch
import Synchronization

/// The changes of a store that its index follows.
protocol SearchSource: Sendable {
    /// The position after the last change.
    func end() throws -> SearchIndexState.Position

    /// The objects that changed after a position, or the first of them; nil when some of these changes are not known any more.
    func changes(after position: SearchIndexState.Position) throws -> SearchChanges?

    /// Why changes may not be known, as the end of a sentence.
    var gap: String { get }

    /// Called after this process has changed the store. `keys` are the changed objects; nil where they are not known.
    func note(_ keys: (() -> [(storedEntity: StoredEntity, reference: Int64)])?)
}

extension SearchSource {
    func note(_ keys: (() -> [(storedEntity: StoredEntity, reference: Int64)])?) {}
}

/// Objects that changed, up to a position.
struct SearchChanges {
    struct Key: Hashable {
        let entityNumber: Int32
        let reference: Int64
    }

    var keys: Set<Key> = []
    /// All changes up to here are among them.
    var position: SearchIndexState.Position
}

/// The changes in the persistent history: those of all processes, of saves and batch requests, in the order of the transactions.
final class HistorySource: SearchSource {
    private weak let store: (any HistoryStore)?
    /// After as many changes the rest is left to the next call.
    private let maxChanges: Int

    init(_ store: any HistoryStore, maxChanges: Int = 20_000) {
        self.store = store
        self.maxChanges = maxChanges
    }

    var gap: String { "the history was deleted before it was indexed, or is that of another file" }

    func end() throws -> SearchIndexState.Position {
        try read { reader in try position(reader.lastNumber(), reader) }
    }

    private func position(_ number: Int64, _ reader: any HistoryReader) throws -> SearchIndexState.Position {
        let record = number > 0 ? try reader.record(number: number, after: .number(number - 1)) : nil
        return .init(number: number, time: record?.time)
    }

    func changes(after start: SearchIndexState.Position) throws -> SearchChanges? {
        try read { reader in
            let end = try reader.lastNumber()
            // A backup has taken the place of the store.
            guard start.number <= end else { return nil }
            if let time = start.time, let now = try position(start.number, reader).time, now != time {
                return nil
            }
            var changes = SearchChanges(position: start)
            // Numbers follow each other without a gap, unless transactions were deleted.
            var numbers: [Int64] = []
            try reader.forEachRecord(after: .number(start.number)) { record in
                guard record.number == start.number + Int64(numbers.count) + 1 else { return false }
                numbers.append(record.number)
                return numbers.count < 1_000
            }
            guard let last = numbers.last else { return start.number == end ? changes : nil }
            guard numbers.count == 1_000 || last == end else { return nil }
            var reached = start.number
            try reader.forEachChange(of: (start.number + 1)...last) { change in
                if change.transactionNumber != reached {
                    // All of a transaction is indexed together.
                    if changes.keys.count >= maxChanges { return false }
                    reached = change.transactionNumber
                }
                changes.keys.insert(
                    .init(entityNumber: change.storedEntity.entityNumber, reference: change.reference))
                return true
            }
            // Later transactions may have no changes.
            if changes.keys.count < maxChanges { reached = last }
            changes.position = try position(reached, reader)
            return changes
        }
    }

    private func read<Value>(_ body: (any HistoryReader) throws -> Value) throws -> Value {
        guard let store else { throw NSError.removedStore }
        return try store.readHistory(body)
    }
}

/// The changes that contexts of this process have saved to a store that only this process has.
final class SavedChangesSource: SearchSource {
    private struct State: Sendable {
        /// How many saves there were.
        var end: Int64 = 0
        /// The number of the save before the first that is kept.
        var start: Int64 = 0
        var saves: [[SearchChanges.Key]] = []
        var count = 0
    }

    /// More changes are not kept: to index everything anew is as quick.
    private static let maxChanges = 200_000

    private let state = Mutex(State())

    var gap: String { "more was saved since the last search than is noted" }

    func note(_ keys: (() -> [(storedEntity: StoredEntity, reference: Int64)])?) {
        guard let keys else { return }
        let changed = keys().map {
            SearchChanges.Key(entityNumber: $0.storedEntity.entityNumber, reference: $0.reference)
        }
        state.withLock { state in
            state.end += 1
            state.saves.append(changed)
            state.count += changed.count
            if state.count > Self.maxChanges {
                state.start = state.end
                state.saves = []
                state.count = 0
            }
        }
    }

    func end() -> SearchIndexState.Position { .init(number: state.withLock { $0.end }) }

    func changes(after position: SearchIndexState.Position) -> SearchChanges? {
        state.withLock { state in
            guard position.number >= state.start, position.number <= state.end else { return nil }
            let known = Int(position.number - state.start)
            var changes = SearchChanges(position: .init(number: state.end))
            for save in state.saves[known...] { changes.keys.formUnion(save) }
            // There is one index: what it has is not asked for again.
            state.saves.removeFirst(known)
            state.start = position.number
            state.count = state.saves.reduce(0) { $0 + $1.count }
            return changes
        }
    }
}

/// The rows of a store without history, of which nothing says what has changed: after any change all of them are indexed anew.
final class RowsSource: SearchSource {
    private struct State: Sendable {
        /// How often another state of the file was seen.
        var number: Int64 = 0
        /// The state of the file that was seen last; nil when it is known to be another one.
        var version: Data?
    }

    private weak let store: (any FollowedStore)?
    private let state = Mutex(State())

    init(_ store: any FollowedStore) { self.store = store }

    var gap: String { "the store has changed, and has no history" }

    func note(_ keys: (() -> [(storedEntity: StoredEntity, reference: Int64)])?) {
        state.withLock { $0.version = nil }
    }

    func end() throws -> SearchIndexState.Position {
        guard let store else { throw NSError.removedStore }
        let version = try store.foreignDataVersion()
        return state.withLock { state in
            if state.version != version {
                state.version = version
                state.number += 1
            }
            return .init(number: state.number)
        }
    }

    /// Does not look at the file: what was committed after `end()` is indexed later, or a build would never end beside a process that
    /// saves all the time.
    func changes(after position: SearchIndexState.Position) -> SearchChanges? {
        state.withLock { $0.number == position.number ? SearchChanges(position: position) : nil }
    }
}
