import Foundation

/// Makes users of a file wait while it is replaced.
final class ReplacementPause: @unchecked Sendable {
    private let condition = NSCondition()
    private var isPaused = false

    func begin() {
        condition.lock()
        isPaused = true
        condition.unlock()
    }

    func end() {
        condition.lock()
        isPaused = false
        condition.broadcast()
        condition.unlock()
    }

    /// Returns when no replacement is going on.
    func wait() {
        condition.lock()
        while isPaused { condition.wait() }
        condition.unlock()
    }
}
