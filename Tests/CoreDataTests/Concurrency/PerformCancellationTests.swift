import CoreData
import Foundation
import Testing

/// Cancelled tasks that wait for the queue of a context.
@Suite struct PerformCancellationTests {
    let stack: TestStack
    let context: NSManagedObjectContext

    init() throws {
        stack = try TestStack()
        context = stack.context()
    }

    /// Keeps a queue busy until it is released.
    private final class Obstacle: Sendable {
        private let begun = DispatchSemaphore(value: 0)
        private let over = DispatchSemaphore(value: 0)

        init(_ context: NSManagedObjectContext) {
            let (begun, over) = (begun, over)
            context.perform {
                begun.signal()
                over.wait()
            }
            begun.wait()
        }

        func remove() { over.signal() }
    }

    @Test("A task cancelled while it waits for the queue throws at once and runs nothing")
    func cancelledWhileWaiting() async throws {
        let obstacle = Obstacle(context)
        let log = QueueTests.Log<String>()
        let task = Task { try await context.performUnlessCancelled { log.add("ran") } }
        task.cancel()
        // The queue is still busy: only the cancellation can end the wait.
        await #expect(throws: CancellationError.self) { try await task.value }
        obstacle.remove()
        await context.perform(schedule: .enqueued) {}
        #expect(log.all == [])
    }

    @Test("perform runs its block although its task is cancelled")
    func performIgnoresCancellation() async throws {
        let obstacle = Obstacle(context)
        let task = Task { await context.perform { 7 } }
        task.cancel()
        obstacle.remove()
        #expect(await task.value == 7)
    }

    @Test("performUnlessCancelled returns the block's result and rethrows its error")
    func uncancelledTask() async throws {
        let count = try await context.performUnlessCancelled {
            Author(context: context).name = "Ada"
            return context.insertedObjects.count
        }
        #expect(count == 1)
        await #expect(throws: QueueTests.Refused(reason: 2)) {
            try await context.performUnlessCancelled { throw QueueTests.Refused(reason: 2) }
        }
    }

    @Test("A task that was cancelled before runs nothing")
    func cancelledBefore() async throws {
        let task = Task.detached {
            // Cancelled by now.
            while !Task.isCancelled { await Task.yield() }
            return try await context.performUnlessCancelled { 1 }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
