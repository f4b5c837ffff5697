import Foundation

/// The result that `execute(_:)` returns at once for a request that runs in the background, such as `NSAsynchronousFetchRequest`.
///
/// Its values are set later, on the context's queue, before the request's completion block runs there. Keep it to watch `progress` or to
/// `cancel()`. After the completion block `operationError` says whether the request failed; a cancelled request has no error and an empty
/// result.
open class NSPersistentStoreAsynchronousResult: NSPersistentStoreResult {
    /// The context that executes the request.
    public let managedObjectContext: NSManagedObjectContext

    /// The error of the store; nil before the end, without an error, and after `cancel()`.
    public internal(set) var operationError: (any Error)?

    /// The progress of the request, in objects: a child of `Progress.current()` where that is set. Its total is the
    /// request's estimate until the number is known, and indeterminate without one. Cancelling it cancels the request.
    public let progress: Progress?

    let cancellation = FetchCancellation()

    init(_ context: NSManagedObjectContext, estimatedCount: Int) {
        managedObjectContext = context
        let progress = Progress(parent: Progress.current(), userInfo: nil)
        progress.totalUnitCount = estimatedCount > 0 ? Int64(estimatedCount) : -1
        progress.isCancellable = true
        self.progress = progress
        super.init()
        progress.cancellationHandler = { [cancellation] in cancellation.cancel() }
    }

    /// Stops the request: SQL that runs is interrupted. The completion block still runs, with an empty result and no error. May
    /// be called on any thread; it has no effect on a request that has ended.
    open func cancel() { cancellation.cancel() }
}
