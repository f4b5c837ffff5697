import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@testable import LocalSite

/// Clients that connect to a running site and are slow, or many. Each test waits for what the server does.
@Suite("Slow and idle clients") struct ConnectionLimitTests {
    private static let never = Duration.seconds(86_400)

    /// Limits that no test reaches, but for those that it sets.
    private static func limits(_ change: (inout ConnectionLimits) -> Void) -> ConnectionLimits {
        var limits = ConnectionLimits()
        (limits.head, limits.body, limits.idle, limits.unauthenticatedIdle) = (never, never, never, never)
        change(&limits)
        return limits
    }

    private func withServer(
        _ limits: ConnectionLimits, _ body: @Sendable (LocalSite, Int) async throws -> Void
    ) async throws {
        let files = StaticFiles(["index.html": Array("<!doctype html>".utf8)])
        let site = LocalSite(name: "Test", files: files, limits: limits) { router in
            router.get("api/value") { _, _ in "value" }
            router.post("api/change") { request, context in
                "\(try await request.data(atMost: context.maxUploadSize).count) bytes"
            }
        }
        try await site.application(port: 0) { _, _ in }.test(.live) { client in
            let port = try #require(client.port)
            // The test's own client has connected; it is the first.
            while site.connections.opened == 0 { try await Task.sleep(for: .milliseconds(10)) }
            try await body(site, port)
        }
    }

    private static func request(
        _ line: String, _ site: LocalSite, _ port: Int, isAdmitted: Bool = true, _ others: String = ""
    ) -> String {
        let secrets =
            "Cookie: \(SiteAccess.cookieName(port: port))=\(site.access.session)\r\n"
            + (isAdmitted ? "Authorization: \(site.access.authorization)\r\n" : "")
        return "\(line) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(secrets)\(others)\r\n"
    }

    @Test("A connection without data is closed")
    func silence() async throws {
        try await withServer(Self.limits { $0.head = .milliseconds(50) }) { _, port in
            let client = try SlowClient(port: port)
            #expect(await client.receiveAll() == "")
        }
    }

    @Test("A connection with slow headers is closed after the time limit")
    func slowHeaders() async throws {
        try await withServer(Self.limits { $0.head = .milliseconds(200) }) { _, port in
            let client = try SlowClient(port: port)
            client.send("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n")
            // As long as it takes.
            async let ended = client.receiveAll()
            var number = 0
            while client.send("X-\(number): 1\r\n"), number < 80 {
                number += 1
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(await ended == "")
        }
    }

    private static func begun(_ site: LocalSite, _ port: Int, isAdmitted: Bool) -> String {
        request(
            "POST /api/change", site, port, isAdmitted: isAdmitted,
            "Origin: http://127.0.0.1:\(port)\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n")
            + "{"
    }

    @Test("A connection with a slow body is closed after the time limit")
    func slowBody() async throws {
        try await withServer(Self.limits { $0.body = .milliseconds(200) }) { site, port in
            let client = try SlowClient(port: port)
            client.send(Self.begun(site, port, isAdmitted: true))
            #expect(await client.receiveAll().contains("bytes") == false)
        }
    }

    @Test("A client without the key is refused before its body has arrived")
    func strangersBody() async throws {
        try await withServer(Self.limits { $0.unauthenticatedIdle = .milliseconds(50) }) { site, port in
            let client = try SlowClient(port: port)
            client.send(Self.begun(site, port, isAdmitted: false))
            #expect(await client.receiveAll().contains("401"))
        }
    }

    @Test("An idle connection without the key is closed, and one with it stays")
    func idle() async throws {
        try await withServer(Self.limits { $0.unauthenticatedIdle = .milliseconds(50) }) { site, port in
            let client = try SlowClient(port: port)
            client.send(Self.request("GET /", site, port, isAdmitted: false))
            #expect(await client.receiveAll().contains("<!doctype html>"))
            let page = try SlowClient(port: port)
            page.send(Self.request("GET /api/value", site, port))
            #expect(await page.receive().contains("200 OK"))
            // Another stranger's end comes later than the page's would.
            let other = try SlowClient(port: port)
            other.send(Self.request("GET /", site, port, isAdmitted: false))
            _ = await other.receiveAll()
            page.send(Self.request("GET /api/value", site, port))
            #expect(await page.receive().contains("200 OK"))
        }
        try await withServer(Self.limits { $0.idle = .milliseconds(50) }) { site, port in
            let page = try SlowClient(port: port)
            page.send(Self.request("GET /api/value", site, port))
            #expect(await page.receiveAll().contains("200 OK"))
        }
    }

    @Test(
        "The connection of a refused client is closed",
        arguments: ["Cookie: x=1\r\n", "Host: example.com\r\n"])
    func refused(header: String) async throws {
        try await withServer(Self.limits { _ in }) { _, port in
            let client = try SlowClient(port: port)
            let host = header.hasPrefix("Host") ? "" : "Host: 127.0.0.1:\(port)\r\n"
            client.send("GET /api/value HTTP/1.1\r\n\(host)\(header)\r\n")
            let answer = await client.receiveAll()
            #expect(answer.contains("401") || answer.contains("421"))
            #expect(answer.lowercased().contains("connection: close"))
        }
    }

    @Test("Many clients without the key neither block nor close connections of the page")
    func many() async throws {
        try await withServer(Self.limits { $0.count = 8 }) { site, port in
            let page = try SlowClient(port: port)
            page.send(Self.request("GET /api/value", site, port))
            #expect(await page.receive().contains("200 OK"))
            var strangers: [SlowClient] = []
            for _ in 0..<40 {
                let missingToken = try SlowClient(port: port)
                missingToken.send("GET / HTTP/1.1\r\n")
                strangers.append(missingToken)
            }
            // Some are closed for the others, so that there are no more than those of the limit.
            await withTaskGroup(of: String.self) { group in
                for missingToken in strangers { group.addTask { await missingToken.receiveAll() } }
                for _ in 0..<(strangers.count + 1 - 8) {
                    let text = await group.next()
                    #expect(text == "")
                }
                #expect(site.connections.count <= 8)
                // The page has what it had, and gets more.
                page.send(Self.request("GET /api/value", site, port))
                #expect(await page.receive().contains("200 OK"))
                for _ in 0..<4 {
                    do {
                        let another = try SlowClient(port: port)
                        another.send(Self.request("GET /api/value", site, port))
                        #expect(await another.receive().contains("200 OK"))
                    } catch { Issue.record(error) }
                }
                for missingToken in strangers { missingToken.end() }
            }
        }
    }

    @Test("A connection beyond the limit is closed if all others have shown the key")
    func full() async throws {
        try await withServer(Self.limits { $0.count = 2 }) { site, port in
            var pages: [SlowClient] = []
            for _ in 0..<2 {
                let page = try SlowClient(port: port)
                page.send(Self.request("GET /api/value", site, port))
                #expect(await page.receive().contains("200 OK"))
                pages.append(page)
            }
            let client = try SlowClient(port: port)
            #expect(await client.receiveAll() == "")
            for page in pages {
                page.send(Self.request("GET /api/value", site, port))
                #expect(await page.receive().contains("200 OK"))
            }
        }
    }

    @Test("Closed connections are not counted")
    func closed() async throws {
        try await withServer(Self.limits { _ in }) { site, port in
            for _ in 0..<20 {
                let client = try SlowClient(port: port)
                client.send(Self.request("GET /api/value", site, port, "Connection: close\r\n"))
                #expect(await client.receiveAll().contains("value"))
            }
            // But for the one that the test's own client has.
            while site.connections.count > 1 { try await Task.sleep(for: .milliseconds(10)) }
        }
    }
}
