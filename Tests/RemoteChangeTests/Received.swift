import CoreData
import Foundation

/// The notifications of one name from one object.
final class Received: @unchecked Sendable {
    private let condition = NSCondition()
    private var notes: [[AnyHashable: Any]] = []
    private var token: (any NSObjectProtocol)?

    init(_ name: Notification.Name, from object: Any) {
        token = NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) {
            [weak self] note in
            guard let self else { return }
            condition.lock()
            notes.append(note.userInfo ?? [:])
            condition.broadcast()
            condition.unlock()
        }
    }

    deinit { token.map(NotificationCenter.default.removeObserver) }

    var all: [[AnyHashable: Any]] {
        condition.lock()
        defer { condition.unlock() }
        return notes
    }

    /// Waits until what came fulfils a condition; whether it does in time.
    ///
    /// The condition may wait for the queue that posts: it is evaluated without the lock that a notification takes.
    func wait(until isEnough: ([[AnyHashable: Any]]) -> Bool) -> Bool {
        let end = Date(timeIntervalSinceNow: 300)
        while true {
            let seen = all
            if isEnough(seen) { return true }
            guard waitForMore(than: seen.count, until: end) else { return isEnough(all) }
        }
    }

    private func waitForMore(than count: Int, until end: Date) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        while notes.count == count {
            guard condition.wait(until: end) else { return false }
        }
        return true
    }

    /// Waits for one more than there were.
    func waitForOne(after count: Int = 0) -> [AnyHashable: Any]? {
        wait { $0.count > count } ? all[count] : nil
    }
}
