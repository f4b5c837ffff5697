import CoreData
import Foundation
import ObjectGraph
import Testing

/// Searches that are ended while they read a complete index.
struct SearchCancellationTests {
    private static let count = 6_000

    /// A store of books that all have the same words, and are indexed.
    private func stack() throws -> SearchStack {
        let title = (0..<30).map { "n\($0)" }.joined(separator: " ")
        let stack = try SearchStack()
        try stack.context.run { context throws in
            _ = try context.execute(
                NSBatchInsertRequest(
                    entityName: "Book",
                    objects: (0..<Self.count).map { _ in ["title": title] as [String: Any] }))
            #expect(try context.searchCounts("n0") == ["Book": Self.count])
        }
        return stack
    }

    /// Alternatives of two words each, which a database compares in each of the books.
    private var words: String {
        let pairs = (0..<30).flatMap { first in (first + 1..<30).map { "n\(first) n\($0)" } }
        return pairs.prefix(120).joined(separator: " OR ")
    }

    /// Whether a search that is cancelled after a part of its time ends at once.
    private static func isInterrupted(
        after part: Double,
        _ measured: (FetchCancellation) throws -> (duration: Duration, isEnded: Bool)
    ) throws -> Bool {
        let whole = try (0..<3).map { _ in try measured(FetchCancellation()).duration }.min()
        let duration = try #require(whole)
        // A busy machine may cancel too late.
        for _ in 0..<50 {
            let cancellation = FetchCancellation()
            // Not on a queue, whose threads other tests may have.
            Thread.detachNewThread {
                Thread.sleep(forTimeInterval: duration / Duration.seconds(1) * part)
                cancellation.cancel()
            }
            let (time, isEnded) = try measured(cancellation)
            if isEnded && time < duration / 2 { return true }
        }
        return false
    }

    /// How long a search takes, and whether it was ended.
    private func measured(
        _ stack: SearchStack, _ cancellation: FetchCancellation
    ) throws -> (duration: Duration, isEnded: Bool) {
        let start = ContinuousClock.now
        return try stack.context.run { context throws in
            do {
                let counts = try StoreSearch.ended(by: cancellation) { try context.searchCounts(words) }
                #expect(counts == ["Book": Self.count])
                return (ContinuousClock.now - start, false)
            } catch let error as NSError
                where error.domain == NSCocoaErrorDomain
                && error.code == CocoaError.Code.userCancelled.rawValue
            {
                return (ContinuousClock.now - start, true)
            }
        }
    }

    @Test(
        "A search is ended in the middle of reading the index, and the next one finds all",
        .timeLimit(.minutes(40)))
    func interruption() throws {
        let stack = try stack()
        #expect(try Self.isInterrupted(after: 1 / 10) { try measured(stack, $0) })
        #expect(try !measured(stack, FetchCancellation()).isEnded)
    }

    @Test(
        "A search is ended in the middle of a statement that reads the store for its condition, and the next one finds all",
        .timeLimit(.minutes(40)))
    func interruptedStore() throws {
        let stack = try stack()
        let none = (0..<60).map { NSPredicate(format: "title CONTAINS[cd] %@", argumentArray: ["m\($0)"]) }
        let predicate = NSCompoundPredicate(
            notPredicateWithSubpredicate: NSCompoundPredicate(orPredicateWithSubpredicates: none))
        /// How long a search takes, and whether it was ended.
        func measured(_ cancellation: FetchCancellation) throws -> (duration: Duration, isEnded: Bool) {
            let start = ContinuousClock.now
            return try stack.context.run { context throws in
                var request = context.request("n0")
                request.predicate = predicate
                request.fetchLimit = 1
                do {
                    let result = try StoreSearch.ended(by: cancellation) { try context.search(request) }
                    #expect(result.count == Self.count)
                    return (ContinuousClock.now - start, false)
                } catch let error as NSError
                    where error.domain == NSCocoaErrorDomain
                    && error.code == CocoaError.Code.userCancelled.rawValue
                {
                    return (ContinuousClock.now - start, true)
                }
            }
        }
        #expect(try Self.isInterrupted(after: 1 / 4) { try measured($0) })
        #expect(try !measured(FetchCancellation()).isEnded)
    }

    @Test(
        "A search that was cancelled before it begins reads nothing, on each type of store",
        arguments: SearchedStore.allCases)
    func cancelledBefore(_ kind: SearchedStore) throws {
        let stack = try SearchStack(kind)
        try stack.context.run { context throws in
            context.add(["title": "war"])
            try context.save()
            #expect(try context.titles("war") == ["war"])
            let cancellation = FetchCancellation()
            cancellation.cancel()
            let error = #expect(throws: NSError.self) {
                try StoreSearch.ended(by: cancellation) { try context.search(context.request("war")).count }
            }
            #expect(error?.code == CocoaError.Code.userCancelled.rawValue)
            #expect(try context.search(context.request("war")).count == 1)
        }
    }

    @Test(
        "A task that is cancelled while it searches ends with a cancellation error, and the next search is right",
        .timeLimit(.minutes(40)))
    func task() async throws {
        let stack = try stack()
        let (context, words) = (stack.context, words)
        let searching = Task {
            try await context.search(SearchRequest<NSManagedObject>(words, entityName: "Book")).count
        }
        try await Task.sleep(for: .milliseconds(20))
        searching.cancel()
        // A quick machine may have found all of them.
        do {
            #expect(try await searching.value == Self.count)
        } catch {
            #expect(error is CancellationError, "\(error)")
        }
        #expect(
            try await context.search(SearchRequest<NSManagedObject>("n7", entityName: "Book")).count
                == Self.count)
    }
}
