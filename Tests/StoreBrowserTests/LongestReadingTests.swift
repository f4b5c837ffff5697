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

    @Test("An error that is not of the ending stays as it is, also after the longest time")
    func anErrorOfTheQueryStays() async throws {
        #expect(try await code { throw BrowsingError("No such entity.") } == "browse")
    }
}
