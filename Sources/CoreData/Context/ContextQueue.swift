import Dispatch
import Foundation

/// The queue that a context's objects are confined to.
///
/// It knows which threads run on behalf of it, so that `performAndWait` can be called again from inside, also
/// through another context's `performAndWait`.
final class ContextQueue: @unchecked Sendable {
    let queue: DispatchQueue
    /// Whose queue it is; set once, before anybody else has the context.
    weak var context: NSManagedObjectContext?
    private let isMain: Bool

    init(main: Bool) {
        isMain = main
        queue = main ? .main : DispatchQueue(label: "com.apple.CoreData.NSManagedObjectContext")
    }

    /// Whether the calling thread runs on this queue.
    var isCurrent: Bool { (isMain && (MainQueue.isCurrent || Frames.isOnMain)) || Frames.contains(self) }

    /// Runs `block` on the queue and waits; at once when already there.
    func sync<T, E: Error>(_ block: () throws(E) -> T) throws(E) -> T {
        if isCurrent { return try block() }
        // Nothing crosses threads that the caller could touch meanwhile: it waits.
        nonisolated(unsafe) var result: Result<T, E>?
        let waiting = Frames.current
        let isOnMain = MainQueue.isCurrent || Frames.isOnMain
        withoutActuallyEscaping(block) { block in
            nonisolated(unsafe) let block = block
            queue.sync {
                // The queues that the caller runs on stay its own until this returns, whatever thread runs it; the main
                // queue too, which waits as well.
                Frames.run(on: waiting + [self], isOnMain: isOnMain) {
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
        queue.async { Frames.run(on: [self], isOnMain: false, block) }
    }
}

/// Whether code runs on the main queue.
///
/// A program whose `main` is asynchronous gives up the main thread on Linux, and Dispatch then runs the main queue,
/// and with it the main actor, on threads of its own. So the thread does not say it; the queue does.
private enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool { Thread.isMainThread || DispatchQueue.getSpecific(key: key) ?? false }
}

/// The context queues that a thread is running blocks of, innermost last.
private enum Frames {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { pointer in
            if let pointer { Unmanaged<Stack>.fromOpaque(pointer).release() }
        }
        return key
    }()

    private final class Stack {
        var queues: [ContextQueue] = []
        var isOnMain = false
    }

    private static var stack: Stack? {
        pthread_getspecific(key).map { Unmanaged<Stack>.fromOpaque($0).takeUnretainedValue() }
    }

    static var current: [ContextQueue] { stack?.queues ?? [] }

    /// Whether the main queue waits for what the thread is running.
    static var isOnMain: Bool { stack?.isOnMain ?? false }

    static func contains(_ queue: ContextQueue) -> Bool {
        stack?.queues.contains { $0 === queue } ?? false
    }

    static func run(on queues: [ContextQueue], isOnMain: Bool, _ block: () -> Void) {
        let stack: Stack
        if let made = Self.stack {
            stack = made
        } else {
            stack = Stack()
            pthread_setspecific(key, Unmanaged.passRetained(stack).toOpaque())
        }
        let outer = (stack.queues, stack.isOnMain)
        (stack.queues, stack.isOnMain) = (queues, isOnMain)
        block()
        (stack.queues, stack.isOnMain) = outer
    }
}
