/// How many connections a local site has, and how long they may take. Every user of this computer can connect to it.
package struct ConnectionLimits: Sendable {
    /// The most connections. When there are more, those that have not shown the key are closed, the oldest first.
    package var count = 128
    /// The time for the first request of a connection, from its opening to the end of its head.
    package var head: Duration = .seconds(10)
    /// The time for a body, from the end of the head.
    package var body: Duration = .seconds(60)
    /// The time without a request after which a connection is closed that has shown the key.
    package var idle: Duration = .seconds(60)
    /// The same for a connection that has not.
    package var unauthenticatedIdle: Duration = .seconds(5)

    package init() {}
}
