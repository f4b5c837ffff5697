import Dispatch
import Foundation
import FullTextSearch
import Synchronization

/// Indexes one store in the background: all of it once, and then what its own process and others change.
package final class StoreIndexing: @unchecked Sendable {
    // Unchecked: what is not constant is behind a lock.

    private struct State {
        var isScheduled = false
        var hasEnded = false
        var monitor: RemoteChangeMonitor?
        var position: SearchIndexState.Position?
        /// How many attempts have failed since the last one that has not.
        var failureCount = 0
        /// What the log has of these already.
        var loggedErrors: Set<String> = []
    }

    private weak let store: (any ObjectStore)?
    private weak let search: StoreSearch?
    private let id = UUID()
    private let queue: DispatchQueue
    private let state = NSLock()
    private var current = State()
    private let updated: @Sendable (NSPersistentStore, SearchIndexState.Position) -> Void
    /// Counts the objects that are indexed for the first time.
    package let progress = Progress(totalUnitCount: -1)

    /// How long after a failure, such as of a full disk, the next attempt is made: each pause is twice the one before. Changes do not
    /// bring it forward, since they would fail as often as they are made; a search does not wait for it.
    package static let pauses = 5.0...600.0

    private let pauses: ClosedRange<Double>

    /// - Parameters:
    ///   - pauses: the first pause after a failure, and the longest, in seconds.
    ///   - updated: is called when the index has come to another position, on the queue of the indexing.
    package init(
        _ store: any ObjectStore, _ search: StoreSearch, pauses: ClosedRange<Double> = StoreIndexing.pauses,
        updated: @escaping @Sendable (NSPersistentStore, SearchIndexState.Position) -> Void
    ) {
        self.store = store
        self.updated = updated
        self.search = search
        self.pauses = pauses
        queue = DispatchQueue(label: "com.apple.CoreData.SearchIndexing", qos: .utility)
    }

    package func begin() {
        search?.addListener(id) { [weak self] in self?.schedule() }
        if let store = store as? any FollowedStore, let file = store.fileURL {
            do {
                let monitor = try RemoteChangeMonitor(of: store, file) { [weak self] in
                    self?.search?.pace.noteChange()
                    self?.schedule()
                }
                state.withLock { current.monitor = monitor }
            } catch {
                Log.store.error(
                    """
                    Changes made by others to the store at \(file.path) are indexed at the next search: \
                    \(error.localizedDescription)
                    """)
            }
        }
        schedule()
    }

    /// Ends after the running step.
    package func end() {
        search?.removeListener(id)
        let monitor = state.withLock {
            current.hasEnded = true
            defer { current.monitor = nil }
            return current.monitor
        }
        monitor?.end()
    }

    deinit { end() }

    /// Whether there is nothing to be indexed any more: the store was removed from its coordinator.
    package var isOver: Bool {
        guard let store, let coordinator = store.persistentStoreCoordinator else { return true }
        return !coordinator.objectStores.contains { $0 === store }
    }

    /// Whether it follows a store that is still one of its coordinator's.
    package func follows(_ store: any ObjectStore) -> Bool { self.store === store && !isOver }

    private var hasEnded: Bool { state.withLock { current.hasEnded } }

    private func schedule(after seconds: Double = 0) {
        let isFirst = state.withLock {
            guard !current.isScheduled, !current.hasEnded else { return false }
            current.isScheduled = true
            return true
        }
        guard isFirst else { return }
        queue.asyncAfter(deadline: .now() + seconds) { [weak self] in self?.run() }
    }

    private func run() {
        // Later changes are scheduled anew: this run may be past them.
        state.withLock { current.isScheduled = false }
        guard !hasEnded, !isOver, let store, let search else { return }
        do {
            if progress.totalUnitCount < 0 {
                // One more than there are objects: the last of them are indexed a moment before the index is complete.
                progress.totalUnitCount = Int64(try search.objectCount()) + 1
            }
            let turn = IndexingTurn(search.pace) { self.hasEnded }
            try search.follow(progress, turn)
            state.withLock {
                current.failureCount = 0
                current.loggedErrors = []
            }
            guard let position = try search.position() else { return }
            progress.completedUnitCount = progress.totalUnitCount
            let isNew = state.withLock {
                defer { current.position = position }
                return current.position != position
            }
            if isNew, !hasEnded { updated(store, position) }
            turn.restAfterLastStep()
        } catch {
            guard !FetchCancellation.isError(error), !hasEnded, !isOver else { return }
            let (count, isNew) = state.withLock {
                defer { current.failureCount += 1 }
                return (
                    current.failureCount, current.loggedErrors.insert(error.localizedDescription).inserted
                )
            }
            if isNew {
                Log.store.error(
                    "The store at \(store.url?.path ?? "") could not be indexed: \(error.localizedDescription)"
                )
            }
            schedule(after: Self.pause(afterFailures: count, pauses))
        }
    }

    /// - Parameter count: how many attempts had failed before the last one.
    package static func pause(
        afterFailures count: Int, _ pauses: ClosedRange<Double> = StoreIndexing.pauses
    ) -> Double {
        min(pauses.lowerBound * Double(1 << min(count, 16)), pauses.upperBound)
    }

    /// How many seconds after the last attempt the next one is made; nil when it has not failed.
    package var pause: Double? {
        let count = state.withLock { current.failureCount }
        return count == 0 ? nil : Self.pause(afterFailures: count - 1, pauses)
    }
}
