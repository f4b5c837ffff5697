import CoreData
import Testing

@testable import StoreBrowser

@Suite struct RunningQueriesTests {
    @Test("A newer query cancels the older one with the same name")
    func aNewerQueryEndsTheOlderOneOfTheSameClient() {
        let running = RunningQueries()
        let (first, second, other) = (QueryGroup(), QueryGroup(), QueryGroup())
        running.begin("a", first)
        running.begin("b", other)
        running.begin("a", second)
        #expect(first.isCancelled && !second.isCancelled && !other.isCancelled)
        #expect(!running.end("a", first) && running.end("a", second) && running.end("b", other))
        #expect(!running.end("a", second))
    }

    @Test("Cancelling a query cancels its readings, also later ones")
    func allReadingsOfAQueryEndTogether() {
        let group = QueryGroup()
        let (first, second, over, late) = (
            FetchCancellation(), FetchCancellation(), FetchCancellation(), FetchCancellation()
        )
        for reading in [first, second, over] { group.add(reading) }
        group.remove(over)
        group.cancel()
        group.add(late)
        #expect(first.isCancelled && second.isCancelled && late.isCancelled && !over.isCancelled)
    }
}
