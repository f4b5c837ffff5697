import Foundation

#if !canImport(ObjectiveC)
extension NotificationCenter {
    /// The notifications that are posted from the moment an iteration begins, in their order.
    public struct Notifications: AsyncSequence, @unchecked Sendable {
        /// What the iteration gives.
        public typealias Element = Notification

        fileprivate let center: NotificationCenter
        fileprivate let name: Notification.Name
        fileprivate let object: AnyObject?

        /// Observes the notifications for as long as it lives.
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
