import Foundation
import Hummingbird
import Synchronization

/// The stream of events of a window.
struct EventRoutes: Sendable {
    /// How many windows can listen at once.
    static let mostWindows = 64
    /// After how long a silent stream says that it is alive.
    private static let heartbeat = Duration.seconds(15)

    private let document: BooksDocument
    private let windows = WindowCounter()

    init(_ document: BooksDocument) { self.document = document }

    func add(to router: Router<BooksRequestContext>) { router.get("/events", use: events) }

    @Sendable private func events(_ request: Request, _ context: BooksRequestContext) async throws -> Response
    {
        // Another site's page could not read the stream, but it could use all of them up.
        if let site = request.headers[.fetchSite], site != "same-origin" { throw HTTPError(.forbidden) }
        guard let slot = windows.take() else {
            throw HTTPError(.serviceUnavailable, message: "Too many windows are open.")
        }
        let events = try await document.events(
            try Self.view(context.query), since: context.query["since"])
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: .init { writer in
                try await request.body.consumeWithCancellationOnInboundClose { _ in
                    try await Self.write(events, to: &writer)
                }
                withExtendedLifetime(slot) {}
            })
    }

    private static func view(_ query: Fields) throws -> FollowedView {
        switch query["view"] {
        case "books": return .books(BookListQuery(query))
        case "authors": return .authors(AuthorListQuery(query))
        case "changes": return .changes
        case "book":
            if let uuid = query["uuid"].flatMap({ UUID(uuidString: $0) }) { return .book(uuid) }
        default: break
        }
        throw HTTPError(.badRequest, message: "There is no such view.")
    }

    private static func write(
        _ events: AsyncStream<ServerEvent>, to writer: inout any ResponseBodyWriter
    ) async throws {
        // Browsers wait for the first bytes before they say that the stream is open.
        try await writer.write(ByteBuffer(string: "retry: 2000\n\n"))
        let (texts, continuation) = AsyncStream.makeStream(
            of: String.self, bufferingPolicy: .bufferingNewest(16))
        let pump = Task {
            for await event in events { continuation.yield(event.text) }
            continuation.finish()
        }
        let heartbeat = Task {
            while true {
                try await Task.sleep(for: Self.heartbeat)
                continuation.yield(": alive\n\n")
            }
        }
        defer {
            pump.cancel()
            heartbeat.cancel()
        }
        for await text in texts.cancelOnGracefulShutdown() {
            try await writer.write(ByteBuffer(string: text))
        }
        try await writer.finish(nil)
    }
}

/// Counts the windows that listen.
private final class WindowCounter: Sendable {
    private let count = Mutex(0)

    /// A place for a window; it is free again when the place goes.
    final class WindowSlot: Sendable {
        private let counter: WindowCounter
        fileprivate init(_ counter: WindowCounter) { self.counter = counter }
        deinit { counter.count.withLock { $0 -= 1 } }
    }

    /// A place, unless all are taken.
    func take() -> WindowSlot? {
        let isFree = count.withLock { count in
            guard count < EventRoutes.mostWindows else { return false }
            count += 1
            return true
        }
        return isFree ? WindowSlot(self) : nil
    }
}
