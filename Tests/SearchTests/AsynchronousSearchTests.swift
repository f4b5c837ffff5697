import CoreData
import Foundation
import Testing

/// Asynchronous fetches with a search: the index comes up to date on another thread.
struct AsynchronousSearchTests {
    private struct Outcome: Sendable {
        let titles: [String]?
        let error: String?
    }

    /// The outcome of a fetch that begins while the index cannot be written. After `execute(_:)` has returned, a block is called on the
    /// context's queue, and then the index can be written.
    private func outcome(
        _ stack: SearchStack, _ words: String,
        _ body: @escaping (NSAsynchronousFetchResult<NSManagedObject>) -> Void
    ) async throws -> Outcome {
        let lock = try IndexLock(stack.index)
        return try await withCheckedThrowingContinuation { continuation in
            stack.context.perform {
                do {
                    let fetch = NSFetchRequest<NSManagedObject>(entityName: "Book")
                    fetch.predicate = NSPredicate(searching: words)
                    let request = NSAsynchronousFetchRequest(fetchRequest: fetch) { result in
                        let titles = result.finalResult?.compactMap { $0.value(forKey: "title") as? String }
                        continuation.resume(
                            returning: Outcome(
                                titles: titles?.sorted(), error: result.operationError?.localizedDescription))
                    }
                    let result = try #require(
                        try stack.context.execute(request) as? NSAsynchronousFetchResult<NSManagedObject>)
                    body(result)
                    try lock.end()
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
    }

    private func stack() throws -> SearchStack {
        let stack = try SearchStack()
        try stack.context.run { context throws in
            context.add(["title": "war"])
            try context.save()
            #expect(try context.titles("war") == ["war"])
            context.add(["title": "war II"])
            try context.save()
        }
        return stack
    }

    @Test(
        "An asynchronous fetch returns before the index that its search needs is up to date",
        .timeLimit(.minutes(40)))
    func indexing() async throws {
        let stack = try stack()
        let found = try await outcome(stack, "war") { _ in stack.context.add(["title": "war, not saved"]) }
        #expect(found.error == nil)
        #expect(found.titles == ["war", "war II", "war, not saved"])
    }

    @Test(
        "An asynchronous fetch that is cancelled while its index comes up to date finds nothing, without an error",
        .timeLimit(.minutes(40)))
    func cancellation() async throws {
        let stack = try stack()
        let found = try await outcome(stack, "war") { $0.cancel() }
        #expect(found.error == nil)
        #expect(found.titles == [])
        #expect(try stack.context.run { try $0.titles("war").count } == 2)
    }

    @Test(
        "An asynchronous fetch with a search works on each type of store", arguments: SearchedStore.allCases)
    func types(_ kind: SearchedStore) async throws {
        let stack = try SearchStack(kind)
        let found: [String]? = try await withCheckedThrowingContinuation { continuation in
            stack.context.perform {
                do {
                    stack.context.add(["title": "war"])
                    stack.context.add(["title": "peace"])
                    try stack.context.save()
                    let fetch = NSFetchRequest<NSManagedObject>(entityName: "Book")
                    fetch.predicate = NSPredicate(searching: "peace")
                    let request = NSAsynchronousFetchRequest(fetchRequest: fetch) { result in
                        continuation.resume(
                            returning: result.finalResult?.compactMap {
                                $0.value(forKey: "title") as? String
                            })
                    }
                    try stack.context.execute(request)
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
        #expect(found == ["peace"])
    }

    @Test("What keeps an index from being made is the error of an asynchronous fetch")
    func failure() async throws {
        let stack = try stack()
        try stack.coordinator.deleteSearchIndexes()
        try FileManager.default.createDirectory(at: stack.index, withIntermediateDirectories: false)
        let error: String? = try await withCheckedThrowingContinuation { continuation in
            stack.context.perform {
                do {
                    let fetch = NSFetchRequest<NSManagedObject>(entityName: "Book")
                    fetch.predicate = NSPredicate(searching: "war")
                    let request = NSAsynchronousFetchRequest(fetchRequest: fetch) { result in
                        continuation.resume(returning: result.operationError?.localizedDescription)
                    }
                    try stack.context.execute(request)
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
        #expect(error?.contains(stack.index.path) ?? false)
    }
}
