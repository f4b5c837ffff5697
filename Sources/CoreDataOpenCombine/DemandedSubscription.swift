import Foundation
import OpenCombine

/// Hands values to a subscriber as far as it demands them.
///
/// A value without demand is dropped, or the newest is kept until it is demanded. May be used on any thread; the
/// subscriber is called outside of the lock.
final class DemandedSubscription<Downstream: Subscriber>: Subscription, @unchecked Sendable {
    private let lock = NSLock()
    private var downstream: Downstream?
    private var demand = Subscribers.Demand.none
    private var latest: Downstream.Input?
    private let keepsLatest: Bool
    private var end: (() -> Void)?

    init(_ downstream: Downstream, keepsLatest: Bool) {
        self.downstream = downstream
        self.keepsLatest = keepsLatest
    }

    /// Says what ends the source; called at once if the subscription was cancelled already.
    func onEnd(_ end: @escaping () -> Void) {
        lock.lock()
        let isOver = downstream == nil
        if !isOver { self.end = end }
        lock.unlock()
        if isOver { end() }
    }

    /// Hands a value on, if it is demanded.
    func offer(_ value: Downstream.Input) {
        lock.lock()
        defer { lock.unlock() }
        guard downstream != nil else { return }
        guard demand > 0 else {
            if keepsLatest { latest = value }
            return
        }
        deliver(value)
    }

    func request(_ demand: Subscribers.Demand) {
        lock.lock()
        defer { lock.unlock() }
        self.demand += demand
        deliver(nil)
    }

    /// Hands on a demanded value, and what is kept as long as more is demanded. To be called inside the lock, which
    /// is open while the subscriber is called.
    ///
    /// - Parameter value: newer than what is kept; nil for what is kept.
    private func deliver(_ value: Downstream.Input?) {
        if value != nil { latest = nil }
        var next = value
        while demand > 0, let downstream, let value = next ?? latest {
            next = nil
            latest = nil
            demand -= 1
            lock.unlock()
            let more = downstream.receive(value)
            lock.lock()
            demand += more
        }
    }

    func cancel() {
        lock.lock()
        let end = end
        downstream = nil
        latest = nil
        self.end = nil
        lock.unlock()
        end?()
    }
}
