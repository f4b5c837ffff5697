import CoreData
import Synchronization

/// What a user waits for goes before what is only shown beside it, such as the number of objects: a store that is open
/// for reading executes one query after the other, and counting a large table takes longer than a page of it.
final class Precedence: Sendable {
    /// A reading that makes way for others.
    final class YieldingRead: Sendable {
        private let cancellation: FetchCancellation
        private let hasYielded = Mutex(false)

        fileprivate init(_ cancellation: FetchCancellation) { self.cancellation = cancellation }

        /// Whether it was ended for another query, after which it can be started again.
        var didYield: Bool { hasYielded.withLock { $0 } }

        fileprivate func yieldTurn() {
            hasYielded.withLock { $0 = true }
            cancellation.cancel()
        }
    }

    private struct State {
        /// How many queries users wait for.
        var urgent = 0
        var yielding: [YieldingRead] = []
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Executes a query that a user waits for. Readings that yield are ended, and do not begin until it is done.
    func ahead<Value: Sendable>(_ body: () async throws -> Value) async rethrows -> Value {
        let yielding = state.withLock { state in
            state.urgent += 1
            return state.yielding
        }
        for reading in yielding { reading.yieldTurn() }
        defer {
            let waiting = state.withLock { state in
                state.urgent -= 1
                defer { if state.urgent == 0 { state.waiting = [] } }
                return state.urgent == 0 ? state.waiting : []
            }
            for continuation in waiting { continuation.resume() }
        }
        return try await body()
    }

    /// Begins a reading that yields as soon as no urgent reading waits. It is ended with `end(_:)`.
    func begin(_ cancellation: FetchCancellation) async -> YieldingRead {
        let reading = YieldingRead(cancellation)
        while true {
            let hasBegun = state.withLock { state in
                if state.urgent == 0 { state.yielding.append(reading) }
                return state.urgent == 0
            }
            if hasBegun { return reading }
            await withCheckedContinuation { continuation in
                let isFree = state.withLock { state in
                    if state.urgent > 0 { state.waiting.append(continuation) }
                    return state.urgent == 0
                }
                if isFree { continuation.resume() }
            }
        }
    }

    func end(_ reading: YieldingRead) {
        state.withLock { $0.yielding.removeAll { $0 === reading } }
    }
}
