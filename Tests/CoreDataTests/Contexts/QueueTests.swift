import CoreData
import Dispatch
import Foundation
import Synchronization
import Testing

/// Blocks on the queues of contexts.
@Suite struct QueueTests {
    let stack: TestStack
    let context: NSManagedObjectContext

    init() throws {
        stack = try TestStack()
        context = stack.context()
    }

    /// A list that blocks on several threads write to.
    final class Log<Element: Sendable>: Sendable {
        private let elements = Mutex<[Element]>([])
        func add(_ element: Element) { elements.withLock { $0.append(element) } }
        var all: [Element] { elements.withLock { $0 } }
    }

    struct Refused: Error, Equatable {
        let reason: Int
    }

    @Test("Blocks on one queue run in the order they were added")
    func blocksRunInTheirOrder() throws {
        let log = Log<Int>()
        for number in 0..<100 { context.perform { log.add(number) } }
        context.performAndWait { log.add(100) }
        #expect(log.all == Array(0...100))
    }

    @Test("perform(_:) returns before its block runs")
    func performDoesNotWait() throws {
        let log = Log<String>()
        context.performAndWait {
            context.perform { log.add("inner") }
            log.add("outer")
        }
        context.performAndWait { log.add("last") }
        #expect(log.all == ["outer", "inner", "last"])
    }

    @Test("performAndWait nests in itself")
    func performAndWaitNests() throws {
        let depth = context.performAndWait {
            context.performAndWait { 1 + context.performAndWait { 2 } }
        }
        #expect(depth == 3)
    }

    @Test("performAndWait nests through another context without a deadlock")
    func performAndWaitNestsThroughAnotherContext() throws {
        let (a, b) = (stack.context(), stack.context())
        let result = a.performAndWait {
            b.performAndWait { a.performAndWait { b.performAndWait { "done" } } }
        }
        #expect(result == "done")
    }

    @Test("performAndWait nests through the main queue without a deadlock")
    func performAndWaitNestsThroughTheMainQueue() async throws {
        let main = NSManagedObjectContext(.mainQueue)
        main.persistentStoreCoordinator = stack.coordinator
        let background = stack.context()
        let result = await withCheckedContinuation { continuation in
            background.perform {
                let result = main.performAndWait { background.performAndWait { main.performAndWait { 7 } } }
                continuation.resume(returning: result)
            }
        }
        #expect(result == 7)
    }

    @Test("performAndWait returns the block's value and rethrows its error")
    func performAndWaitReturnsAndThrows() throws {
        #expect(context.performAndWait { "text" } == "text")
        #expect(throws: Refused(reason: 3)) { try context.performAndWait { throw Refused(reason: 3) } }
        // The context is as usable as before.
        #expect(context.performAndWait { context.hasChanges } == false)
    }

    @Test("performAndWait keeps the type of typed errors")
    func typedErrorsKeepTheirType() throws {
        func refuse() throws(Refused) -> Int { throw Refused(reason: 1) }
        do throws(Refused) {
            _ = try context.performAndWait { () throws(Refused) -> Int in try refuse() }
            Issue.record("no error")
        } catch {
            #expect(error.reason == 1)
        }
    }

    @Test("Asynchronous perform returns the block's value and rethrows its error")
    func asynchronousBlocksReturnAndThrow() async throws {
        let number = await context.perform { 42 }
        #expect(number == 42)
        let count = try await context.perform {
            Author(context: context).name = "A"
            try context.save()
            return try context.count(for: NSFetchRequest<Author>(entityName: "Author"))
        }
        #expect(count == 1)
        await #expect(throws: Refused(reason: 5)) { try await context.perform { throw Refused(reason: 5) } }
        let typed = try await context.perform(schedule: .enqueued) { () throws(Refused) -> String in "typed" }
        #expect(typed == "typed")
    }

    @Test("Immediate and enqueued blocks run after blocks that were queued before")
    func scheduledBlocks() async throws {
        let log = Log<String>()
        await withCheckedContinuation { continuation in
            context.perform {
                context.perform { log.add("queued before") }
                continuation.resume()
            }
        }
        // Not on the queue: both kinds wait for what is queued.
        await context.perform(schedule: .immediate) { log.add("immediate") }
        await context.perform(schedule: .enqueued) { log.add("enqueued") }
        #expect(log.all == ["queued before", "immediate", "enqueued"])
    }

    @Test("Eight contexts save at once without losing objects")
    func manyContextsWorkAtOnce() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    let context = stack.context()
                    for round in 0..<5 {
                        try await context.perform {
                            Author(context: context).name = "\(worker)-\(round)"
                            try context.save()
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let names = try stack.inContext { context in
            try context.fetch(NSFetchRequest<Author>(entityName: "Author")).compactMap(\.name)
        }
        #expect(Set(names).count == 40 && names.count == 40)
    }

    // MARK: The main queue

    @Test("Code on the main actor may use a main-queue context without a block")
    @MainActor func mainActorCode() async throws {
        let context = NSManagedObjectContext(.mainQueue)
        context.persistentStoreCoordinator = stack.coordinator
        Author(context: context).name = "before"
        // A suspension may bring the main actor to another thread.
        let background = stack.context()
        await background.perform {}
        Author(context: context).name = "after"
        try context.save()
        #expect(try context.count(for: NSFetchRequest<Author>(entityName: "Author")) == 2)
    }

    @Test("perform reaches a main-queue context from any thread")
    func mainQueueContextsFromAnywhere() async throws {
        let context = NSManagedObjectContext(.mainQueue)
        context.persistentStoreCoordinator = stack.coordinator
        let name = await context.perform {
            let author = Author(context: context)
            author.name = "here"
            return author.name
        }
        #expect(name == "here")
        let count = await context.perform { context.insertedObjects.count }
        #expect(count == 1)
    }

    @Test("Changes on the main queue are posted together at the end of the event")
    @MainActor func mainQueueEventEndsWithoutABlock() async throws {
        let context = NSManagedObjectContext(.mainQueue)
        context.persistentStoreCoordinator = stack.coordinator
        let notification = await NotificationLog.next(
            NSManagedObjectContext.didChangeObjectsNotification, from: context
        ) {
            _ = Author(context: context)
            _ = Author(context: context)
        }
        let count = (notification.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>)?.count
        #expect(count == 2)
    }

    // MARK: Violations

    #if DEBUG
    @Test("Setting a value outside of the queue stops a debug build")
    func useOutsideOfTheQueueStops() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = try TestStack().context()
            let author = context.performAndWait { Author(context: context) }
            author.name = "wrong"
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("CoreData concurrency violation"))
        #expect(text.contains("perform(_:)"))
    }

    @Test("Reading an object outside of the queue stops a debug build")
    func readingOutsideOfTheQueueStops() async {
        await #expect(processExitsWith: .failure) {
            let context = try TestStack().context()
            let author = try context.performAndWait {
                let author = Author(context: context)
                author.name = "a"
                try context.save()
                return author
            }
            _ = author.name
        }
    }

    @Test("Reading a loaded value outside of the queue stops a debug build")
    func readingALoadedValueOutsideOfTheQueueStops() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = try TestStack().context()
            let author = context.performAndWait {
                let author = Author(context: context)
                author.name = "a"
                #expect(author.name == "a")
                return author
            }
            withExtendedLifetime(context) { _ = author.name }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("CoreData concurrency violation"))
    }

    @Test("Fetching outside of the queue stops a debug build")
    func fetchingOutsideOfTheQueueStops() async {
        await #expect(processExitsWith: .failure) {
            let context = try TestStack().context()
            _ = try context.fetch(NSFetchRequest<Author>(entityName: "Author"))
        }
    }

    @Test("Using a main-queue context on another thread stops a debug build")
    func mainQueueContextOnAnotherThreadStops() async {
        await #expect(processExitsWith: .failure) {
            let context = NSManagedObjectContext(.mainQueue)
            context.persistentStoreCoordinator = try TestStack().coordinator
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    _ = context.hasChanges
                    continuation.resume()
                }
            }
        }
    }
    #endif
}
