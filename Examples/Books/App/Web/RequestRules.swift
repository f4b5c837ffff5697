import Hummingbird
import Synchronization

/// What the app needs to know of a request besides the request.
struct BooksRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The fields of the query.
    var query = Fields()
    /// The state of the document from which on the page must hear of changes.
    var revision = ""
    /// The fields of a form that was posted; its token is right.
    var form = Fields()

    init(source: Source) { coreContext = .init(source: source) }
}

/// Under which names the app answers: this computer's own, with its port.
///
/// A page of somebody else's can make a name of theirs lead to this computer, but not these names.
final class AllowedHosts: Sendable {
    private let authorities = Mutex<Set<String>>([])

    init(_ authorities: Set<String> = []) { self.authorities.withLock { $0 = authorities } }

    /// Allows the names of this computer with a port.
    func allow(port: Int) {
        let names = ["localhost", "127.0.0.1", "[::1]"]
        authorities.withLock {
            $0 = Set(names.flatMap { port == 80 ? [$0, "\($0):80"] : ["\($0):\(port)"] })
        }
    }

    func contains(_ authority: String) -> Bool {
        authorities.withLock { $0.contains(authority.lowercased()) }
    }
}

/// Refuses what no page of ours sends, and takes queries and forms apart.
///
/// Whatever changes something is a POST that comes from a page of this server (its `Origin`, or else its `Referer`,
/// says so) and carries the random token that only such a page knows.
struct RequestRules: RouterMiddleware {
    static let longestQuery = 4096
    static let longestForm = 64 * 1024

    let hosts: AllowedHosts
    let token: String
    let news: DocumentNews

    func handle(
        _ request: Request, context: BooksRequestContext,
        next: (Request, BooksRequestContext) async throws -> Response
    ) async throws -> Response {
        guard let host = request.head.authority, hosts.contains(host) else {
            throw HTTPError(
                .misdirectedRequest, message: "This server answers only under this computer's own name.")
        }
        var context = context
        let query = request.uri.query ?? ""
        guard query.utf8.count <= Self.longestQuery else {
            throw HTTPError(.uriTooLong, message: "The address is too long.")
        }
        guard let fields = try? Fields(decoding: query.utf8) else {
            throw HTTPError(.badRequest, message: "The address is not valid.")
        }
        context.query = fields
        context.revision = news.revision
        switch request.method {
        case .get, .head: break
        case .post:
            try checkOrigin(request, host)
            context.form = try await form(request)
        default: throw HTTPError(.methodNotAllowed, message: "This cannot be done here.")
        }
        return try await next(request, context)
    }

    private func checkOrigin(_ request: Request, _ host: String) throws {
        let refusal = HTTPError(.forbidden, message: "This form does not come from a page of this server.")
        if let site = request.headers[.fetchSite], site != "same-origin" { throw refusal }
        let own = "http://\(host)"
        if let origin = request.headers[.origin] {
            guard origin == own else { throw refusal }
        } else if let referer = request.headers[.referer] {
            guard referer == own || referer.hasPrefix(own + "/") else { throw refusal }
        } else {
            throw refusal
        }
    }

    private func form(_ request: Request) async throws -> Fields {
        let type = request.headers[.contentType]?.split(separator: ";").first?.lowercased()
        guard type == "application/x-www-form-urlencoded" else {
            throw HTTPError(.unsupportedMediaType, message: "The request must be a form.")
        }
        let body = try await request.body.collect(upTo: Self.longestForm)
        guard let fields = try? Fields(decoding: body.readableBytesView) else {
            throw HTTPError(.badRequest, message: "The form is not valid.")
        }
        guard let given = fields["token"], isToken(given) else {
            throw HTTPError(
                .forbidden,
                message: """
                    This form is from an earlier start of the server. Go back, reload the page, and send the \
                    form again.
                    """)
        }
        return fields
    }

    /// Compares all bytes, whether they differ or not, so that the time reveals nothing.
    private func isToken(_ given: String) -> Bool {
        guard given.utf8.count == token.utf8.count else { return false }
        return zip(given.utf8, token.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// A new random token of 256 bits.
    static func newToken() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).map { _ in
            let digits = String(generator.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
