import Dispatch
import Foundation

/// Processes the changes of code that its queue runs: a context.
protocol EventOwner: AnyObject {
    /// Runs a block as part of an event, which ends with the outermost block.
    func runEvent<T, E: Error>(_ block: () throws(E) -> T) throws(E) -> T
}

/// The queue that a context's objects are confined to, or that of a coordinator.
///
/// It knows which threads run its blocks, so that `performAndWait` can be called again from inside, also
/// through the `performAndWait` of another context or of the coordinator.
final class ContextQueue: @unchecked Sendable {
    let queue: DispatchQueue
    /// The context of the queue; set once, before the context is shared.
    weak var owner: (any EventOwner)?
    private let isMain: Bool

    /// - Parameter label: what debuggers show for a queue that is not the main one.
    init(main: Bool, label: String = "com.apple.CoreData.NSManagedObjectContext") {
        isMain = main
        queue = main ? .main : DispatchQueue(label: label)
    }

    /// Whether the calling thread runs on this queue.
    var isCurrent: Bool {
        (isMain && (MainQueue.isCurrent || CallChain.isOnMain)) || CallChain.contains(self)
    }

    /// Runs `block` on the queue and waits; at once when already there.
    func sync<T, E: Error>(_ block: () throws(E) -> T) throws(E) -> T {
        if isCurrent { return try block() }
        // The caller waits, so it cannot touch what crosses threads.
        nonisolated(unsafe) var result: Result<T, E>?
        // The queues that the caller runs on stay its own until this returns, whatever thread runs it; the main queue too,
        // which waits as well.
        let chain = CallChain.current.waiting(
            for: self, isOnMain: MainQueue.isCurrent || CallChain.isOnMain)
        withoutActuallyEscaping(block) { block in
            nonisolated(unsafe) let block = block
            queue.sync {
                chain.run {
                    do throws(E) { result = .success(try block()) } catch { result = .failure(error) }
                }
            }
        }
        guard let result else { fatalError("The queue of a context dropped a block.") }
        return try result.get()
    }

    /// Runs `block` on the queue later.
    func async(_ block: @escaping () -> Void) {
        nonisolated(unsafe) let block = block
        queue.async { CallChain(self).run(block) }
    }
}

/// Whether code runs on the main queue.
///
/// A program whose `main` is asynchronous leaves the main thread on Linux, and Dispatch then runs the main queue,
/// and with it the main actor, on threads of its own. So the queue identifies it, not the thread.
enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool { Thread.isMainThread || DispatchQueue.getSpecific(key: key) ?? false }
}
