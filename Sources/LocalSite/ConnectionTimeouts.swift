import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes a connection that takes too long over a request, or sends none. Each time begins with what the client has sent whole:
/// bytes that arrive one by one do not lengthen it.
///
/// How long an answer takes is not limited: it may be a long search, or a paused download. A connection that
/// waits for one without the key goes when there are too many.
final class ConnectionTimeouts: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let connections: SiteConnections
    private var timeout: Scheduled<Void>?
    /// Requests whose answer has not been written.
    private var unanswered = 0
    private var isReadingBody = false
    /// Whether the client was refused, which ends its connection.
    private var isRefused = false

    init(_ connections: SiteConnections) { self.connections = connections }

    func handlerAdded(context: ChannelHandlerContext) {
        connections.open(context.channel)
        context.channel.closeFuture.whenComplete { [connections, channel = context.channel] _ in
            connections.remove(channel)
        }
        close(context, after: connections.limits.head)
    }

    func handlerRemoved(context: ChannelHandlerContext) { cancel() }

    func channelInactive(context: ChannelHandlerContext) {
        cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            unanswered += 1
            isReadingBody = true
            close(context, after: connections.limits.body)
        case .body: break
        case .end:
            isReadingBody = false
            cancel()
            // Its answer was earlier than its end.
            if unanswered == 0 { rest(context) }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            isRefused = head.status == .unauthorized || head.status == .misdirectedRequest
            if isRefused { head.headerFields[.connection] = "close" }
            return context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body: break
        case .end:
            unanswered -= 1
            guard unanswered == 0 else { break }
            if isReadingBody {
                // The rest of what was refused is not waited for; that it is read for a moment lets the client see why.
                if isRefused { close(context, after: connections.limits.unauthenticatedIdle) }
                break
            }
            if isRefused {
                context.writeAndFlush(data, promise: promise)
                context.close(promise: nil)
                return
            }
            rest(context)
        }
        context.write(data, promise: promise)
    }

    /// No request is pending.
    private func rest(_ context: ChannelHandlerContext) {
        if isRefused { return context.close(promise: nil) }
        let limits = connections.limits
        close(
            context, after: connections.isAdmitted(context.channel) ? limits.idle : limits.unauthenticatedIdle
        )
    }

    private func close(_ context: ChannelHandlerContext, after time: Duration) {
        cancel()
        timeout = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(time)) {
            context.close(promise: nil)
        }
    }

    private func cancel() {
        timeout?.cancel()
        timeout = nil
    }
}

@available(*, unavailable)
extension ConnectionTimeouts: Sendable {}
