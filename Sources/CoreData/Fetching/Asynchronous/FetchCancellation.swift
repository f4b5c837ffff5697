import Foundation
import GRDB
import GRDBSQLite
import Synchronization

/// Stops the reading of a fetch that runs on another thread.
final class FetchCancellation: Sendable {
    private struct State: @unchecked Sendable {
        var isCancelled = false
        /// The connection that reads now.
        var connection: OpaquePointer?
    }

    private let state = Mutex(State())

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Interrupts what is read, and keeps the rest from being read.
    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            // Inside the lock: after it the connection may be somebody else's.
            if let connection = state.connection { sqlite3_interrupt(connection) }
        }
    }

    /// Reads on a connection, unless the fetch was cancelled.
    ///
    /// - Throws: `NSUserCancelledError` when it was, before or meanwhile.
    func reading<Value>(_ database: Database, _ body: (Database) throws -> Value) throws -> Value {
        try state.withLock { state in
            guard !state.isCancelled else { throw Self.error }
            state.connection = database.sqliteConnection
        }
        defer { state.withLock { $0.connection = nil } }
        do {
            return try body(database)
        } catch  where isCancelled {
            throw Self.error
        }
    }

    static var error: NSError {
        NSError(
            domain: NSCocoaErrorDomain, code: CocoaError.Code.userCancelled.rawValue,
            userInfo: [NSLocalizedDescriptionKey: "The fetch was cancelled."])
    }
}
