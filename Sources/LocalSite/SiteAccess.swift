/// The secrets by which a local site knows the person who started it.
///
/// Browsers send a cookie to every port of a host, so that another user's server on this computer gets it with the first
/// request that follows a link there. The cookie alone therefore gives the files of the page only, which hold nothing of the
/// person's. All other requests need a key, which the page keeps in its local storage: that belongs to one port. The
/// page gets the key for a code that is good once and is in the fragment of the address that it is led to.
package struct SiteAccess: Sendable {
    /// What the printed address holds. It is good for as long as the site is served: only the terminal has it.
    package let token: String
    /// The value of the cookie that a token is exchanged for.
    let session: String
    /// What the page sends in a header, besides the cookie.
    let key: String
    private let tickets: SingleUseTickets
    private let codes: SingleUseTickets
    private let downloads: SingleUseTickets

    /// - Parameter ticketLifetime: how long a ticket, and what else is good once, is good for.
    package init(ticketLifetime: Duration = .seconds(60)) {
        token = Self.randomText()
        session = Self.randomText()
        key = Self.randomText()
        tickets = SingleUseTickets(lifetime: ticketLifetime)
        codes = SingleUseTickets(lifetime: ticketLifetime)
        downloads = SingleUseTickets(lifetime: ticketLifetime)
    }

    /// The path and query of the address that is printed.
    package var entrance: String { "/?token=\(token)" }

    /// The path and query of an address that lets a browser in once, within a minute. A user who may list the processes of
    /// this computer sees the address that a program opens; it is of no use then.
    package func makeSingleEntrance() -> String { "/?ticket=\(tickets.issue(Self.randomText()))" }

    /// Whether a token is that of the printed address.
    func admits(token given: String) -> Bool { Self.areEqual(given, token) }

    /// Whether a ticket lets in; the next time it does not.
    func redeem(ticket: String) -> Bool { tickets.redeem(ticket) }

    /// The value of the header `Authorization` of a request of the page.
    package var authorization: String { "Bearer \(key)" }

    /// Whether a header `Authorization` holds the key.
    func admits(authorization given: String?) -> Bool {
        given.map { Self.areEqual($0, authorization) } ?? false
    }

    /// Where a page finds itself that has been let in. The code in the fragment is sent to no server by the browser, and is of
    /// no use once the page has exchanged it.
    func makePageAddress() -> String { "/#code=\(codes.issue(Self.randomText()))" }

    /// Whether a code is one that a page was led to; the next time it is not.
    func redeem(code: String) -> Bool { codes.redeem(code) }

    /// A secret for the address of one download: a browser requests downloads without a key.
    func makeDownloadTicket() -> String { downloads.issue(Self.randomText()) }

    /// Whether a download may go on; the next time it may not.
    func redeem(download: String) -> Bool { downloads.redeem(download) }

    /// The name of the cookie of the server at a port. Browsers keep the cookies of all ports of a host together.
    static func cookieName(port: Int) -> String { "coredata-\(port)" }

    /// The value of the header `Set-Cookie`.
    func cookie(port: Int) -> String {
        "\(Self.cookieName(port: port))=\(session); Path=/; HttpOnly; SameSite=Strict"
    }

    /// Whether the cookies of a request let it in.
    func admits(cookies: [String], port: Int) -> Bool {
        let name = Self.cookieName(port: port)
        return cookies.contains { header in
            header.split(separator: ";").prefix(200).contains { cookie in
                let parts = cookie.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, parts[0].drop(while: { $0 == " " }) == name else { return false }
                return Self.areEqual(String(parts[1]), session)
            }
        }
    }

    /// Compares all bytes, whether they differ or not, so that the time reveals nothing.
    static func areEqual(_ given: String, _ secret: String) -> Bool {
        guard given.utf8.count == secret.utf8.count else { return false }
        return zip(given.utf8, secret.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// 256 random bits in hexadecimal digits.
    private static func randomText() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).map { _ in
            let digits = String(generator.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
