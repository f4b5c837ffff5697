import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import LocalSite
import ModelTools
import Testing

@testable import ModelEditor

/// The editor's answers, as the page gets them.
@Suite struct EditorRouteTests {
    /// What the tests read of a document.
    private struct Document: Decodable {
        struct Element: Decodable {
            var kind: String
            var settings: [String: String]
            var children: [Element]
        }

        var revision: Int
        var isEdited: Bool
        var version: String
        var root: Element
        var location: [Int]?
    }

    private struct Failure: Decodable {
        struct Content: Decodable {
            var code: String
            var message: String
            var field: String?
        }

        var error: Content
    }

    private struct Page {
        let client: any TestClientProtocol
        let headers: HTTPFields

        func get(_ path: String) async throws -> TestResponse {
            try await client.execute(uri: path, method: .get, headers: headers) { $0 }
        }

        func post(_ path: String, _ json: String) async throws -> TestResponse {
            try await client.execute(
                uri: path, method: .post, headers: headers, body: ByteBuffer(string: json)
            ) { $0 }
        }
    }

    private func withPage(_ body: @Sendable (URL, Page) async throws -> Void) async throws {
        let model = try TestModel()
        let site = ModelEditor.site(model.document)
        let app = Application(router: site.router(hosts: AllowedHosts(["localhost"])))
        try await app.test(.router) { [url = model.url] client in
            let entrance = try await client.execute(uri: site.access.entrance, method: .get) { $0 }
            let cookie = entrance.headers[.setCookie].flatMap { $0.split(separator: ";").first } ?? ""
            let headers: HTTPFields = [
                .cookie: String(cookie), .authorization: site.access.authorization,
                .origin: "http://localhost", .contentType: "application/json",
            ]
            try await body(url, Page(client: client, headers: headers))
        }
        withExtendedLifetime(model) {}
    }

    private static func read<Value: Decodable>(_ response: TestResponse, as type: Value.Type) throws -> Value
    {
        try JSONDecoder().decode(type, from: Data(response.body.readableBytesView))
    }

    @Test("The page and all files that it imports are served, without inline code")
    func thePageAndAllThatItImportsIsThere() async throws {
        try await withPage { _, page in
            var seen: Set<String> = []
            var rest = ["/"]
            while let path = rest.popLast() {
                guard seen.insert(path).inserted else { continue }
                let answer = try await page.get(path)
                #expect(answer.status == .ok, "\(path)")
                let text = String(buffer: answer.body)
                #expect(!text.contains("innerHTML") && !text.contains("eval("), "\(path)")
                #expect(!text.contains("style=\"") && !text.contains("<script>"), "\(path)")
                for match in text.matches(of: /from "\.\/([a-z]+\.js)"/) { rest.append("/files/\(match.1)") }
                for match in text.matches(of: /(?:src|href)="(\/files\/[a-z.]+)"/) {
                    rest.append(String(match.1))
                }
            }
            #expect(seen.count > 25)
        }
    }

    @Test("A model is edited, saved, undone and redone through the page's routes")
    func aModelIsEditedAndSaved() async throws {
        try await withPage { url, page in
            var document = try Self.read(try await page.get("/api/document"), as: Document.self)
            #expect(document.version == "Library" && !document.isEdited)
            let answer = try await page.post(
                "/api/edit",
                #"{"version":"Library","revision":\#(document.revision),"edit":{"add":{"kind":"entity","in":[]}}}"#
            )
            document = try Self.read(answer, as: Document.self)
            #expect(document.isEdited && document.location == [0])
            #expect(document.root.children.first?.settings["name"] == "Entity")
            document = try Self.read(
                try await page.post("/api/save", #"{"version":"Library"}"#), as: Document.self)
            #expect(!document.isEdited)
            #expect(try NSManagedObjectModel(loading: url).entities.map(\.name) == ["Entity"])
            document = try Self.read(try await page.post("/api/undo", "{}"), as: Document.self)
            #expect(document.isEdited && document.root.children.isEmpty)
            document = try Self.read(try await page.post("/api/redo", "{}"), as: Document.self)
            #expect(!document.isEdited)
        }
    }

    @Test("A refused edit names its field, and a stale one is a conflict")
    func aRefusedEditNamesItsField() async throws {
        try await withPage { _, page in
            _ = try await page.post(
                "/api/edit", #"{"version":"Library","revision":1,"edit":{"add":{"kind":"entity","in":[]}}}"#)
            let refused = try await page.post(
                "/api/edit", #"{"version":"Library","revision":2,"edit":{"rename":{"at":[0],"to":""}}}"#)
            #expect(refused.status == .unprocessableContent)
            #expect(try Self.read(refused, as: Failure.self).error.field == "name")
            let stale = try await page.post(
                "/api/edit", #"{"version":"Library","revision":1,"edit":{"remove":{"at":[0]}}}"#)
            #expect(stale.status == .conflict)
            #expect(try Self.read(stale, as: Failure.self).error.code == "stale")
            let unknown = try await page.post(
                "/api/edit", #"{"version":"Library","revision":2,"edit":{"format":{"at":[0]}}}"#)
            #expect(unknown.status == .badRequest)
            let missing = try await page.get("/api/document?version=None")
            #expect(missing.status == .unprocessableContent)
        }
    }

    @Test("Saving works from a window that shows a version renamed elsewhere")
    func savingFromAnotherWindow() async throws {
        try await withPage { url, page in
            let new = #"{"name":"Library 2","from":"Library"}"#
            #expect(try await page.post("/api/versions", new).status == .ok)
            // Another window gives the version another name that this one shows.
            let rename = #"{"name":"Library 2","to":"Shelf"}"#
            #expect(try await page.post("/api/versions/rename", rename).status == .ok)
            let saved = try await page.post("/api/save", #"{"version":"Library 2"}"#)
            #expect(saved.status == .ok)
            #expect(try Self.read(saved, as: Document.self).version == "Library")
            #expect(try XcodeModelFile(url: url).versions.map(\.name) == ["Library", "Shelf"])
        }
    }

    @Test("Predicates and patterns are checked, and long ones are refused")
    func expressionsAreChecked() async throws {
        try await withPage { _, page in
            for kind in ["entity", "fetchRequest"] {
                let revision = try Self.read(try await page.get("/api/document"), as: Document.self).revision
                let edit =
                    #"{"version":"Library","revision":\#(revision),"edit":{"add":{"kind":"\#(kind)","in":[]}}}"#
                #expect(try await page.post("/api/edit", edit).status == .ok)
            }
            let location = #""version":"Library","at":[1]"#
            let answer = try await page.post(
                "/api/check", #"{"kind":"predicate","text":"a ==",\#(location)}"#)
            #expect(String(buffer: answer.body).contains(#""column":5"#))
            let nowhere = try await page.post("/api/check", #"{"kind":"predicate","text":"a == 1"}"#)
            #expect(nowhere.status == .unprocessableContent)
            let pattern = try await page.post("/api/check", #"{"kind":"pattern","text":"a+","sample":"aa"}"#)
            #expect(String(buffer: pattern.body).contains(#""matches":true"#))
            let long = String(repeating: "a", count: 20_000)
            let refused = try await page.post("/api/check", #"{"kind":"predicate","text":"\#(long)"}"#)
            #expect(refused.status == .contentTooLarge)
        }
    }

    @Test("The analysis of a version is served")
    func theAnalysisIsThere() async throws {
        try await withPage { _, page in
            let answer = try await page.get("/api/analysis?version=Library&from=&style=apple")
            #expect(answer.status == .ok)
            #expect(String(buffer: answer.body).contains(#""allowsLightweightMigration":true"#))
        }
    }
}
