import Foundation
import ManagedObjectModel
import Synchronization

/// Has the stores whose changes by others are followed: a coordinator.
package protocol StoreFollower: AnyObject, Sendable {
    /// The stores, in the order in which they were added.
    var persistentStores: [NSPersistentStore] { get }
    /// Makes contexts merge changes of others, later.
    func merge(_ changes: ChangesByOthers)
    /// Reports a change of a store, by this process or others.
    ///
    /// - Parameter historyNumber: the last transaction of its history; nil without one.
    func postRemoteChange(_ store: NSPersistentStore, historyNumber: Int64?)
}

/// Handles the changes that others make to a coordinator's stores: posts `NSPersistentStoreRemoteChange` and makes contexts
/// merge them.
package final class RemoteChanges: Sendable {
    private struct Following: Sendable {
        let file: URL
        let history: RemoteHistory
        /// Nil while it is being made.
        var monitor: RemoteChangeMonitor?
    }

    private struct State: Sendable {
        var merges = false
        var following: [ObjectIdentifier: Following] = [:]
    }

    private let state = Mutex(State())

    /// Whether contexts merge the changes.
    var merges: Bool { state.withLock { $0.merges } }

    func setMerges(_ merges: Bool, _ coordinator: any StoreFollower) {
        let histories = state.withLock { state in
            let begins = merges && !state.merges
            state.merges = merges
            return begins ? state.following.values.map(\.history) : []
        }
        for history in histories { history.skip() }
        follow(coordinator)
    }

    /// Begins to follow the relevant stores of a coordinator, and ends following others.
    func follow(_ coordinator: any StoreFollower) {
        var wanted: [ObjectIdentifier: any FollowedStore] = [:]
        for case let store as any FollowedStore in coordinator.persistentStores where isWanted(store) {
            wanted[ObjectIdentifier(store)] = store
        }
        let ended = state.withLock { state in
            let ended = state.following.filter { wanted[$0.key]?.fileURL != $0.value.file }
            for id in ended.keys { state.following[id] = nil }
            return ended.values.compactMap(\.monitor)
        }
        for monitor in ended { monitor.end() }
        for store in wanted.values { begin(store, coordinator) }
    }

    /// Ends following a store that has opened another file, and begins with that one.
    package func refollow(_ store: any FollowedStore, of coordinator: any StoreFollower) {
        end(store)
        let exists = coordinator.persistentStores.contains { $0 === store }
        if exists, isWanted(store) { begin(store, coordinator) }
    }

    private func isWanted(_ store: any FollowedStore) -> Bool {
        store.fileURL != nil && (merges || store.postsRemoteChanges)
    }

    /// Begins to follow a store that is not followed.
    private func begin(_ store: any FollowedStore, _ coordinator: any StoreFollower) {
        guard let file = store.fileURL else { return }
        let history = RemoteHistory(of: store)
        let id = ObjectIdentifier(store)
        // Before reading the history: own transactions are noted from then on.
        let isFirst = state.withLock { state in
            guard state.following[id] == nil else { return false }
            state.following[id] = Following(file: file, history: history)
            return true
        }
        guard isFirst else { return }
        history.skip()
        do {
            let monitor = try RemoteChangeMonitor(of: store, file) {
                [weak self, weak store, weak coordinator] in
                guard let self, let store, let coordinator else { return }
                notify(store, history, coordinator)
            }
            // Another thread may have ended it.
            let isFollowed = state.withLock { state in
                guard state.following[id]?.history === history else { return false }
                state.following[id]?.monitor = monitor
                return true
            }
            if !isFollowed {
                monitor.end()
            } else if history.isBehind {
                // Others have committed between reading the history and the database's version.
                monitor.notify()
            }
        } catch {
            state.withLock { state in
                if state.following[id]?.history === history { state.following[id] = nil }
            }
            Log.store.error(
                "Changes made by others to the store at \(file.path) are not noticed: \(error.localizedDescription)"
            )
        }
    }

    /// Ends following a store, before it is closed.
    package func end(_ store: NSPersistentStore) {
        state.withLock { $0.following.removeValue(forKey: ObjectIdentifier(store)) }?.monitor?.end()
    }

    /// Notes that contexts of this coordinator have made a transaction of the history; see `RemoteHistory.noteOwn(_:)`.
    package func noteOwn(_ number: Int64, of store: NSPersistentStore) {
        state.withLock { $0.following[ObjectIdentifier(store)] }?.history.noteOwn(number)
    }

    private func isCurrent(_ history: RemoteHistory, of store: any FollowedStore) -> Bool {
        state.withLock { $0.following[ObjectIdentifier(store)]?.history === history }
    }

    private func notify(
        _ store: any FollowedStore, _ history: RemoteHistory, _ coordinator: any StoreFollower
    ) {
        guard isCurrent(history, of: store) else { return }
        // Only the notification has it.
        let number = store.postsRemoteChanges ? store.lastHistoryNumber : nil
        if !merges {
            history.skip()
        } else if let changes = history.changes() {
            // Reading waits while the file is replaced, and then reads the new one.
            guard isCurrent(history, of: store) else { return }
            if case .anything = changes { store.forgetRows() }
            coordinator.merge(changes)
        }
        coordinator.postRemoteChange(store, historyNumber: number)
    }

    deinit {
        for following in state.withLock({ $0.following }).values { following.monitor?.end() }
    }
}

extension NSPersistentStore {
    /// Whether the coordinator posts `NSPersistentStoreRemoteChange` for the store.
    var postsRemoteChanges: Bool {
        StoreOptionKeys.isOn(options?[NSPersistentStoreRemoteChangeNotificationPostOptionKey])
    }
}
