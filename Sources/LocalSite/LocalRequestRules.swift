import Foundation
import Hummingbird

/// Refuses what no page of the site sends, and lets the person in who has the token.
struct LocalRequestRules: RouterMiddleware {
    static let longestQuery = 8192

    let hosts: AllowedHosts
    let access: SiteAccess
    let connections: SiteConnections

    func handle(
        _ request: Request, context: LocalRequestContext,
        next: (Request, LocalRequestContext) async throws -> Response
    ) async throws -> Response {
        guard let host = request.head.authority, hosts.contains(host) else {
            throw SiteError(
                .misdirectedRequest, code: "host",
                "This server answers only under this computer's own name.")
        }
        guard (request.uri.query ?? "").utf8.count <= Self.longestQuery else {
            throw SiteError(.uriTooLong, code: "address", "The address is too long.")
        }
        let port = Self.port(of: host)
        if request.method == .get, request.uri.path == "/" {
            if let token = request.uri.queryParameters["token"] {
                guard access.admits(token: String(token)) else { throw Self.wrongToken }
                return letIn(port: port, context)
            }
            if let ticket = request.uri.queryParameters["ticket"] {
                guard access.redeem(ticket: String(ticket)) else { throw Self.usedTicket }
                return letIn(port: port, context)
            }
        }
        guard access.admits(cookies: request.headers[values: .cookie], port: port) else {
            throw Self.missingToken
        }
        switch request.method {
        case .get, .head: try checkReader(request)
        case .post: try checkOrigin(request, host)
        default: throw SiteError(.methodNotAllowed, code: "method", "This cannot be done here.")
        }
        if !isOpenToCookies(request) {
            guard hasKey(request) else { throw Self.missingToken }
            connections.admit(context.channel)
        }
        return try await next(request, context)
    }

    /// What the cookie is enough for: the page and its files, and the exchange of a code for the key.
    private func isOpenToCookies(_ request: Request) -> Bool {
        let path = request.uri.path
        return request.method == .post
            ? path == LocalSite.keyPath : path == "/" || path.hasPrefix("/files/")
    }

    /// Whether a request has the key, or, for a download, a ticket.
    private func hasKey(_ request: Request) -> Bool {
        if access.admits(authorization: request.headers[.authorization]) { return true }
        guard request.method == .get, let ticket = request.uri.queryParameters["ticket"] else { return false }
        return access.redeem(download: String(ticket))
    }

    private static let missingToken = SiteError(
        .unauthorized, code: "access",
        "Open this page by the address that the command printed, which contains a token.")

    private static let wrongToken = SiteError(
        .unauthorized, code: "access",
        "The token in this address is from an earlier start of the server.")

    private static let usedTicket = SiteError(
        .unauthorized, code: "access",
        """
        This address opens the page only once, within a minute after the start. Open the address that the \
        command printed.
        """)

    /// The port of an authority: what follows the last colon that is in no brackets, or else that of HTTP.
    static func port(of authority: String) -> Int {
        authority.split(separator: "]", omittingEmptySubsequences: false).last
            .flatMap { $0.split(separator: ":", omittingEmptySubsequences: false).dropFirst().last }
            .flatMap { Int($0) } ?? 80
    }

    /// Gives the cookie, and leads to an address without lasting secrets, so that none stays in a history.
    private func letIn(port: Int, _ context: LocalRequestContext) -> Response {
        connections.admit(context.channel)
        return Response(
            status: .seeOther,
            headers: [
                .location: access.makePageAddress(), .setCookie: access.cookie(port: port),
                .cacheControl: "no-store",
            ])
    }

    /// The pages of other ports send the cookie too, and could load what is here as scripts and pictures. Browsers say
    /// where a request comes from; the way to the page itself may lead from anywhere.
    private func checkReader(_ request: Request) throws {
        guard let site = request.headers[.fetchSite], site == "same-site" || site == "cross-site" else {
            return
        }
        guard request.uri.path == "/", request.headers[.fetchMode] == "navigate" else { throw Self.foreign }
    }

    private static let foreign = SiteError(
        .forbidden, code: "origin", "This request does not come from a page of this server.")

    private func checkOrigin(_ request: Request, _ host: String) throws {
        if let site = request.headers[.fetchSite], site != "same-origin" { throw Self.foreign }
        guard let origin = request.headers[.origin], origin == "http://\(host)" else { throw Self.foreign }
        let type = request.headers[.contentType]?.split(separator: ";").first?.lowercased()
        // Neither is a type that a form of another page could send.
        guard type == "application/json" || type == "application/octet-stream" else {
            throw SiteError(.unsupportedMediaType, code: "type", "The request must be JSON or a file.")
        }
    }
}
