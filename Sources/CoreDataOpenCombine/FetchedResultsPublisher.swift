import CoreData
import OpenCombine

extension NSFetchedResultsController {
    /// The results: those that there are, and those after each change.
    ///
    /// ```swift
    /// try controller.performFetch()
    /// let count = controller.snapshots.map(\.numberOfItems).sink { print($0, "books") }
    /// ```
    ///
    /// Subscribe on the context's queue, where values come too. `performFetch()` called again hands on nothing. When the
    /// results could not follow a change (`followingError`), the next one that concerns them brings what was missed.
    public var snapshots: FetchedResultsPublisher<ResultType> { FetchedResultsPublisher(controller: self) }
}

/// Publishes the results of a controller as snapshots: the present ones, and those after each change.
///
/// `NSFetchedResultsController.snapshots` makes it. Call `performFetch()` before you subscribe, on the queue of the controller's context,
/// where values come too. A subscription retains the controller. While the subscriber asks for nothing, only the newest snapshot is kept.
/// It never completes; see `followingError` for a change that the results could not follow.
public struct FetchedResultsPublisher<ResultType>: Publisher {
    /// What is published.
    public typealias Output = FetchedResultsSnapshot
    /// It does not fail.
    public typealias Failure = Never

    /// The controller.
    public let controller: NSFetchedResultsController<ResultType>

    /// Begins to follow the results, with those that there are.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == FetchedResultsSnapshot, Downstream.Failure == Never {
        let subscription = DemandedSubscription(subscriber, keepsLatest: true)
        subscriber.receive(subscription: subscription)
        if let snapshot = controller.snapshot { subscription.offer(snapshot) }
        let controller = controller
        let following = controller.follow { [weak subscription] in subscription?.offer($0.snapshot) }
        subscription.onEnd {
            following.end()
            _ = controller
        }
    }
}
