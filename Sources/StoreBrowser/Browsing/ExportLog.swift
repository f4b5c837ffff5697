import Synchronization

/// How downloads go, for the page that began them: a browser reports nothing of a download to the page.
final class ExportLog: Sendable {
    /// How one goes.
    struct Entry: Encodable, Sendable {
        /// Whether it was requested.
        var hasBegun = true
        /// Whether nothing more is sent.
        var hasEnded = false
        /// Why it was refused, or ended before all was sent.
        var problem: String?
        /// What was executed for it so far.
        var statements: [ShownStatement] = []
    }

    /// So many are remembered.
    private static let most = 20

    private struct Log {
        var entries: [String: Entry] = [:]
        /// The oldest first.
        var names: [String] = []
    }

    private let log = Mutex(Log())

    /// How a download goes.
    subscript(name: String) -> Entry { log.withLock { $0.entries[name] } ?? Entry(hasBegun: false) }

    /// Notes how a download goes. Names are those that pages make up.
    func note(_ name: String?, _ change: (inout Entry) -> Void) {
        guard let name, name.utf8.count <= 100 else { return }
        log.withLock { log in
            if log.entries[name] == nil {
                log.names.append(name)
                if log.names.count > Self.most { log.entries[log.names.removeFirst()] = nil }
            }
            change(&log.entries[name, default: Entry()])
        }
    }
}
