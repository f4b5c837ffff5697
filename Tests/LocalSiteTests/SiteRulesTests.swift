import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@testable import LocalSite

/// Requests as the page, and others, send them.
@Suite struct SiteRulesTests {
    private struct Echo: Codable, Equatable {
        var text: String
    }

    /// A site with one page, one answer, and one that takes JSON, under the name `localhost`.
    private func withSite(
        _ body: @Sendable (LocalSite, any TestClientProtocol) async throws -> Void
    ) async throws {
        let files = StaticFiles(["index.html": Array("<!doctype html>".utf8)]).adding(.shared)
        // No test waits so long, however busy the machine is.
        let access = SiteAccess(ticketLifetime: .seconds(86_400))
        let site = LocalSite(name: "Test", files: files, access: access) { router in
            router.get("api/value") { _, _ in try Response(json: Echo(text: "<b>")) }
            router.post("api/echo") { request, context in
                try Response(json: try await request.json(Echo.self, context))
            }
        }
        let app = Application(router: site.router(hosts: AllowedHosts(["localhost"])))
        try await app.test(.router) { client in try await body(site, client) }
    }

    private static func cookie(_ site: LocalSite) -> HTTPFields {
        [.cookie: "other=1; \(SiteAccess.cookieName(port: 80))=\(site.access.session)"]
    }

    /// What the page sends with what reads something.
    private static func reader(_ site: LocalSite) -> HTTPFields {
        var headers = cookie(site)
        headers[.authorization] = site.access.authorization
        return headers
    }

    private static func headers(_ site: LocalSite, _ changes: HTTPFields = [:]) -> HTTPFields {
        var headers = reader(site)
        headers[.origin] = "http://localhost"
        headers[.contentType] = "application/json"
        for field in changes { headers[field.name] = field.value.isEmpty ? nil : field.value }
        return headers
    }

    private static func text(_ response: TestResponse) -> String { String(buffer: response.body) }

    @Test("The token is exchanged for a cookie")
    func theTokenIsExchangedForACookie() async throws {
        try await withSite { site, client in
            let answer = try await client.execute(uri: site.access.entrance, method: .get) { $0 }
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.location]?.hasPrefix("/#code=") == true)
            let cookie = try #require(answer.headers[.setCookie])
            #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
            #expect(!cookie.contains(site.access.token))
            let pair = try #require(cookie.split(separator: ";").first.map(String.init))
            let page = try await client.execute(uri: "/", method: .get, headers: [.cookie: pair]) { $0 }
            #expect(page.status == .ok)
            #expect(Self.text(page) == "<!doctype html>")
        }
    }

    @Test("The address that opens a browser works once")
    func theAddressThatABrowserIsOpenedWithIsGoodOnce() async throws {
        try await withSite { site, client in
            let entrance = site.access.makeSingleEntrance()
            #expect(!entrance.contains(site.access.token) && !entrance.contains(site.access.session))
            let answer = try await client.execute(uri: entrance, method: .get) { $0 }
            #expect(answer.status == .seeOther && answer.headers[.setCookie] != nil)
            let again = try await client.execute(uri: entrance, method: .get) { $0 }
            #expect(again.status == .unauthorized && again.headers[.setCookie] == nil)
            #expect(Self.text(again).contains("once"))
            // The printed token stays valid, and a ticket is not a token.
            #expect(
                try await client.execute(uri: site.access.entrance, method: .get) { $0 }.status == .seeOther)
            let mixed = site.access.makeSingleEntrance().replacingOccurrences(of: "ticket", with: "token")
            #expect(try await client.execute(uri: mixed, method: .get) { $0 }.status == .unauthorized)
        }
    }

    @Test("A ticket expires, and each ticket is different")
    func aTicketIsGoodForATime() {
        let access = SiteAccess(ticketLifetime: .zero)
        let late = access.makeSingleEntrance().split(separator: "=").last.map(String.init)
        #expect(!access.redeem(ticket: late ?? ""))
        let other = SiteAccess(ticketLifetime: .seconds(86_400))
        let (one, two) = (other.makeSingleEntrance(), other.makeSingleEntrance())
        #expect(one != two)
        for entrance in [two, one] {
            #expect(other.redeem(ticket: entrance.split(separator: "=").last.map(String.init) ?? ""))
        }
    }

    @Test(
        "The port for the name of the cookie is that of the authority, or 80",
        arguments: [
            ("localhost", 80), ("localhost:8123", 8123), ("127.0.0.1:80", 80), ("[::1]", 80),
            ("[::1]:8123", 8123),
            ("", 80), ("localhost:", 80), ("]", 80),
        ])
    func cookiesAreNamedByThePort(authority: String, port: Int) {
        #expect(LocalRequestRules.port(of: authority) == port)
    }

    @Test("The cookie of another port is refused")
    func theCookieOfAnotherPortDoesNotCount() async throws {
        try await withSite { site, client in
            let headers: HTTPFields = [.cookie: "coredata-8123=\(site.access.session)"]
            let answer = try await client.execute(uri: "/", method: .get, headers: headers) { $0 }
            #expect(answer.status == .unauthorized)
        }
    }

    @Test(
        "Without the cookie every request is refused",
        arguments: [
            "/", "/files/site.css", "/api/value", "/?token=wrong", "/?token=", "/?ticket=", "/?ticket=x",
            "/nothing",
        ])
    func nothingIsAnsweredWithoutTheCookie(path: String) async throws {
        try await withSite { _, client in
            let answer = try await client.execute(uri: path, method: .get) { $0 }
            #expect(answer.status == .unauthorized)
            #expect(answer.headers[.setCookie] == nil)
            #expect(Self.text(answer).contains(#""code":"access""#))
        }
    }

    @Test("A wrong cookie is refused")
    func aWrongCookieIsRefused() async throws {
        try await withSite { site, client in
            for value in ["", "x", site.access.token, String(site.access.session.dropLast())] {
                let headers: HTTPFields = [.cookie: "\(SiteAccess.cookieName(port: 80))=\(value)"]
                let answer = try await client.execute(uri: "/", method: .get, headers: headers) { $0 }
                #expect(answer.status == .unauthorized, "\(value)")
            }
        }
    }

    @Test("A request for another host is refused")
    func anotherHostIsRefused() async throws {
        let site = LocalSite(name: "Test", files: .shared) { _ in }
        let app = Application(router: site.router(hosts: AllowedHosts(["localhost:1"])))
        try await app.test(.router) { client in
            let answer = try await client.execute(uri: site.access.entrance, method: .get) { $0 }
            #expect(answer.status == .misdirectedRequest)
        }
    }

    @Test("The allowed hosts are local ones with the port")
    func hostsAreThoseOfThisComputer() {
        let hosts = AllowedHosts()
        hosts.allow(port: 8123)
        #expect(
            hosts.contains("localhost:8123") && hosts.contains("127.0.0.1:8123")
                && hosts.contains("[::1]:8123"))
        #expect(
            !hosts.contains("localhost") && !hosts.contains("example.com:8123")
                && !hosts.contains("127.0.0.1:80"))
    }

    @Test("Every answer has the content security policy")
    func everyAnswerHasThePolicy() async throws {
        try await withSite { site, client in
            for path in ["/", "/files/api.js", "/api/value", "/nothing"] {
                let answer = try await client.execute(uri: path, method: .get, headers: Self.reader(site)) {
                    $0
                }
                let policy = try #require(answer.headers[.contentSecurityPolicy])
                #expect(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"))
                #expect(!policy.contains("unsafe"))
                #expect(answer.headers[.xContentTypeOptions] == "nosniff")
                #expect(answer.headers[.xFrameOptions] == "DENY")
            }
        }
    }

    @Test("Files are served by known names only, and unchanged ones are not sent again")
    func filesAreServedByNameOnly() async throws {
        try await withSite { site, client in
            for (name, type) in [
                ("site.css", "text/css"), ("dom.js", "text/javascript"), ("icon.svg", "image/svg+xml"),
            ] {
                let answer = try await client.execute(
                    uri: "/files/\(name)", method: .get, headers: Self.cookie(site)
                ) { $0 }
                #expect(answer.status == .ok)
                #expect(answer.headers[.contentType]?.hasPrefix(type) == true)
                var headers = Self.cookie(site)
                headers[.ifNoneMatch] = answer.headers[.eTag]
                let again = try await client.execute(uri: "/files/\(name)", method: .get, headers: headers) {
                    $0
                }
                #expect(again.status == .notModified)
            }
            for path in ["/files/..%2FPackage.swift", "/files/%2e%2e/x", "/files/x.js", "/files/"] {
                let answer = try await client.execute(uri: path, method: .get, headers: Self.cookie(site)) {
                    $0
                }
                #expect(answer.status == .notFound, "\(path)")
            }
        }
    }

    @Test("JSON is received and sent")
    func jsonIsReceivedAndSent() async throws {
        try await withSite { site, client in
            let answer = try await client.execute(
                uri: "/api/echo", method: .post, headers: Self.headers(site),
                body: ByteBuffer(string: #"{"text":"é</script>"}"#)
            ) { $0 }
            #expect(answer.status == .ok)
            #expect(answer.headers[.cacheControl] == "no-store")
            #expect(
                try JSONDecoder().decode(Echo.self, from: Data(answer.body.readableBytesView)).text
                    == "é</script>")
        }
    }

    @Test("A POST of another origin, type or without credentials is refused")
    func aPostOfAnotherPageIsRefused() async throws {
        let other = HTTPField.Name.fetchSite
        try await withSite { site, client in
            let refused: [(HTTPFields, HTTPResponse.Status)] = [
                ([.origin: ""], .forbidden), ([.origin: "http://example.com"], .forbidden),
                ([.origin: "http://localhost:81"], .forbidden), ([.origin: "null"], .forbidden),
                ([other: "cross-site"], .forbidden), ([other: "same-site"], .forbidden),
                ([.contentType: "text/plain"], .unsupportedMediaType), ([.cookie: ""], .unauthorized),
                ([.authorization: ""], .unauthorized),
                ([.authorization: "Bearer \(site.access.session)"], .unauthorized),
            ]
            for (changes, status) in refused {
                let answer = try await client.execute(
                    uri: "/api/echo", method: .post, headers: Self.headers(site, changes),
                    body: ByteBuffer(string: #"{"text":""}"#)
                ) { $0 }
                #expect(answer.status == status, "\(changes)")
            }
        }
    }

    @Test(
        "A request from a page of another site is refused, unless it navigates to the page",
        arguments: [
            ("/api/value", "same-origin", "cors", true), ("/api/value", "none", "navigate", true),
            ("/api/value", "same-site", "no-cors", false), ("/api/value", "cross-site", "navigate", false),
            ("/files/site.css", "same-site", "no-cors", false), ("/", "cross-site", "navigate", true),
            ("/", "same-site", "no-cors", false), ("/", "same-site", "navigate", true),
        ])
    func requestsOfOtherSites(
        path: String, site from: String, mode: String, isAnswered: Bool
    ) async throws {
        try await withSite { site, client in
            var headers = Self.reader(site)
            headers[.fetchSite] = from
            headers[.fetchMode] = mode
            for method in [HTTPRequest.Method.get, .head] {
                let answer = try await client.execute(uri: path, method: method, headers: headers) { $0 }
                #expect((answer.status != .forbidden) == isAnswered, "\(method) \(answer.status)")
            }
        }
    }

    @Test("A body that is not JSON by type is refused")
    func otherContentTypesAreRefused() async throws {
        try await withSite { site, client in
            let answer = try await client.execute(
                uri: "/api/echo", method: .post,
                headers: Self.headers(site, [.contentType: "application/octet-stream"]),
                body: ByteBuffer(string: #"{"text":""}"#)
            ) { $0 }
            #expect(answer.status == .unsupportedMediaType)
        }
    }

    @Test("Malformed and too large JSON is refused, and a missing key is named")
    func malformedJSON() async throws {
        try await withSite { site, client in
            func send(_ body: String) async throws -> TestResponse {
                try await client.execute(
                    uri: "/api/echo", method: .post, headers: Self.headers(site),
                    body: ByteBuffer(string: body)
                ) { $0 }
            }
            let missing = try await send("{}")
            #expect(missing.status == .badRequest)
            #expect(Self.text(missing).contains("text"))
            #expect(try await send("{").status == .badRequest)
            let large = try await send(#"{"text":""# + String(repeating: "a", count: 4 << 20) + #""}"#)
            #expect(large.status == .contentTooLarge)
        }
    }

    @Test("Other methods are refused, and GET does not reach routes that change something")
    func nothingIsChangedByAGet() async throws {
        try await withSite { site, client in
            for method in [HTTPRequest.Method.put, .delete, .patch] {
                let answer = try await client.execute(
                    uri: "/api/echo", method: method, headers: Self.headers(site)
                ) { $0 }
                #expect(answer.status == .methodNotAllowed)
            }
            let get = try await client.execute(uri: "/api/echo", method: .get, headers: Self.reader(site)) {
                $0
            }
            #expect(get.status == .notFound)
            let long = try await client.execute(
                uri: "/api/value?x=\(String(repeating: "a", count: 9000))", method: .get,
                headers: Self.reader(site)
            ) { $0 }
            #expect(long.status == .uriTooLong)
        }
    }

    @Test("The secrets of each site are different")
    func secretsDiffer() {
        let (one, other) = (SiteAccess(), SiteAccess())
        #expect(one.token.count == 64 && one.session.count == 64)
        #expect(Set([one.token, other.token, one.session, other.session]).count == 4)
    }
}
