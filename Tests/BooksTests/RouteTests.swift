import CoreData
import Hummingbird
import HummingbirdTesting
import HTTPTypes
import Testing

@testable import BooksApp

/// Requests as browsers, and others, send them.
@Suite struct RouteTests {
    typealias Client = any TestClientProtocol

    /// The pages under the name `localhost`, which the test's client sends.
    private func withPages(
        hosts: AllowedHosts = AllowedHosts(["localhost"]),
        _ body: @Sendable (TestLibrary, Site, Client) async throws -> Void
    ) async throws {
        let library = try await TestLibrary()
        let site = try Site(library.document)
        let app = Application(router: BooksApplication.router(site, hosts: hosts))
        try await app.test(.router) { client in try await body(library, site, client) }
    }

    private static func text(_ response: TestResponse) -> String { String(buffer: response.body) }

    /// Sends a form as a page of the server does.
    private static func post(
        _ client: Client, _ path: String, _ fields: [String: String],
        headers: HTTPFields = [.origin: "http://localhost"]
    ) async throws -> TestResponse {
        let body = fields.map { "\(PageAddress.escaped($0.key))=\(PageAddress.escaped($0.value))" }.joined(
            separator: "&")
        var headers = headers
        if headers[.contentType] == nil { headers[.contentType] = "application/x-www-form-urlencoded" }
        return try await client.execute(
            uri: path, method: .post, headers: headers, body: ByteBuffer(string: body)
        ) { $0 }
    }

    @Test("Every page is served with security headers and without inline code")
    func pagesAreShown() async throws {
        try await withPages { library, _, client in
            try library.add("Über die Dörfer,Peter Handke,1981,11")
            let uuid = try #require(try await library.uuid("Über die Dörfer")).uuidString.lowercased()
            for path in [
                "/", "/?q=uber", "/?from=1981-01", "/authors", "/authors?order=price", "/changes", "/discard",
                "/help",
                "/books/new", "/books/\(uuid)", "/books/\(uuid)/edit", "/books/\(uuid)/delete",
                "/authors/edit?name=Peter%20Handke", "/authors/names?q=p", "/assets/books.css",
                "/assets/books.js",
                "/assets/icon.svg",
            ] {
                try await client.execute(uri: path, method: .get) { response in
                    #expect(response.status == .ok, "\(path)")
                    #expect(response.headers[.contentSecurityPolicy]?.contains("default-src 'none'") == true)
                    #expect(response.headers[.xContentTypeOptions] == "nosniff")
                    #expect(response.headers[.xFrameOptions] == "DENY")
                    #expect(response.headers[.referrerPolicy] == "same-origin")
                    let text = Self.text(response)
                    #expect(!text.contains("style=\"") && !text.contains("<script>") && !text.contains("{{"))
                }
            }
        }
    }

    @Test(
        "A missing page, book or file is not found",
        arguments: [
            "/x", "/books/x", "/books/00000000-0000-0000-0000-000000000000", "/assets/x",
            "/assets/..%2Fcatalogue.csv",
            "/assets/%2e%2e/catalogue.csv", "/authors/edit?name=Unknown", "/books//edit",
        ])
    func missingPages(path: String) async throws {
        try await withPages { _, _, client in
            try await client.execute(uri: path, method: .get) { response in
                #expect(response.status == .notFound)
                #expect(response.headers[.contentSecurityPolicy] != nil)
            }
        }
    }

    @Test("A malformed or too long address is refused")
    func badAddressesAreRefused() async throws {
        try await withPages { _, _, client in
            for (path, status) in [
                ("/?q=%C3", HTTPResponse.Status.badRequest), ("/?q=%zz", .badRequest),
                ("/?q=%00", .badRequest),
                ("/?q=" + String(repeating: "x", count: 5000), .uriTooLong), ("/events?view=x", .badRequest),
                ("/events?view=book&uuid=x", .badRequest),
            ] {
                try await client.execute(uri: path, method: .get) {
                    #expect($0.status == status, "\(path.prefix(40))")
                }
            }
        }
    }

    @Test("Titles are escaped in every page")
    func titlesCannotBecomeMarkup() async throws {
        try await withPages { library, site, client in
            let title = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
            let answer = try await Self.post(
                client, "/books", ["token": site.token, "title": title, "author": title])
            #expect(answer.status == .seeOther)
            let book = try #require(answer.headers[.location]?.split(separator: "?").first)
            for path in [
                "/", "/?q=script", String(book), "\(book)/edit", "\(book)/delete", "/authors", "/changes",
            ] {
                try await client.execute(uri: path, method: .get) { response in
                    let text = Self.text(response)
                    #expect(!text.contains("<script>alert") && !text.contains("<img src=x"), "\(path)")
                }
            }
            try await client.execute(uri: String(book), method: .get) { response in
                #expect(Self.text(response).contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
            }
        }
    }

    @Test("Requests for other hosts are refused")
    func otherHostsAreRefused() async throws {
        let hosts = AllowedHosts()
        hosts.allow(port: 8080)
        try await withPages(hosts: hosts) { _, _, client in
            // The test's client says `localhost`, without the port.
            try await client.execute(uri: "/", method: .get) { #expect($0.status == .misdirectedRequest) }
        }
        #expect(
            hosts.contains("localhost:8080") && hosts.contains("127.0.0.1:8080")
                && hosts.contains("[::1]:8080"))
        for host in [
            "evil.example", "evil.example:8080", "localhost:80", "localhost", "localhost.evil:8080", "",
        ] {
            #expect(!hosts.contains(host))
        }
    }

    @Test("Forms of other origins, without a token or of another type are refused")
    func formsOfOthersAreRefused() async throws {
        try await withPages { library, site, client in
            let fields = ["token": site.token, "title": "Evil"]
            let refused: [HTTPFields] = [
                [:], [.origin: "http://evil.example"], [.origin: "null"], [.origin: "https://localhost"],
                [.origin: "http://localhost:81"], [.referer: "http://localhost.evil.example/"],
                [.origin: "http://localhost", .fetchSite: "cross-site"],
            ]
            for headers in refused {
                let answer = try await Self.post(client, "/books", fields, headers: headers)
                #expect(answer.status == .forbidden, "\(headers)")
            }
            for token in ["", "x", String(site.token.dropLast()) + "!"] {
                let answer = try await Self.post(client, "/books", ["token": token, "title": "Evil"])
                #expect(answer.status == .forbidden)
            }
            let type = try await Self.post(
                client, "/books", fields, headers: [.origin: "http://localhost", .contentType: "text/plain"])
            #expect(type.status == .unsupportedMediaType)
            #expect(try await library.titles() == [])
            let referer = try await Self.post(
                client, "/books", fields, headers: [.referer: "http://localhost/books/new"])
            #expect(referer.status == .seeOther)
        }
    }

    @Test("A form that is too large is refused")
    func formsHaveALimit() async throws {
        try await withPages { library, site, client in
            let fields = [
                "token": site.token, "title": "x", "abstract": String(repeating: "x", count: 70_000),
            ]
            let answer = try await Self.post(client, "/books", fields)
            #expect(answer.status == .contentTooLarge)
            let titles = try await library.titles()
            #expect(titles == [])
        }
    }

    @Test("GET and HEAD requests change nothing, and other methods are refused")
    func gettingChangesNothing() async throws {
        try await withPages { library, site, client in
            try library.add("One,Ada,2001,1")
            let uuid = try #require(try await library.uuid("One")).uuidString.lowercased()
            _ = try await Self.post(client, "/books", ["token": site.token, "title": "Two"])
            let before = try await library.document.unsavedCounts()
            for path in [
                "/undo", "/redo", "/save", "/discard", "/books", "/books/\(uuid)", "/books/\(uuid)/delete",
                "/authors/delete",
                "/authors/rename", "/books/new?title=Three", "/?token=\(site.token)",
            ] {
                for method in [HTTPRequest.Method.get, .head] {
                    _ = try await client.execute(uri: path, method: method) { $0 }
                }
            }
            for method in [HTTPRequest.Method.put, .delete, .patch] {
                let answer = try await client.execute(uri: "/books/\(uuid)", method: method) { $0 }
                #expect(answer.status == .methodNotAllowed)
            }
            #expect(try await library.document.unsavedCounts() == before)
            #expect(Set(try await library.titles()) == ["One", "Two"])
        }
    }

    @Test("An invalid form comes back as it was typed, with its problems")
    func aWrongFormComesBackAsItWasTyped() async throws {
        try await withPages { library, site, client in
            let typed = [
                "token": site.token, "title": "", "author": "Ada <3", "publishDate": "1925-02-30",
                "price": "12,50",
                "url": "example", "abstract": "Line 1\r\nLine 2 </textarea>", "tintColor": "#102030",
            ]
            let answer = try await Self.post(client, "/books", typed)
            #expect(answer.status == .unprocessableContent)
            let text = Self.text(answer)
            for part in [
                "Ada &lt;3", "1925-02-30", "12,50", "Line 1\nLine 2 &lt;/textarea&gt;", "#102030",
                "A book needs a title.",
                "There is no such day in the calendar.", "Write the price as a number", "Write a web address",
                "aria-invalid=\"true\" aria-describedby=\"title-problem\"",
            ] {
                #expect(text.contains(part), "\(part)")
            }
            #expect(try await library.document.unsavedCounts() == UnsavedCounts())
        }
    }

    @Test("A book is added, saved, changed, undone and deleted through forms")
    func aBookIsAddedChangedAndDeleted() async throws {
        try await withPages { library, site, client in
            let added = try await Self.post(
                client, "/books",
                ["token": site.token, "title": "Emma", "author": "Jane Austen", "price": "8.5"])
            let path = String(try #require(added.headers[.location]?.split(separator: "?").first))
            #expect(added.headers[.location]?.hasSuffix("?said=added") == true)
            let saved = try await Self.post(client, "/save", ["token": site.token, "return": path])
            #expect(saved.headers[.location] == path + "?said=saved")
            let uuid = try #require(try await library.uuid("Emma"))
            let mark = try #require(try await library.document.book(uuid)).mark
            let fields = [
                "token": site.token, "mark": mark, "title": "Emma!", "author": "Jane Austen", "price": "8.5",
            ]
            #expect(try await Self.post(client, path, fields).status == .seeOther)
            #expect(try await Self.post(client, path, fields).status == .conflict)
            try await client.execute(uri: path, method: .get) { response in
                let text = Self.text(response)
                #expect(text.contains("after the save: <bdi dir=\"auto\">emma!</bdi>"))
                #expect(text.contains("ZCANONICALTITLE"))
            }
            #expect(try await Self.post(client, "/undo", ["token": site.token]).status == .seeOther)
            #expect(try await library.titles() == ["Emma"])
            #expect(try await Self.post(client, path + "/delete", ["token": site.token]).status == .seeOther)
            #expect(try await Self.post(client, path + "/delete", ["token": site.token]).status == .notFound)
            #expect(try await Self.post(client, "/save", ["token": site.token]).status == .seeOther)
            #expect(try await library.titles() == [])
        }
    }

    @Test(
        "An action leads only to pages of the server",
        arguments: [
            "//evil.example", "https://evil.example", "/\\evil.example", "javascript:x",
            "/a\r\nSet-Cookie: x",
            "",
        ])
    func actionsLeadToPagesOfTheServerOnly(address: String) async throws {
        try await withPages { _, site, client in
            let answer = try await Self.post(client, "/undo", ["token": site.token, "return": address])
            #expect(answer.headers[.location] == "/?said=undone")
        }
    }

    @Test("Sections and prices are in the language of the visitor")
    func headersOfSectionsAreInTheVisitorsLanguage() async throws {
        try await withPages { library, _, client in
            try library.add("One,Ada,2001-03-05,1234.5")
            try await client.execute(uri: "/", method: .get, headers: [.acceptLanguage: "de"]) { response in
                let text = Self.text(response)
                #expect(
                    text.contains("März 2001") && text.contains("1.234,50") && text.contains("lang=\"de\""))
            }
        }
    }

    @Test("Found words are marked in titles, names and abstracts, and everything is escaped")
    func foundWordsAreMarked() async throws {
        try await withPages { library, _, client in
            try library.add("<b>Über</b> & 'die' Dörfer,Peter <i>Handke,1981,11", "Emma,Jane Austen,1815,")
            try await client.execute(uri: "/?q=uber", method: .get) { response in
                let text = Self.text(response)
                #expect(
                    text.contains(
                        "<bdi dir=\"auto\">&lt;b&gt;<mark>Über</mark>&lt;/b&gt; &amp; &#39;die&#39; Dörfer</bdi>"
                    ))
                #expect(text.contains("“&lt;b&gt;<mark>Über</mark>&lt;/b&gt;"))
                #expect(
                    text.contains("In the title, abstract") && text.contains("rank <span lang=\"en-US\">"))
                #expect(text.contains(">1 book found</p>"))
                for code in ["context.search", "canonicalTitle CONTAINS", "title CONTAINS[cd]"] {
                    #expect(text.contains("<code>\(code)</code></a></th><td>1 found</td>"), "\(code)")
                }
                #expect(text.contains("href=\"/?q=uber&amp;by=words\""))
                #expect(!text.contains("<b>") && !text.contains("<i>"))
            }
            try await client.execute(uri: "/?q=hand&by=words", method: .get) { response in
                let text = Self.text(response)
                #expect(text.contains("<bdi dir=\"auto\">Peter &lt;i&gt;<mark>Handke</mark></bdi>"))
                #expect(text.contains("In the abstract, author’s name"))
                #expect(text.components(separatedBy: "class=\"time\"").count == 2)
            }
        }
    }

    @Test("Without words, or with words that no book has, nothing is marked")
    func nothingIsMarked() async throws {
        try await withPages { library, _, client in
            try library.add("Emma,Jane Austen,1815,")
            try await client.execute(uri: "/?q=&by=words", method: .get) { response in
                let text = Self.text(response)
                #expect(text.contains(">1 book</p>") && text.contains("id=\"month-1815-01\""))
                #expect(!text.contains("<mark>") && !text.contains("context.search</code></a>"))
            }
            try await client.execute(uri: "/?q=xyzzy", method: .get) { response in
                let text = Self.text(response)
                #expect(text.contains(">0 books found</p>"))
                #expect(text.contains("No title, abstract or author’s name has these words."))
                #expect(!text.contains("<mark>"))
            }
        }
    }

    @Test("An unchanged file is not sent again")
    func filesAreSentOnce() async throws {
        try await withPages { _, _, client in
            let first = try await client.execute(uri: "/assets/books.js", method: .get) { $0 }
            let tag = try #require(first.headers[.eTag])
            let second = try await client.execute(
                uri: "/assets/books.js", method: .get, headers: [.ifNoneMatch: tag]
            ) { $0 }
            #expect(second.status == .notModified)
        }
    }
}
