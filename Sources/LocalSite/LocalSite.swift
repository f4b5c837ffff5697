import Hummingbird

/// A web application for the person at this computer, served on its loopback address for as long as a command runs.
///
/// Pages are reached by an address with a random token in it; a browser is opened with another one that is good once.
/// Both are exchanged for a cookie, without which nothing is answered, and a key, without which nothing but the files of the page
/// is (``SiteAccess``). Every request has to name this computer as its host; whatever changes something is a POST of
/// JSON, or of a file, that comes from a page of this server. Pages may load nothing from elsewhere and hold no script of their
/// own.
///
/// ```swift
/// let site = LocalSite(name: "Model Editor", files: StaticFiles([…])) { router in
///     router.post("api/save") { request, context in … }
/// }
/// try await site.serve(port: 0) { address, _ in print(address) }
/// ```
package struct LocalSite: Sendable {
    /// What the application is called in the messages of its errors.
    package let name: String
    /// The secrets that the address and the cookie hold.
    package let access: SiteAccess
    /// The connections of the running server.
    let connections: SiteConnections
    private let files: StaticFiles
    private let addRoutes: @Sendable (Router<LocalRequestContext>) -> Void

    /// - Parameters:
    ///   - name: what the application is called.
    ///   - files: the pages, scripts and style sheets; `/` is the file `index.html`.
    ///   - addRoutes: adds what the application answers besides.
    package init(
        name: String, files: StaticFiles, access: SiteAccess = SiteAccess(),
        limits: ConnectionLimits = ConnectionLimits(),
        addRoutes: @escaping @Sendable (Router<LocalRequestContext>) -> Void
    ) {
        self.name = name
        self.files = files
        self.access = access
        connections = SiteConnections(limits)
        self.addRoutes = addRoutes
    }

    /// Where a page exchanges a code for its key.
    static let keyPath = "/api/session"

    private struct Code: Decodable {
        var code: String
    }

    private struct Key: Encodable {
        let key: String
    }

    private struct Nothing: Decodable {}

    private struct Ticket: Encodable {
        let ticket: String
    }

    /// The routes and the rules that every request has to meet.
    package func router(hosts: AllowedHosts) -> Router<LocalRequestContext> {
        let router = Router(context: LocalRequestContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: SecurityHeaders())
        router.add(middleware: ErrorAnswers())
        router.add(middleware: LocalRequestRules(hosts: hosts, access: access, connections: connections))
        router.get("/") { request, _ in try files.response("index.html", request) }
        router.get("files/{name}") { request, context in
            try files.response(context.parameters.get("name") ?? "", request)
        }
        router.post("api/session") { request, context in
            let code = try await request.json(Code.self, context).code
            guard access.redeem(code: code) else { throw Self.usedCode }
            return try Response(json: Key(key: access.key))
        }
        router.post("api/ticket") { request, context in
            _ = try await request.json(Nothing.self, context)
            return try Response(json: Ticket(ticket: access.makeDownloadTicket()))
        }
        addRoutes(router)
        return router
    }

    private static let usedCode = SiteError(
        .unauthorized, code: "access",
        "A page can be opened with its code only once, within a minute. Open the address that the command printed."
    )
}
