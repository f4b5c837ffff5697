import Synchronization

/// Under which names a local site answers: this computer's own, with its port.
///
/// A foreign page can make a name of its own lead to this computer, but not these names.
package final class AllowedHosts: Sendable {
    private let authorities = Mutex<Set<String>>([])

    package init(_ authorities: Set<String> = []) { self.authorities.withLock { $0 = authorities } }

    /// Allows the names of this computer with a port.
    package func allow(port: Int) {
        let names = ["localhost", "127.0.0.1", "[::1]"]
        authorities.withLock {
            $0 = Set(names.flatMap { port == 80 ? [$0, "\($0):80"] : ["\($0):\(port)"] })
        }
    }

    func contains(_ authority: String) -> Bool {
        authorities.withLock { $0.contains(authority.lowercased()) }
    }
}
