import Foundation

/// What a request that is executed asynchronously returns at once: its result comes later.
///
/// Its values are set on the context's queue, before the request's completion block runs there.
open class NSPersistentStoreAsynchronousResult: NSPersistentStoreResult {
    /// The context that executes the request.
    public let managedObjectContext: NSManagedObjectContext

    /// What went wrong: an error of the store; nil before the end, when all went well, and after `cancel()`.
    public internal(set) var operationError: (any Error)?

    /// How far the request has come, in objects: a child of `Progress.current()` where that is set. Its total is the
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

    /// Stops the request: SQL that runs is interrupted. The completion block still runs, and finds an empty result without an
    /// error.
    /// May be called on any thread; without effect on a request that has ended.
    open func cancel() { cancellation.cancel() }
}
