import Dispatch

/// Runs an asynchronous function and waits for its end, in programs whose work is not asynchronous. A test awaits instead: its thread is
/// one of few.
package func waiting(for body: @escaping @Sendable () async throws -> Void) throws {
    let outcome = Outcome()
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
        do { try await body() } catch { outcome.error = error }
        isDone.signal()
    }
    isDone.wait()
    if let error = outcome.error { throw error }
}

/// What the function has thrown.
private final class Outcome: @unchecked Sendable {
    // Unchecked: it is read after the signal alone.
    var error: (any Error)?
}
