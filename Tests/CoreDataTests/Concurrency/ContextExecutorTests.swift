import CoreData
import Foundation
import Testing

/// Actors and tasks on the queue of a context.
@Suite struct ContextExecutorTests {
    let stack: TestStack

    init() throws { stack = try TestStack() }

    /// An actor that owns a context.
    actor Shelves {
        nonisolated let context: NSManagedObjectContext
        nonisolated var unownedExecutor: UnownedSerialExecutor { context.unownedExecutor }

        init(_ context: NSManagedObjectContext) { self.context = context }

        func add(_ name: String) throws -> NSManagedObjectID {
            let author = Author(context: context)
            author.name = name
            try context.save()
            return author.objectID
        }

        func insertWithoutSaving(_ name: String) { Author(context: context).name = name }

        func names() throws -> [String] {
            let request = NSFetchRequest<Author>(entityName: "Author")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            return try context.fetch(request).compactMap(\.name)
        }

        func name(of id: NSManagedObjectID) throws -> String? {
            (try context.existingObject(with: id) as? Author)?.name
        }

        func nest() -> Int { context.performAndWait { 1 + context.performAndWait { 2 } } }

        /// From one context into another one and back.
        func nest(through other: NSManagedObjectContext) -> String {
            other.performAndWait { context.performAndWait { other.performAndWait { "back" } } }
        }

        func performInside() async -> [String] {
            await context.perform { Author(context: self.context).name = "immediate" }
            await context.perform(schedule: .enqueued) {
                Author(context: self.context).name = "enqueued"
            }
            return context.insertedObjects.compactMap { ($0 as? Author)?.name }.sorted()
        }

        func askAnother(_ other: Shelves, _ id: NSManagedObjectID) async throws -> String? {
            let name = try await other.name(of: id)
            // Back on this actor's queue after the suspension.
            return context.registeredObjects.isEmpty ? name : nil
        }

        func wasCancelledInside() async -> Bool {
            while !Task.isCancelled { await Task.yield() }
            return context.hasChanges || Task.isCancelled
        }

        func count() -> Int { context.insertedObjects.count }
    }

    @Test("An actor on a context's executor uses the context without perform")
    func actorUsesItsContext() async throws {
        let shelves = Shelves(stack.context())
        let id = try await shelves.add("Ada")
        _ = try await shelves.add("Grace")
        #expect(try await shelves.names() == ["Ada", "Grace"])
        #expect(try await shelves.name(of: id) == "Ada")
        #expect(!id.isTemporaryID)
    }

    @Test("The actor's code between two suspensions is one event")
    func eventBetweenSuspensions() async throws {
        let context = stack.context()
        let shelves = Shelves(context)
        context.performAndWait { context.undoManager = UndoManager() }
        let log = NotificationLog(NSManagedObjectContext.didChangeObjectsNotification, from: context)
        await shelves.insertWithoutSaving("one")
        // The event ends on the queue, after the actor's code.
        context.performAndWait {}
        #expect(log.all.map { ($0.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>)?.count } == [1])
        await shelves.insertWithoutSaving("two")
        // One undo takes back the last event only.
        context.performAndWait { context.undo() }
        #expect(await shelves.count() == 1)
    }

    @Test("performAndWait inside of an actor does not deadlock")
    func performAndWaitInAnActor() async throws {
        let shelves = Shelves(stack.context())
        #expect(await shelves.nest() == 3)
        #expect(await shelves.nest(through: stack.context()) == "back")
        #expect(await shelves.performInside() == ["enqueued", "immediate"])
    }

    @Test("Blocks and an actor share one queue")
    func blocksAndActorShareAQueue() async throws {
        let context = stack.context()
        let shelves = Shelves(context)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask { await shelves.insertWithoutSaving("actor \(number)") }
                group.addTask { await context.perform { Author(context: context).name = "block \(number)" } }
            }
        }
        #expect(await shelves.count() == 40)
        // In a block of the context, the code may say that it is the actor's.
        let count = context.performAndWait { shelves.assumeIsolated { $0.context.insertedObjects.count } }
        #expect(count == 40)
    }

    @Test("Actors on different contexts can call each other")
    func actorsCallEachOther() async throws {
        let (one, other) = (Shelves(stack.context()), Shelves(stack.context()))
        let id = try await one.add("Ada")
        #expect(try await other.askAnother(one, id) == "Ada")
    }

    @Test("An actor may use a main-queue context")
    func mainQueueActor() async throws {
        let context = NSManagedObjectContext(.mainQueue)
        context.persistentStoreCoordinator = stack.coordinator
        let shelves = Shelves(context)
        _ = try await shelves.add("Ada")
        let count = try await MainActor.run {
            try context.count(for: NSFetchRequest<Author>(entityName: "Author"))
        }
        #expect(count == 1)
    }

    @Test("A task runs on a context's queue by its executor preference")
    func executorPreference() async throws {
        let context = stack.context()
        let count = try await Task(executorPreference: context.executor) {
            Author(context: context).name = "Ada"
            try context.save()
            return try context.count(for: NSFetchRequest<Author>(entityName: "Author"))
        }.value
        #expect(count == 1)
        let names = try await withTaskExecutorPreference(context.executor) {
            try context.fetch(NSFetchRequest<Author>(entityName: "Author")).compactMap(\.name)
        }
        #expect(names == ["Ada"])
    }

    @Test("Cancellation is visible inside of an actor")
    func cancellationInAnActor() async {
        let shelves = Shelves(stack.context())
        let task = Task { await shelves.wasCancelledInside() }
        task.cancel()
        #expect(await task.value)
    }

    #if DEBUG
    @Test("Assuming the actor's isolation elsewhere stops the process")
    func assumingIsolationElsewhereStops() async {
        await #expect(processExitsWith: .failure) {
            let shelves = Shelves(try TestStack().context())
            Self.assume(shelves)
        }
    }

    private static func assume(_ shelves: Shelves) { shelves.assumeIsolated { _ = $0.context.hasChanges } }
    #endif
}
