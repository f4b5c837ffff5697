import Dispatch
import Foundation
import GRDB
import GRDBSQLite
import Synchronization

/// Stops the reading of a fetch that runs on another thread.
package final class FetchCancellation: Sendable {
    private struct State: @unchecked Sendable {
        var isCancelled = false
        /// The connection that reads now.
        var connection: OpaquePointer?
    }

    private let state = Mutex(State())

    package init() {}

    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Interrupts what is read, and keeps the rest from being read.
    package func cancel() {
        state.withLock { $0.isCancelled = true }
        interrupt()
    }

    /// Interrupts until nothing is read any more: SQLite forgets an interruption that meets no running statement.
    private func interrupt() {
        let isReading = state.withLock { state in
            guard let connection = state.connection else { return false }
            // Inside the lock: after it the connection may be somebody else's.
            sqlite3_interrupt(connection)
            return true
        }
        guard isReading else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) { self.interrupt() }
    }

    /// Reads on a connection, unless the fetch was cancelled.
    ///
    /// - Throws: `NSUserCancelledError` when it was, before or meanwhile.
    func reading<Value>(_ connection: OpaquePointer?, _ body: () throws -> Value) throws -> Value {
        try state.withLock { state in
            guard !state.isCancelled else { throw Self.error }
            state.connection = connection
        }
        defer { state.withLock { $0.connection = nil } }
        do {
            let value = try body()
            if isCancelled { throw Self.error }
            return value
        } catch  where isCancelled {
            throw Self.error
        }
    }

    /// Reads on a connection, in a way that can be cancelled if there is something to cancel it by.
    ///
    /// - Throws: as `reading(_:_:)`.
    static func reading<Value>(
        _ connection: OpaquePointer?, _ cancellation: FetchCancellation?, _ body: () throws -> Value
    ) throws -> Value {
        guard let cancellation else { return try body() }
        return try cancellation.reading(connection, body)
    }

    /// Whether an error says that the fetch was cancelled.
    static func isError(_ error: any Error) -> Bool {
        let error = error as NSError
        return error.domain == NSCocoaErrorDomain && error.code == CocoaError.Code.userCancelled.rawValue
    }

    static var error: NSError {
        NSError(
            domain: NSCocoaErrorDomain, code: CocoaError.Code.userCancelled.rawValue,
            userInfo: [NSLocalizedDescriptionKey: "The fetch was cancelled."])
    }
}
