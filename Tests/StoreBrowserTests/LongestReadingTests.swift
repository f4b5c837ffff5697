import CoreData
import Foundation
import Testing

@testable import StoreBrowser

/// How long a query may take.
@Suite struct LongestReadingTests {
    private func code(
        of failure: @escaping @Sendable () throws -> Void
    ) async throws -> String? {
        let test = try TestStore()
        let store = try BrowsedStore(opening: test.url, model: nil, longestReading: 0.01)
        let thrown = await #expect(throws: BrowsingError.self) {
            try await store.reading { _, cancellation in
                while !cancellation.isCancelled { Thread.sleep(forTimeInterval: 0.001) }
                try failure()
            }
        }
        try store.close()
        return thrown?.code
    }

    @Test("A query that takes too long is ended, with an error that says so")
    func aLongQueryIsEnded() async throws {
        #expect(try await code { throw CocoaError(.userCancelled) } == "time")
    }

    @Test("An error of the query itself is kept, even after the time limit")
    func anErrorOfTheQueryStays() async throws {
        #expect(try await code { throw BrowsingError("No such entity.") } == "browse")
    }

    @Test("A query that was superseded before its time is over is not said to have taken too long")
    func theFirstCauseCounts() {
        let superseded = FetchCancellation()
        let deadline = Deadline(superseded)
        #expect(superseded.cancel())
        deadline.pass()
        #expect(!deadline.hasPassed)
        let slow = FetchCancellation()
        let limit = Deadline(slow)
        limit.pass()
        #expect(limit.hasPassed && slow.isCancelled && !slow.cancel())
    }

    @Test("A query that is superseded before it has a thread reads nothing")
    func aSupersededQueryReadsNothing() async throws {
        let test = try TestStore()
        let store = try BrowsedStore(testing: test.url)
        let group = QueryGroup()
        group.cancel()
        let failure = await #expect(throws: BrowsingError.self) {
            try await store.reading(in: group) { _, _ in Issue.record("The query ran.") }
        }
        #expect(failure?.code == BrowsingError.superseded.code)
        try store.close()
    }
}
