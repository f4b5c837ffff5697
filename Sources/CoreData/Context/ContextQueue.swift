import Dispatch
import Foundation

/// The queue that a context's objects are confined to.
///
/// It knows which threads run on behalf of it, so that `performAndWait` can be called again from inside, also
/// through another context's `performAndWait`.
final class ContextQueue: @unchecked Sendable {
    let queue: DispatchQueue
    private let isMain: Bool

    init(main: Bool) {
        isMain = main
        queue = main ? .main : DispatchQueue(label: "com.apple.CoreData.NSManagedObjectContext")
    }

    /// Whether the calling thread runs on this queue.
    var isCurrent: Bool { (isMain && Thread.isMainThread) || Frames.contains(self) }

    /// Runs `block` on the queue and waits; at once when already there.
    func sync<T, E: Error>(_ block: () throws(E) -> T) throws(E) -> T {
        if isCurrent { return try block() }
        // Nothing crosses threads that the caller could touch meanwhile: it waits.
        nonisolated(unsafe) var result: Result<T, E>?
        withoutActuallyEscaping(block) { block in
            nonisolated(unsafe) let block = block
            queue.sync {
                Frames.run(self) {
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
        queue.async { Frames.run(self, block) }
    }
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
        var queues: [ObjectIdentifier] = []
    }

    static func contains(_ queue: ContextQueue) -> Bool {
        guard let pointer = pthread_getspecific(key) else { return false }
        return Unmanaged<Stack>.fromOpaque(pointer).takeUnretainedValue().queues.contains(
            ObjectIdentifier(queue))
    }

    static func run(_ queue: ContextQueue, _ block: () -> Void) {
        let stack: Stack
        if let pointer = pthread_getspecific(key) {
            stack = Unmanaged<Stack>.fromOpaque(pointer).takeUnretainedValue()
        } else {
            stack = Stack()
            pthread_setspecific(key, Unmanaged.passRetained(stack).toOpaque())
        }
        stack.queues.append(ObjectIdentifier(queue))
        block()
        stack.queues.removeLast()
    }
}
