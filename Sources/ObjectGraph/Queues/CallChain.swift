import Foundation

/// The waiters for the code that runs on this thread: queues, whose blocks it runs or is called from, and threads.
///
/// A thread that waits for a queue which waits for the thread deadlocks. So code that is about to wait checks here whether it
/// is called from inside of what it would wait for.
package struct CallChain {
    /// The queues, innermost last.
    private var queues: [ObjectIdentifier] = []
    /// The other threads that wait until this one has run a block for them.
    private var threads: [UInt] = []
    /// Whether the main queue waits for what the thread is running.
    private(set) var isOnMain = false

    /// A chain that begins with a block of a queue: no thread waits for it.
    init(_ queue: AnyObject) { queues = [ObjectIdentifier(queue)] }

    private init() {}

    /// The chain of a block that another queue runs while the calling thread waits for it.
    func waiting(for queue: AnyObject, isOnMain: Bool) -> CallChain {
        var longer = self
        longer.queues.append(ObjectIdentifier(queue))
        longer.threads.append(Self.thread)
        longer.isOnMain = isOnMain
        return longer
    }

    private final class Stack {
        var chain = CallChain()
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { pointer in
            if let pointer { Unmanaged<Stack>.fromOpaque(pointer).release() }
        }
        return key
    }()

    private static var stack: Stack? {
        pthread_getspecific(key).map { Unmanaged<Stack>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The chain of the code that runs on this thread.
    static var current: CallChain { stack?.chain ?? CallChain() }

    /// Whether the main queue waits for what this thread is running.
    static var isOnMain: Bool { stack?.chain.isOnMain ?? false }

    /// Whether this thread runs a block of a queue, or is called from one.
    static func contains(_ queue: AnyObject) -> Bool {
        stack?.chain.queues.contains(ObjectIdentifier(queue)) ?? false
    }

    /// The number of the calling thread.
    package static var thread: UInt {
        #if canImport(Darwin)
        UInt(bitPattern: pthread_self())
        #else
        UInt(pthread_self())
        #endif
    }

    /// Whether one of some threads is the calling one, or waits for it.
    package static func includes(anyOf threads: [UInt]) -> Bool {
        guard !threads.isEmpty else { return false }
        let own = thread
        return threads.contains { $0 == own || (stack?.chain.threads.contains($0) ?? false) }
    }

    /// Runs a block in this chain.
    func run(_ block: () -> Void) {
        let stack: Stack
        if let made = Self.stack {
            stack = made
        } else {
            stack = Stack()
            pthread_setspecific(Self.key, Unmanaged.passRetained(stack).toOpaque())
        }
        let outer = stack.chain
        stack.chain = self
        block()
        stack.chain = outer
    }
}

/// Refuses nested calls that would have to wait for the end of an outer call.
package final class NestingGuard: @unchecked Sendable {
    private let lock = NSLock()
    /// The threads that are inside.
    private var threads: [UInt] = []

    package init() {}

    /// Whether the caller is called from inside.
    package var isEntered: Bool { CallChain.includes(anyOf: lock.withLock { threads }) }

    /// Runs a block that other threads wait for.
    ///
    /// - Throws: `refusal` when the caller is inside already; what the block throws.
    package func enter<Value>(orThrow refusal: @autoclosure () -> any Error, _ body: () throws -> Value)
        throws
        -> Value
    {
        let thread = CallChain.thread
        let isNested = lock.withLock {
            if CallChain.includes(anyOf: threads) { return true }
            threads.append(thread)
            return false
        }
        if isNested { throw refusal() }
        defer {
            lock.withLock {
                if let index = threads.lastIndex(of: thread) { threads.remove(at: index) }
            }
        }
        return try body()
    }
}
