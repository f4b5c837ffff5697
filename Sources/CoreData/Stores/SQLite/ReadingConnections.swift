import Dispatch
import Foundation
import GRDB

/// The connections that read a file with a write-ahead log, beside each other and beside the one that writes.
final class ReadingConnections: @unchecked Sendable {
    private struct State {
        var idle: [ReadingConnection] = []
        var isClosed = false
    }

    /// Many threads wait for it at once. ThreadSanitizer does not see that one that has waited for a `Mutex` comes after the one
    /// that had it; of this lock it does.
    private let lock = NSLock()
    private var state = State()
    private let limit: Int
    /// As many as may read at once and do not yet.
    private let permits: DispatchSemaphore
    private let connect: @Sendable () throws -> DatabaseQueue

    /// - Parameters:
    ///   - limit: how many threads read at once; others wait.
    ///   - connect: opens the file to be read only.
    init(limit: Int, connect: @escaping @Sendable () throws -> DatabaseQueue) {
        self.limit = limit
        self.connect = connect
        permits = DispatchSemaphore(value: limit)
    }

    /// Has a block use a connection that nobody else uses meanwhile. Blocks are not nested.
    ///
    /// - Throws: `SQLITE_MISUSE` after `close()`; an error of opening one more connection; what `body` throws.
    func withConnection<Value>(_ body: (ReadingConnection) throws -> Value) throws -> Value {
        permits.wait()
        defer { permits.signal() }
        let connection = try take()
        defer { lock.withLock { state.idle.append(connection) } }
        return try body(connection)
    }

    private func take() throws -> ReadingConnection {
        let idle = try lock.withLock {
            guard !state.isClosed else {
                throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "The file is closed.")
            }
            return state.idle.popLast()
        }
        return try idle ?? ReadingConnection(connect())
    }

    /// Closes all, as soon as those who read have what they came for.
    ///
    /// - Throws: the first error of closing one; the others are closed nevertheless.
    func close() throws {
        for _ in 0..<limit { permits.wait() }
        defer { for _ in 0..<limit { permits.signal() } }
        let idle = lock.withLock {
            defer { state = State(idle: [], isClosed: true) }
            return state.idle
        }
        var failure: (any Error)?
        for connection in idle {
            do { try connection.close() } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }
}
