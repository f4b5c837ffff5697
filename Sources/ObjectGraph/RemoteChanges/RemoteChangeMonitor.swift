import Dispatch
import Foundation

/// Detects that others have changed a store: other connections to its file, of this process or of another one. What they commit
/// in close succession is reported once.
///
/// The database is not queried while the file is not written to. A write to it is seen before it is committed, so the
/// database's version is polled afterwards, at growing intervals, until it has changed or the write must have been something
/// else.
final class RemoteChangeMonitor: @unchecked Sendable {
    // Unchecked: the variables are used on the queue.

    private let queue = DispatchQueue(label: "com.apple.CoreData.RemoteChangeMonitor")
    private let version: @Sendable () throws -> Data
    private let changed: @Sendable () -> Void
    private var watch: FileChangeWatch?
    private var knownVersion: Data
    /// The number and the time of the next query.
    private var turn = 0
    private var nextTime: DispatchTime?
    /// The time of the last query.
    private var lastTime = DispatchTime.now()
    private var interval = RemoteChangeMonitor.shortest
    /// Whether another file has replaced the queried one.
    private var isReplaced = false
    private var hasEnded = false

    /// The first and the last interval between two queries, in milliseconds.
    private static let shortest = 1
    private static let longest = 4_096
    /// The least time between two queries of the database, in milliseconds.
    private static let rest = 5
    /// How long commits are gathered that follow a reported one.
    private static let gathering = 20
    /// Where files cannot be watched.
    private static let pollInterval = 1_000

    /// - Parameters:
    ///   - file: the database.
    ///   - logSuffixes: as `FollowedStore.logSuffixes`.
    ///   - version: a value that changes when others have committed.
    ///   - changed: is called on a queue of the monitor's when they have.
    /// - Throws: what `version` throws.
    init(
        _ file: URL, logSuffixes: [String], version: @escaping @Sendable () throws -> Data,
        _ changed: @escaping @Sendable () -> Void
    ) throws {
        self.version = version
        self.changed = changed
        knownVersion = try version()
        watch = FileChangeWatch(file, logSuffixes: logSuffixes, on: queue) { [weak self] in self?.note($0) }
        if watch == nil {
            Log.store.notice(
                "The store at \(file.path) cannot be watched; it is checked for changes once a second.")
            queue.async { self.poll(after: Self.pollInterval) }
        } else {
            // Others may have committed between the first query and the beginning of the watch.
            queue.async { self.poll(after: 0) }
        }
    }

    /// - Parameters:
    ///   - store: is not kept; the file is its own.
    ///   - changed: as for other monitors.
    /// - Throws: an error of the store.
    convenience init(
        of store: any FollowedStore, _ file: URL, _ changed: @escaping @Sendable () -> Void
    ) throws {
        try self.init(
            file, logSuffixes: store.logSuffixes,
            version: { [weak store] in
                guard let store else { throw NSError.removedStore }
                return try store.foreignDataVersion()
            }, changed)
    }

    /// Reports once, as if others had committed.
    func notify() {
        queue.async {
            if !self.hasEnded { self.changed() }
        }
    }

    deinit { watch?.end() }

    /// Ends the watch. A report in progress is the last one.
    func end() {
        watch?.end()
        queue.async { self.hasEnded = true }
    }

    private func note(_ event: FileChangeWatch.Event) {
        // Connections to the former file do not detect it.
        if event == .replacement { isReplaced = true }
        interval = Self.shortest
        poll(after: Self.rest)
    }

    /// Schedules a query after some milliseconds, unless an earlier one is scheduled.
    private func poll(after milliseconds: Int) {
        let time = max(.now(), lastTime + .milliseconds(milliseconds))
        if let nextTime, nextTime <= time { return }
        nextTime = time
        turn += 1
        let turn = turn
        queue.asyncAfter(deadline: time) { [weak self] in self?.takeTurn(turn) }
    }

    private func takeTurn(_ turn: Int) {
        guard turn == self.turn, !hasEnded else { return }
        nextTime = nil
        let hasChanged = isNewVersion() || isReplaced
        isReplaced = false
        lastTime = .now()
        if hasChanged {
            interval = Self.shortest
            changed()
            lastTime = .now()
            poll(after: Self.gathering)
        } else if watch == nil {
            poll(after: Self.pollInterval)
        } else if interval < Self.longest {
            interval *= 2
            poll(after: interval)
        }
    }

    private func isNewVersion() -> Bool {
        do {
            let version = try version()
            defer { knownVersion = version }
            return version != knownVersion
        } catch {
            Log.store.debug("Could not check for changes made by others: \(error.localizedDescription)")
            return false
        }
    }
}
