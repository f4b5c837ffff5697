/// The secrets by which a local site knows the person who started it.
package struct SiteAccess: Sendable {
    /// What the printed address holds. It is good for as long as the site is served: only the terminal has it.
    package let token: String
    /// The value of the cookie that a token is exchanged for.
    let session: String
    private let tickets: SingleUseTickets

    /// - Parameter ticketLifetime: how long a ticket is good for.
    package init(ticketLifetime: Duration = .seconds(60)) {
        token = Self.randomText()
        session = Self.randomText()
        tickets = SingleUseTickets(lifetime: ticketLifetime)
    }

    /// The path and query of the address that is printed.
    package var entrance: String { "/?token=\(token)" }

    /// The path and query of an address that lets a browser in once, within a minute. Whoever may list the processes of
    /// this computer sees the address that a program is told to open; it is of no use then.
    package func makeSingleEntrance() -> String { "/?ticket=\(tickets.issue(Self.randomText()))" }

    /// Whether a token is that of the printed address.
    func admits(token given: String) -> Bool { Self.areEqual(given, token) }

    /// Whether a ticket lets in; the next time it does not.
    func redeem(ticket: String) -> Bool { tickets.redeem(ticket) }

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

    /// Compares all bytes, whether they differ or not, so that the time tells nothing.
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
