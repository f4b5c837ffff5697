import CoreData
import Foundation
import Synchronization
import Testing

@testable import StoreBrowser

/// Requests that a user waits for precede secondary ones, such as counts.
@Suite struct PrecedenceTests {
    /// Something that happens once, and is waited for.
    private final class Moment: Sendable {
        private let (stream, continuation) = AsyncStream.makeStream(of: Void.self)

        func comes() { continuation.finish() }

        func wait() async { for await _ in stream {} }
    }

    // Threads are scarce while all tests run: how long it takes until one goes on says nothing.

    /// Reads until it is ended, as counting a large table does.
    private static func readUntilCancelled(_ cancellation: FetchCancellation) throws {
        while !cancellation.isCancelled { Thread.sleep(forTimeInterval: 0.001) }
        throw CocoaError(.userCancelled)
    }

    @Test("A count yields to a page and starts again afterwards")
    func aCountMakesWayAndIsBegunAnewAfterwards() async throws {
        let test = try TestStore()
        let store = try BrowsedStore(testing: test.url)
        let begun = Moment()
        let attempts = Mutex(0)
        let isAnswered = Mutex(false)
        async let counting = store.reading(for: "count", yields: true) { _, cancellation in
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            if attempt == 1 {
                begun.comes()
                try Self.readUntilCancelled(cancellation)
            }
            // It has waited until the question before it was answered.
            return isAnswered.withLock { $0 }
        }
        await begun.wait()
        let page = try await store.precedence.ahead {
            let page = try await ObjectPage(ObjectQuery(entity: "Person"), ObjectPage.Order(), of: store)
            isAnswered.withLock { $0 = true }
            return page
        }
        #expect(page.rows.count == 100)
        let hasWaited = try await counting
        #expect(hasWaited)
        #expect(attempts.withLock { $0 } == 2)
        try store.close()
    }

    @Test("A superseded count does not start again")
    func supersededCounts() async throws {
        let test = try TestStore()
        let store = try BrowsedStore(testing: test.url)
        let (begun, group) = (Moment(), QueryGroup())
        let counting = Task {
            try await store.reading(for: "count", in: group, yields: true) { _, cancellation in
                begun.comes()
                try Self.readUntilCancelled(cancellation)
            }
        }
        await begun.wait()
        await store.precedence.ahead { store.running.begin("count", QueryGroup()) }
        let failure = await #expect(throws: BrowsingError.self) { try await counting.value }
        #expect(failure?.code == "superseded")
        try store.close()
    }

    @Test("A reading that yields is not cancelled by another one that yields")
    func nothingYieldsToAnotherThatYields() async {
        let precedence = Precedence()
        let (first, second) = (FetchCancellation(), FetchCancellation())
        let turns = [await precedence.begin(first), await precedence.begin(second)]
        #expect(!first.isCancelled && !second.isCancelled)
        precedence.end(turns[0])
        await precedence.ahead {
            await precedence.ahead { #expect(!first.isCancelled && second.isCancelled) }
        }
        #expect(!turns[0].didYield && turns[1].didYield)
    }
}
