import CoreData
import Dispatch
import Foundation
import StoreTools
import Testing

@testable import StoreBrowser

/// Searches by words that are ended once the store is indexed.
@Suite struct TextSearchEndingTests {
    private let question = TextSearchAnswer.Question(words: "person", attributes: .all, client: "page")

    /// The answer once the store is indexed.
    private func answer(_ store: BrowsedStore) async throws -> TextSearchAnswer {
        while true {
            let answer = try await TextSearchAnswer(question, of: store)
            if answer.indexing == nil { return answer }
        }
    }

    @Test(
        "A newer search of a page ends the older one, and the next one finds all; so does a request that is gone",
        .timeLimit(.minutes(40)), arguments: [true, false])
    func ending(_ isSuperseded: Bool) async throws {
        let test = try TestStore()
        let store = try BrowsedStore(testing: test.url)
        #expect(try await answer(store).entities.first?.count == TestStore.count)
        // The search waits for the queue, which something else has.
        let search = try store.textSearches.search(.all, of: store.source)
        let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
        let end = DispatchSemaphore(value: 0)
        let holding = Task {
            await search.context.perform {
                continuation.finish()
                end.wait()
            }
        }
        for await _ in begun {}
        let before = QueryGroup()
        store.running.begin("page", before)
        let question = question
        let older = Task { try await TextSearchAnswer(question, of: store) }
        while !before.isCancelled { try await Task.sleep(for: .milliseconds(1)) }
        if isSuperseded {
            store.running.begin("page", QueryGroup())
        } else {
            older.cancel()
        }
        end.signal()
        if isSuperseded {
            let failure = await #expect(throws: BrowsingError.self) { try await older.value }
            #expect(failure?.code == BrowsingError.superseded.code)
        } else {
            await #expect(throws: CancellationError.self) { try await older.value }
        }
        await holding.value
        #expect(try await answer(store).entities.first?.count == TestStore.count)
        try store.close()
        withExtendedLifetime(test) {}
    }
}
