import Observation
import Synchronization

/// Whether what was read by a block under `withObservationTracking` has changed since.
final class ObservationCounter: Sendable {
    private let counted = Mutex(0)
    /// How often the reader was woken: once at most.
    var count: Int { counted.withLock(\.self) }

    init(_ read: () -> Void) {
        withObservationTracking(read) { [self] in counted.withLock { $0 += 1 } }
    }
}
