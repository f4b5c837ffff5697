import Foundation

#if !canImport(ObjectiveC)
extension NotificationCenter {
    /// The notifications of a name, and if wanted of one object, in the order in which they are posted.
    ///
    /// ```swift
    /// for await notification in NotificationCenter.default.notifications(named: .NSManagedObjectContextDidSave, object: context) {
    ///     print(notification.userInfo?[NSUpdatedObjectsKey] ?? "")
    /// }
    /// ```
    ///
    /// Each iteration begins to observe when its iterator is made: notifications posted before are not part of it. Those that the loop has
    /// not taken yet are kept in memory without a limit. The loop ends when its task is cancelled. The loop's body runs on the task that
    /// iterates, not on the thread that posts.
    public struct Notifications: AsyncSequence, @unchecked Sendable {
        /// What the iteration gives.
        public typealias Element = Notification

        fileprivate let center: NotificationCenter
        fileprivate let name: Notification.Name
        fileprivate let object: AnyObject?

        /// Observes notifications from its creation until its release, and returns them one by one.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate var base: AsyncStream<Posted>.Iterator

            /// The next notification; nil when the task was cancelled.
            public mutating func next() async -> Notification? {
                await base.next()?.notification
            }
        }

        /// Begins to observe.
        public func makeAsyncIterator() -> AsyncIterator {
            let (stream, continuation) = AsyncStream.makeStream(of: Posted.self)
            let token = center.addObserver(forName: name, object: object, queue: nil) { notification in
                continuation.yield(Posted(notification: notification))
            }
            let observation = Observation(center: center, token: token)
            continuation.onTermination = { _ in observation.end() }
            return AsyncIterator(base: stream.makeAsyncIterator())
        }
    }

    /// The notifications of a name, as an asynchronous sequence.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - object: whose notifications are meant; nil for those of all.
    public func notifications(named name: Notification.Name, object: AnyObject? = nil) -> Notifications {
        Notifications(center: self, name: name, object: object)
    }

    /// A notification is handed from the thread that posts it to the one that waits for it, as Apple's sequence does.
    fileprivate struct Posted: @unchecked Sendable {
        let notification: Notification
    }

    private struct Observation: @unchecked Sendable {
        let center: NotificationCenter
        let token: any NSObjectProtocol

        func end() { center.removeObserver(token as Any) }
    }
}
#endif
