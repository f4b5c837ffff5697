import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@testable import LocalSite

/// Browsers send a cookie to the servers of all ports of this computer: what one of them can do with it.
@Suite("The key of a page") struct PageKeyTests {
    private struct Value: Codable, Equatable {
        var text = "value"
    }

    private struct Key: Decodable {
        let key: String
    }

    private struct Ticket: Decodable {
        let ticket: String
    }

    private func withSite(
        _ body: @Sendable (LocalSite, any TestClientProtocol) async throws -> Void
    ) async throws {
        let files = StaticFiles(["index.html": Array("<!doctype html>".utf8)]).adding(.shared)
        // No test waits so long, however busy the machine is.
        let access = SiteAccess(ticketLifetime: .seconds(86_400))
        let site = LocalSite(name: "Test", files: files, access: access) { router in
            router.get("api/value") { _, _ in try Response(json: Value()) }
            router.post("api/change") { request, context in
                try Response(json: try await request.json(Value.self, context))
            }
        }
        let app = Application(router: site.router(hosts: AllowedHosts(["localhost"])))
        try await app.test(.router) { client in try await body(site, client) }
    }

    /// What another server of this computer has got, with the headers of a page that it can add.
    private static func stolen(_ site: LocalSite) -> HTTPFields {
        [
            .cookie: "\(SiteAccess.cookieName(port: 80))=\(site.access.session)",
            .origin: "http://localhost", .contentType: "application/json",
        ]
    }

    private static func page(_ site: LocalSite) -> HTTPFields {
        var headers = stolen(site)
        headers[.authorization] = site.access.authorization
        return headers
    }

    private static func value<Value: Decodable>(_ response: TestResponse, _ type: Value.Type) throws -> Value
    {
        try JSONDecoder().decode(type, from: Data(response.body.readableBytesView))
    }

    @Test("The cookie alone reads nothing and changes nothing")
    func theCookieAloneIsNotEnough() async throws {
        try await withSite { site, client in
            let headers = Self.stolen(site)
            for method in [HTTPRequest.Method.get, .head] {
                for path in ["/api/value", "/api/value?ticket=", "/api/value?ticket=x", "/api/nothing"] {
                    let answer = try await client.execute(uri: path, method: method, headers: headers) { $0 }
                    #expect(answer.status == .unauthorized, "\(method) \(path)")
                }
            }
            for path in ["/api/change", "/api/ticket"] {
                let answer = try await client.execute(
                    uri: path, method: .post, headers: headers, body: ByteBuffer(string: #"{"text":""}"#)
                ) { $0 }
                #expect(answer.status == .unauthorized, "\(path)")
            }
            // The page and its files are those of the program.
            for path in ["/", "/files/api.js"] {
                #expect(
                    try await client.execute(uri: path, method: .get, headers: headers) { $0 }.status == .ok)
            }
        }
    }

    @Test("The key alone reads nothing")
    func theKeyAloneIsNotEnough() async throws {
        try await withSite { site, client in
            let headers: HTTPFields = [.authorization: site.access.authorization]
            let answer = try await client.execute(uri: "/api/value", method: .get, headers: headers) { $0 }
            #expect(answer.status == .unauthorized)
        }
    }

    @Test(
        "Any other authorization than the key is refused",
        arguments: ["", "Bearer ", "Bearer x", "basic", "token", "session", "key", "code"])
    func anotherKeyIsRefused(kind: String) async throws {
        try await withSite { site, client in
            var headers = Self.stolen(site)
            let code = site.access.makePageAddress().split(separator: "=").last ?? ""
            headers[.authorization] =
                switch kind {
                case "token": "Bearer \(site.access.token)"
                case "session": "Bearer \(site.access.session)"
                case "key": site.access.key
                case "code": "Bearer \(code)"
                case "basic": "Basic \(site.access.key)"
                default: kind
                }
            let answer = try await client.execute(uri: "/api/value", method: .get, headers: headers) { $0 }
            #expect(answer.status == .unauthorized)
        }
    }

    @Test("The page exchanges its code once, with the cookie", arguments: [true, false])
    func theCodeIsExchangedOnce(byTicket: Bool) async throws {
        try await withSite { site, client in
            let entrance = byTicket ? site.access.makeSingleEntrance() : site.access.entrance
            let answer = try await client.execute(uri: entrance, method: .get) { $0 }
            let location = try #require(answer.headers[.location])
            let code = try #require(location.split(separator: "=").last.map(String.init))
            // Nothing of the key or the cookie is in the address.
            #expect(location == "/#code=\(code)" && code.count == 64)
            #expect(![site.access.key, site.access.session, site.access.token].contains(code))
            let body = ByteBuffer(string: #"{"code":"\#(code)"}"#)
            func exchange(_ changes: HTTPFields) async throws -> TestResponse {
                var headers = Self.stolen(site)
                for field in changes { headers[field.name] = field.value.isEmpty ? nil : field.value }
                return try await client.execute(
                    uri: "/api/session", method: .post, headers: headers, body: body
                ) { $0 }
            }
            #expect(try await exchange([.cookie: ""]).status == .unauthorized)
            #expect(try await exchange([.origin: "http://localhost:81"]).status == .forbidden)
            let key = try await exchange([:])
            #expect(key.status == .ok && key.headers[.cacheControl] == "no-store")
            #expect(try Self.value(key, Key.self).key == site.access.key)
            let again = try await exchange([:])
            #expect(again.status == .unauthorized)
            #expect(!String(buffer: again.body).contains(site.access.key))
        }
    }

    @Test("A code expires, and tickets are not codes")
    func codesEnd() {
        let late = SiteAccess(ticketLifetime: .zero)
        let code = late.makePageAddress().split(separator: "=").last.map(String.init) ?? ""
        #expect(!late.redeem(code: code))
        let access = SiteAccess(ticketLifetime: .seconds(86_400))
        let ticket = access.makeSingleEntrance().split(separator: "=").last.map(String.init) ?? ""
        let download = access.makeDownloadTicket()
        #expect(!access.redeem(code: ticket) && !access.redeem(code: download) && !access.redeem(code: ""))
        #expect(!access.redeem(download: ticket) && !access.redeem(ticket: download))
        #expect(access.redeem(ticket: ticket) && access.redeem(download: download))
    }

    @Test("A download ticket works once, with the cookie, and only for reading")
    func aDownloadHasATicket() async throws {
        try await withSite { site, client in
            func ticket() async throws -> String {
                let answer = try await client.execute(
                    uri: "/api/ticket", method: .post, headers: Self.page(site),
                    body: ByteBuffer(string: "{}")
                ) { $0 }
                return try Self.value(answer, Ticket.self).ticket
            }
            let one = try await ticket()
            #expect(one != site.access.key)
            let headers = Self.stolen(site)
            func get(_ ticket: String, _ headers: HTTPFields) async throws
                -> HTTPResponse.Status
            {
                try await client.execute(uri: "/api/value?ticket=\(ticket)", method: .get, headers: headers) {
                    $0
                }.status
            }
            // Neither without the cookie, nor from a page of another port.
            #expect(try await get(one, [:]) == .unauthorized)
            var foreign = headers
            foreign[HTTPField.Name.fetchSite] = "same-site"
            #expect(try await get(one, foreign) == .forbidden)
            #expect(try await get(one, headers) == .ok)
            #expect(try await get(one, headers) == .unauthorized)
            // It changes nothing.
            let two = try await ticket()
            let change = try await client.execute(
                uri: "/api/change?ticket=\(two)", method: .post, headers: headers,
                body: ByteBuffer(string: #"{"text":""}"#)
            ) { $0 }
            #expect(change.status == .unauthorized)
            #expect(try await get(two, headers) == .ok)
        }
    }

    @Test("Requests with cookie and key are answered")
    func thePageIsAnswered() async throws {
        try await withSite { site, client in
            let answer = try await client.execute(
                uri: "/api/value", method: .get, headers: Self.page(site)
            ) { $0 }
            #expect(try Self.value(answer, Value.self) == Value())
            let change = try await client.execute(
                uri: "/api/change", method: .post, headers: Self.page(site),
                body: ByteBuffer(string: #"{"text":"x"}"#)
            ) { $0 }
            #expect(change.status == .ok)
        }
    }
}
