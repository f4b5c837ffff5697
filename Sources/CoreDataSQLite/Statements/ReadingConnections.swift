import ObjectGraph
import Dispatch
import Foundation
import GRDB

/// The connections that read a file with a write-ahead log, in parallel with each other and with the one that writes.
final class ReadingConnections: @unchecked Sendable {
    private struct State {
        var idle: [ReadingConnection] = []
        var isClosed = false
        /// The threads that read, once for each connection that they use.
        var users: [UInt] = []
    }

    /// Many threads wait for it at once. ThreadSanitizer does not see that one that has waited for a `Mutex` comes after the one
    /// that had it; of this lock it does.
    private let lock = NSLock()
    /// Read and written with the lock.
    @exclusivity(unchecked) private var state = State()
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

    /// Has a block use a connection that no other block uses meanwhile.
    ///
    /// A block that is called from inside of another one, by an observer of a fetch perhaps, gets a connection beyond the
    /// limit when there is none left: the other block would not end before it.
    ///
    /// - Throws: `SQLITE_MISUSE` after `close()`; an error of opening one more connection; what `body` throws.
    func withConnection<Value>(_ body: (ReadingConnection) throws -> Value) throws -> Value {
        // The beginning of all times is over, and takes no look at the clock.
        var hasPermit = permits.wait(timeout: DispatchTime(uptimeNanoseconds: 0)) == .success
        if !hasPermit, !isUsedByCaller {
            permits.wait()
            hasPermit = true
        }
        defer { if hasPermit { permits.signal() } }
        let thread = CallChain.thread
        let idle = try begin(thread)
        var connection: ReadingConnection?
        defer { end(thread, connection) }
        let used = try idle ?? ReadingConnection(connect())
        connection = used
        return try body(used)
    }

    /// Whether the caller is called from inside of a block that uses a connection.
    var isUsedByCaller: Bool { CallChain.includes(anyOf: lock.withLock { state.users }) }

    private func begin(_ thread: UInt) throws -> ReadingConnection? {
        try lock.withLock {
            guard !state.isClosed else {
                throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "The file is closed.")
            }
            state.users.append(thread)
            return state.idle.popLast()
        }
    }

    private func end(_ thread: UInt, _ connection: ReadingConnection?) {
        let excess: ReadingConnection? = lock.withLock {
            if let index = state.users.lastIndex(of: thread) { state.users.remove(at: index) }
            guard let connection, state.idle.count >= limit else {
                if let connection { state.idle.append(connection) }
                return nil
            }
            return connection
        }
        do {
            try excess?.close()
        } catch {
            Log.store.error("Could not close a connection that read: \(error.localizedDescription)")
        }
    }

    /// Closes all, as soon as current reads are complete.
    ///
    /// - Throws: the first error of closing one; the others are closed nevertheless.
    func close() throws {
        for _ in 0..<limit { permits.wait() }
        defer { for _ in 0..<limit { permits.signal() } }
        let idle = lock.withLock {
            defer {
                state.idle = []
                state.isClosed = true
            }
            return state.idle
        }
        var failure: (any Error)?
        for connection in idle {
            do { try connection.close() } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }
}
