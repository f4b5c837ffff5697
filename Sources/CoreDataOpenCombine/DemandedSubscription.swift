import Foundation
import OpenCombine

/// Hands values to a subscriber as far as it asks for them.
///
/// What nobody asked for is dropped, or its newest value is kept until it is asked for. May be used on any thread; the
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

    /// Hands a value on, if it is asked for.
    func offer(_ value: Downstream.Input) {
        lock.lock()
        guard let downstream, demand > 0 else {
            if keepsLatest, self.downstream != nil { latest = value }
            lock.unlock()
            return
        }
        demand -= 1
        lock.unlock()
        let more = downstream.receive(value)
        lock.lock()
        demand += more
        lock.unlock()
    }

    func request(_ demand: Subscribers.Demand) {
        lock.lock()
        self.demand += demand
        let kept = latest
        latest = nil
        lock.unlock()
        if let kept { offer(kept) }
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
