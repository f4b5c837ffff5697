import CoreData
import Dispatch
import Foundation
import Testing

/// Children on other queues than their parents, used in the ways that applications use them. A test that deadlocks does not
/// end.
@Suite struct ChildQueueTests {
    let stack: TestStack

    init() throws { stack = try TestStack() }

    private func context(_ type: NSManagedObjectContext.ConcurrencyType) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(type)
        context.persistentStoreCoordinator = stack.coordinator
        return context
    }

    /// The main context over a private writer, with a private child for the work.
    @Test("A worker saves through the main context to a private writer")
    func writerBelowTheMainContext() async throws {
        let writer = context(.privateQueue)
        let main = ContextFamily.child(of: writer, .mainQueue)
        let worker = ContextFamily.child(of: main)
        try await worker.perform {
            for number in 0..<20 { worker.insertBook("\(number)") }
            try worker.save()
        }
        try await main.perform {
            let count = try main.count(for: .books())
            #expect(count == 20)
            try main.save()
        }
        try await writer.perform { try writer.save() }
        #expect(try stack.inContext { try $0.count(for: .books()) } == 20)
    }

    @MainActor @Test("A block of a child runs on the main queue that waits for it")
    func theMainQueueWaitsForAChildOfItsContext() throws {
        let main = context(.mainQueue)
        main.insertBook("main")
        let worker = ContextFamily.child(of: main)
        // The child's reads and its save need the main queue, which waits for them.
        let titles = try worker.performAndWait {
            worker.insertBook("worker")
            let titles = try ContextFamily.titles(worker)
            try worker.save()
            return titles
        }
        #expect(titles == ["main", "worker"])
        #expect(main.insertedObjects.count == 2)
        try main.save()
        #expect(try stack.inContext { try ContextFamily.titles($0) } == ["main", "worker"])
    }

    @MainActor @Test("A child on the main queue reads and saves into a parent with a private queue")
    func aChildOnTheMainQueueOfAPrivateParent() throws {
        let parent = context(.privateQueue)
        parent.performAndWait { _ = parent.insertBook("parent") }
        let main = ContextFamily.child(of: parent, .mainQueue)
        let book = try main.book("parent")
        book.pages = 7
        try main.save()
        let pages = try parent.performAndWait { try parent.book("parent").pages }
        #expect(pages == 7)
        // And from inside the parent's queue.
        try parent.performAndWait { try main.performAndWait { try main.save() } }
    }

    @Test("Four children save to the main context at once")
    func severalChildrenSaveAtOnce() async throws {
        let main = context(.mainQueue)
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                let child = ContextFamily.child(of: main)
                group.addTask {
                    for number in 0..<10 {
                        await child.perform {
                            child.insertBook("\(worker) \(number)")
                            #expect(throws: Never.self) {
                                try child.save()
                                _ = try child.fetch(.books("title BEGINSWITH %@", ["\(worker)"]))
                            }
                        }
                    }
                }
            }
        }
        try await main.perform {
            #expect(main.insertedObjects.count == 40)
            try main.save()
        }
        #expect(try stack.inContext { try $0.count(for: .books()) } == 40)
    }

    @Test("A child's objects load their values from a parent on the main queue")
    func objectsLoadFromTheParentsQueue() async throws {
        let main = context(.mainQueue)
        try await main.perform {
            let author = Author(context: main)
            author.name = "author"
            author.books = [main.insertBook("A"), main.insertBook("B")]
            try main.save()
        }
        let child = ContextFamily.child(of: main)
        let names = try await child.perform {
            try child.fetch(.books(by: "title")).map { "\($0.title ?? "") \($0.author?.books.count ?? 0)" }
        }
        #expect(names == ["A 2", "B 2"])
    }
}
