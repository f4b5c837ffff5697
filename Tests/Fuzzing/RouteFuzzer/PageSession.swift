import Foundation
import FuzzerDriver
import HTTPTypes
import Hummingbird
import LocalSite
import Logging
import NIOEmbedded

/// A page of a site that sends requests one after the other. They are given to the router: without a server, an input takes
/// less time, and with no library for testing servers, which has an HTTP client with TLS, neither does the build.
enum PageSession {
    /// Sends requests to a site as its page does, and returns when all were answered. An answer that the server has failed is
    /// a finding.
    static func send(_ requests: [PageRequest], to site: LocalSite) {
        let done = DispatchSemaphore(value: 0)
        Task {
            let responder = site.router(hosts: AllowedHosts(["localhost"])).buildResponder()
            let entrance = await answer(
                of: responder, to: PageRequest(method: .get, path: site.access.entrance, body: ""), [:])
            let cookie = entrance.headers[.setCookie].flatMap { $0.split(separator: ";").first } ?? ""
            let headers: HTTPFields = [
                .cookie: String(cookie), .authorization: site.access.authorization,
                .origin: "http://localhost",
                .contentType: "application/json",
            ]
            for request in requests {
                let status = await answer(of: responder, to: request, headers).status.code
                mustHold(status != 401, "the page is not let in")
                mustHold(status < 500 || status == 503 || status == 504, "\(request.path): \(status)")
            }
            done.signal()
        }
        done.wait()
    }

    /// The answer to a request, after all of it was written.
    private static func answer(
        of responder: some HTTPResponder<LocalRequestContext>, to page: PageRequest, _ headers: HTTPFields
    ) async -> Response {
        var headers = headers
        headers[.contentLength] = String(page.body.utf8.count)
        let request = Request(
            head: HTTPRequest(
                method: page.method, scheme: "http", authority: "localhost", path: page.path,
                headerFields: headers),
            body: RequestBody(buffer: ByteBuffer(string: page.body)))
        let context = LocalRequestContext(
            source: ApplicationRequestContextSource(channel: NIOAsyncTestingChannel(), logger: logger))
        do {
            let response = try await responder.respond(to: request, context: context)
            // A body that breaks off is an answer: its status was sent before.
            try? await response.body.write(DiscardingBody())
            return response
        } catch {
            return Response(status: .internalServerError)
        }
    }

    /// What a server says of an input is not looked at.
    private static let logger = Logger(label: "pages") { _ in SwiftLogNoOpLogHandler() }

    /// Reads the body of a response and discards it.
    private struct DiscardingBody: ResponseBodyWriter {
        mutating func write(_ buffer: ByteBuffer) {}
        consuming func finish(_ trailingHeaders: HTTPFields?) {}
    }
}
