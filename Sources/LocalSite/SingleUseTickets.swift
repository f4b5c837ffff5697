import Synchronization

/// Secrets that let in once, within a time.
final class SingleUseTickets: Sendable {
    private let lifetime: Duration
    private let ends = Mutex<[String: ContinuousClock.Instant]>([:])

    init(lifetime: Duration) { self.lifetime = lifetime }

    /// Makes a secret a ticket.
    func issue(_ secret: String) -> String {
        ends.withLock { $0[secret] = .now + lifetime }
        return secret
    }

    /// Whether a string is a ticket that was not used and is not too old. It is used up by this.
    func redeem(_ text: String) -> Bool {
        ends.withLock { ends in
            let now = ContinuousClock.Instant.now
            ends = ends.filter { $0.value > now }
            // All are compared, so that the time reveals nothing.
            let found = ends.keys.filter { SiteAccess.areEqual(text, $0) }
            for secret in found { ends[secret] = nil }
            return !found.isEmpty
        }
    }
}
