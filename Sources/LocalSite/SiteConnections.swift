import NIOCore
import Synchronization

/// The connections of a local site. Those that have shown the key stay; when there are too many, the others go first.
final class SiteConnections: Sendable {
    private struct Entry {
        let channel: any Channel
        /// In which order they were opened.
        let number: Int
        var isAdmitted = false
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var opened = 0
    }

    let limits: ConnectionLimits
    private let state = Mutex(State())

    init(_ limits: ConnectionLimits) { self.limits = limits }

    /// Adds a connection. If there are too many with it, the oldest one that has not shown the key is closed: the new one, where
    /// all others have.
    func open(_ channel: any Channel) {
        let excess: (any Channel)? = state.withLock { state in
            let key = ObjectIdentifier(channel)
            state.entries[key] = Entry(channel: channel, number: state.opened)
            state.opened += 1
            guard state.entries.count > limits.count else { return nil }
            let oldest = state.entries.filter { !$0.value.isAdmitted }.min {
                $0.value.number < $1.value.number
            }
            guard let oldest else { return nil }
            state.entries[oldest.key] = nil
            return oldest.value.channel
        }
        excess?.close(promise: nil)
    }

    /// Notes that a connection has shown the key.
    func admit(_ channel: any Channel) {
        state.withLock { $0.entries[ObjectIdentifier(channel)]?.isAdmitted = true }
    }

    func isAdmitted(_ channel: any Channel) -> Bool {
        state.withLock { $0.entries[ObjectIdentifier(channel)]?.isAdmitted ?? false }
    }

    /// Removes a connection that has been closed.
    func remove(_ channel: any Channel) { state.withLock { $0.entries[ObjectIdentifier(channel)] = nil } }

    /// How many there are.
    var count: Int { state.withLock { $0.entries.count } }
}
