import ObjectGraph
import Foundation

/// How a connection waits for a lock that another one has.
enum LockWait {
    /// A shorter time than the connection's own, in seconds.
    @TaskLocal static var limit: Double?

    /// As SQLite's own waiting has them, in milliseconds.
    private static let pauses = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100]
    /// After how many tries the log says that something waits: some five seconds.
    private static let triesToReport = 58

    /// Waits once more.
    ///
    /// - Parameters:
    ///   - tries: how often it waited for this lock.
    ///   - timeout: how long it waits in all, in seconds.
    /// - Returns: false when the time is over, or the task of this thread is cancelled.
    static func shouldRetry(after tries: Int, timeout: Double, for path: String) -> Bool {
        let waited =
            tries < pauses.count
            ? pauses[..<tries].reduce(0, +)
            : pauses.reduce(0, +) + (tries - pauses.count) * (pauses.last ?? 100)
        let left = Int(min(limit ?? timeout, timeout) * 1000) - waited
        guard left > 0 else { return false }
        // `save()` in an actor of a context, or in `performUnlessCancelled`, is part of a task.
        if withUnsafeCurrentTask(body: { $0?.isCancelled ?? false }) { return false }
        if tries == triesToReport {
            Log.store.warning(
                "The store at \(path) is locked by another connection; waiting up to \(timeout) s.")
        }
        usleep(UInt32(min(left, tries < pauses.count ? pauses[tries] : pauses.last ?? 100)) * 1000)
        return true
    }
}
