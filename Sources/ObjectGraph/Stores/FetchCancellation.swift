import Dispatch
import Foundation
import Synchronization

/// Stops the reading of a fetch that runs on another thread.
package final class FetchCancellation: Sendable {
    private struct State: @unchecked Sendable {
        var isCancelled = false
        /// Interrupts the current reader.
        var interrupt: (() -> Void)?
    }

    private let state = Mutex(State())

    package init() {}

    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// - Throws: `NSUserCancelledError` when the fetch was cancelled.
    package func check() throws {
        if isCancelled { throw Self.error }
    }

    /// Interrupts the current read, and prevents later ones.
    ///
    /// - Returns: whether it was not cancelled before.
    @discardableResult package func cancel() -> Bool {
        let isFirst = state.withLock { state in
            defer { state.isCancelled = true }
            return !state.isCancelled
        }
        interrupt()
        return isFirst
    }

    /// Interrupts until the read has ended: a database may forget an interruption that meets no running statement.
    private func interrupt() {
        let isReading = state.withLock { state in
            // Inside the lock: after it the connection may have another user.
            state.interrupt?()
            return state.interrupt != nil
        }
        guard isReading else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) { self.interrupt() }
    }

    /// Reads, unless the fetch was cancelled.
    ///
    /// - Parameter interrupt: interrupts the reader.
    /// - Throws: `NSUserCancelledError` when the fetch was cancelled, before or meanwhile.
    package func reading<Value>(interruptedBy interrupt: @escaping () -> Void, _ body: () throws -> Value)
        throws
        -> Value
    {
        nonisolated(unsafe) let interrupt = interrupt
        try state.withLock { state in
            guard !state.isCancelled else { throw Self.error }
            state.interrupt = interrupt
        }
        defer { state.withLock { $0.interrupt = nil } }
        do {
            let value = try body()
            if isCancelled { throw Self.error }
            return value
        } catch  where isCancelled {
            throw Self.error
        }
    }

    /// Whether an error is that of a cancelled fetch.
    package static func isError(_ error: any Error) -> Bool {
        let error = error as NSError
        return error.domain == NSCocoaErrorDomain && error.code == CocoaError.Code.userCancelled.rawValue
    }

    static var error: NSError {
        NSError(
            domain: NSCocoaErrorDomain, code: CocoaError.Code.userCancelled.rawValue,
            userInfo: [NSLocalizedDescriptionKey: "The fetch was cancelled."])
    }
}
