import Dispatch
import Foundation
import Synchronization

/// How an indexing in the background makes room for saves.
///
/// Both use the memory, the caches and the disk of one computer, also where they have a processor each: a save beside an indexing at full
/// speed takes up to twice as long. So the indexing rests between two objects while saves come, and works for a share of the time. It
/// always gets that share, so it ends even beside saves that never pause. Saves only note their time: they wait for nothing.
package final class IndexingPace: Sendable {
    /// How long after a save the next one is expected, in nanoseconds, as all times here.
    private static let expectation: UInt64 = 50_000_000
    /// How often a rest looks whether it is over before its time.
    private static let slice: UInt64 = 2_000_000

    /// No rest is longer.
    private let longest: UInt64
    private let lastChange = Atomic<UInt64>(0)
    /// How many callers wait for the index.
    private let waiting = Atomic<Int>(0)
    /// How often the store has closed its file.
    private let closings = Atomic<Int>(0)
    private let rests = Atomic<Int>(0)

    /// - Parameter longest: in seconds.
    package init(longest: Double = 5) { self.longest = UInt64(longest * 1e9) }

    static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// Called when the store was changed.
    package func noteChange() { lastChange.store(Self.now, ordering: .relaxed) }

    /// Called when the store has closed its file: an indexing that rests is to notice that.
    package func noteClosing() { closings.add(1, ordering: .relaxed) }

    /// Runs a block that waits for the index: there is no rest meanwhile.
    package func hurrying<Value>(_ body: () throws -> Value) rethrows -> Value {
        waiting.add(1, ordering: .relaxed)
        defer { waiting.subtract(1, ordering: .relaxed) }
        return try body()
    }

    /// How often an indexing has rested.
    package var restCount: Int { rests.load(ordering: .relaxed) }

    /// Whether an indexing is to rest: saves come, and no caller waits for the index.
    private var isHeld: Bool {
        guard waiting.load(ordering: .relaxed) == 0 else { return false }
        let last = lastChange.load(ordering: .relaxed)
        // It may be noted just now.
        let now = Self.now
        return last > now || now - last < Self.expectation
    }

    /// Rests, unless no saves come, until they end, a caller waits for the index, the store closes its file or the indexing is cancelled, at
    /// the longest for a time.
    ///
    /// - Returns: whether there was a rest.
    @discardableResult
    package func rest(_ time: UInt64, isCancelled: () -> Bool) -> Bool {
        let begin = Self.now
        let time = min(time, longest)
        let closed = closings.load(ordering: .relaxed)
        var hasRested = false
        while isHeld, !isCancelled(), closings.load(ordering: .relaxed) == closed {
            let past = Self.now - begin
            guard past < time else { break }
            if !hasRested {
                hasRested = true
                rests.add(1, ordering: .relaxed)
            }
            usleep(UInt32(min(time - past, Self.slice) / 1_000) + 1)
        }
        return hasRested
    }
}
