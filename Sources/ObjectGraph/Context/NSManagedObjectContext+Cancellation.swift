import Foundation
import Synchronization

extension NSManagedObjectContext {
    /// Runs a block on the context's queue, unless the task is cancelled while it waits for its turn.
    ///
    /// `perform(schedule:_:)` runs its block in any case, as Apple's does: it throws nothing but what the block throws. Here
    /// a task that is cancelled before its block begins continues at once and the block does not run. A block that has begun
    /// runs to its end.
    ///
    /// - Throws: `CancellationError`, or what the block throws.
    nonisolated(nonsending) public func performUnlessCancelled<T>(
        _ block: @escaping () throws -> T
    ) async throws -> T {
        let transfer = Transfer(block)
        let turn = Turn<T>()
        let result = try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                guard turn.wait(continuation) else {
                    continuation.resume(throwing: CancellationError())
                    return
                }
                contextQueue.async {
                    guard let continuation = turn.take() else { return }
                    continuation.resume(
                        with: Result {
                            Transfer(try self.runEvent { () throws -> T in try transfer.value() })
                        })
                }
            }
        } onCancel: {
            turn.cancel()?.resume(throwing: CancellationError())
        }
        return result.value
    }
}

/// The wait of a task for its turn on a queue. The queue or the cancellation, whichever takes the continuation, resumes it.
private final class Turn<T>: Sendable {
    typealias Continuation = UnsafeContinuation<Transfer<T>, any Error>

    private enum State: Sendable {
        case new
        case waiting(Continuation)
        case over
    }

    private let state = Mutex(State.new)

    /// Begins to wait; false when the task was cancelled before.
    func wait(_ continuation: Continuation) -> Bool {
        state.withLock { state in
            guard case .new = state else { return false }
            state = .waiting(continuation)
            return true
        }
    }

    /// The continuation, for the first caller.
    func take() -> Continuation? {
        state.withLock { state in
            guard case .waiting(let continuation) = state else { return nil }
            state = .over
            return continuation
        }
    }

    func cancel() -> Continuation? {
        state.withLock { state in
            defer { state = .over }
            guard case .waiting(let continuation) = state else { return nil }
            return continuation
        }
    }
}
