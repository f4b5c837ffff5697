import CoreData
import Synchronization

/// The running queries, by client. A new query of a client ends its older one: a store that is open for reading executes one query
/// after the other.
final class RunningQueries: Sendable {
    private static let most = 1000
    private let running = Mutex<[String: QueryGroup]>([:])

    /// Begins a query, and ends the earlier one of the same client.
    func begin(_ client: String, _ group: QueryGroup) {
        running.withLock { running in
            running[client]?.cancel()
            guard running.count < Self.most || running[client] != nil else { return }
            running[client] = group
        }
    }

    /// - Returns: whether the client has no newer query.
    @discardableResult
    func end(_ client: String, _ group: QueryGroup) -> Bool {
        running.withLock { running in
            guard running[client] === group else { return false }
            running[client] = nil
            return true
        }
    }
}

/// Readings that are one query to the client, and end together.
final class QueryGroup: Sendable {
    private struct State {
        var isCancelled = false
        var readings: [FetchCancellation] = []
    }

    private let state = Mutex(State())

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Adds a reading, which ends at once if the query was cancelled.
    func add(_ reading: FetchCancellation) {
        let isCancelled = state.withLock { state in
            state.readings.append(reading)
            return state.isCancelled
        }
        if isCancelled { reading.cancel() }
    }

    /// Forgets a reading that is over.
    func remove(_ reading: FetchCancellation) {
        state.withLock { $0.readings.removeAll { $0 === reading } }
    }

    func cancel() {
        let readings = state.withLock { state in
            state.isCancelled = true
            return state.readings
        }
        for reading in readings { reading.cancel() }
    }
}
