import CocoaFoundation
import Foundation

extension NSManagedObjectContext: EventOwner {
    /// Runs a block on the context's queue, later. The event's changes are processed after it.
    public func perform(_ block: @escaping () -> Void) {
        contextQueue.async { self.runEvent(block) }
    }

    /// Runs a block on the context's queue and waits for it. May be called from inside such a block.
    public func performAndWait(_ block: () -> Void) {
        contextQueue.sync { runEvent(block) }
    }

    /// Runs a block on the context's queue, waits for it and returns its result.
    ///
    /// - Throws: what the block throws.
    public func performAndWait<T, E: Error>(_ block: () throws(E) -> T) throws(E) -> T {
        try contextQueue.sync { () throws(E) -> T in try runEvent(block) }
    }

    /// Runs a block on the context's queue without blocking the caller's thread.
    ///
    /// The block runs, and the call waits for it, also when the task is cancelled: the call throws only what the block
    /// throws, as Apple's does. See `performUnlessCancelled(_:)`.
    ///
    /// - Parameters:
    ///   - schedule: `.immediate` runs the block at once when the caller is on the queue already; `.enqueued` always
    ///     queues it.
    ///   - block: what to run.
    /// - Throws: what the block throws.
    nonisolated(nonsending) public func perform<T, E: Error>(
        schedule: ScheduledTaskType = .immediate, _ block: @escaping () throws(E) -> T
    ) async throws(E) -> T {
        let transfer = Transfer(block)
        let result = await withUnsafeContinuation {
            (continuation: UnsafeContinuation<Transfer<Result<T, E>>, Never>) in
            let work = {
                let result: Result<T, E>
                do throws(E) {
                    result = .success(try self.runEvent(transfer.value))
                } catch {
                    result = .failure(error)
                }
                continuation.resume(returning: Transfer(result))
            }
            if schedule == .immediate, contextQueue.isCurrent {
                work()
            } else {
                contextQueue.async(work)
            }
        }
        return try result.value.get()
    }

    /// Runs a block as part of an event, which ends with the outermost block.
    func runEvent<T, E: Error>(_ block: () throws(E) -> T) throws(E) -> T {
        adoptPermanentIDs()
        tracker.beginBlock()
        defer {
            if tracker.endBlock() { endEvent() }
        }
        return try CurrentContext.run(self, block)
    }

    /// Processes what the event changed and closes its undo group.
    func endEvent() {
        processPendingChanges()
        // Observers of the event may have found that objects are gone: only this code ends that event.
        while session.phase != .processing, !tracker.eventDeleted.isEmpty { processPendingChanges() }
        undoManager?.endEventGroup()
    }

    /// Schedules the end of an event outside of any block on the main queue.
    func scheduleEventEnd() {
        guard tracker.needsEventEnd, concurrencyType == .mainQueueConcurrencyType else { return }
        tracker.noteEventEnd(isScheduled: true)
        contextQueue.async { [weak self] in
            guard let self else { return }
            tracker.noteEventEnd(isScheduled: false)
            endEvent()
        }
    }

    /// Stops a program on the wrong queue if `ConcurrencyDebugging` is on.
    @inline(__always)
    func assertOnQueue() {
        if checksQueue { checkQueue() }
    }

    @inline(never)
    private func checkQueue() {
        require(
            contextQueue.isCurrent,
            """
            CoreData concurrency violation: the context \(name ?? "") is used outside of its queue. Use perform(_:) or \
            performAndWait(_:). (The check is turned off by the argument -com.apple.CoreData.ConcurrencyDebug 0, or by \
            \(ConcurrencyDebugging.variable)=0 in the environment.)
            """)
    }
}

/// Whether contexts check that they are used on their queues: in debug builds, unless the program's arguments or its
/// environment say otherwise. The argument is Apple's; the variable is for test runners, which take no arguments for the tests.
enum ConcurrencyDebugging {
    static let argument = "-com.apple.CoreData.ConcurrencyDebug"
    static let variable = "OPENCOREDATA_CONCURRENCY_DEBUG"

    static let isOn: Bool =
        setting(arguments: CommandLine.arguments, environment: ProcessInfo.processInfo.environment)
        ?? isOnByDefault

    private static var isOnByDefault: Bool {
        #if DEBUG
        return true
        #else
        return false
        #endif
    }

    /// The setting in a program's arguments, or else its environment: 0 is off, any other value on; nil without a setting.
    static func setting(arguments: [String], environment: [String: String]) -> Bool? {
        if let index = arguments.firstIndex(of: argument), index + 1 < arguments.count {
            return arguments[index + 1] != "0"
        }
        return environment[variable].map { $0 != "0" }
    }
}
